"""Hugging Face Trainer runs of a random tiny GPT-2: logs, trainer_state.json, what a checkpoint folder holds."""

import shutil
import sys
from pathlib import Path

import fixture_kit as kit

out = kit.start() / "hf_trainer"
kit.place_program("hf_trainer.py")

# Small enough to keep whole; of the others only names and sizes are kept (listing.txt).
KEPT = ("trainer_state.json", "all_results.json")
KEPT_ONCE = (*KEPT, "config.json", "training_args.bin", "scheduler.pt", "train_results.json")


def train(name, *options, expect=0, terminal=False, log="train.log", unbuffered=True):
    shutil.rmtree("outputs", ignore_errors=True)
    env = {"PYTHONUNBUFFERED": "1"} if unbuffered else {}
    run = kit.run_in_terminal if terminal else kit.run_in_pipe
    run([sys.executable, "train.py", *options], out / name / log, env=env, expect=expect)


def keep_outputs(name, kept=KEPT):
    for path in sorted(Path("outputs").rglob("*")):
        if path.name in kept:
            kit.copy(path, out / name / path)
    listing = [
        f"{path.stat().st_size} {path}" for path in sorted(Path("outputs").rglob("*")) if path.is_file()
    ]
    (out / name / "listing.txt").write_text("\n".join(listing) + "\n")


def provenance(name, command, holds, normalised="path of the interpreter's library in tracebacks"):
    kit.provenance(
        out / name, writer=["transformers", "accelerate", "torch"], command=command, normalised=normalised,
        holds=[
            *holds,
            "`listing.txt`: bytes and name of every file of the output folder; only the small ones are kept",
        ],
    )


train("finished")
keep_outputs("finished", KEPT_ONCE)
train("finished", log="train.buffered.log", unbuffered=False)
train("finished", log="train.terminal.log", terminal=True)
provenance("finished", "python train.py > train.log 2>&1", [
    "48 steps in 4 epochs, a row every 4 steps, evaluation each epoch, checkpoints at 24 and 48",
    "`train.log`: stdout and stderr in one pipe, unbuffered: dict rows between carriage-return segments of the bar",
    "`train.buffered.log`: the same without PYTHONUNBUFFERED: what Python's stdout buffer does to the order",
    "`train.terminal.log`: the same on a pseudo-terminal of 100 columns",
    "transformers 5 prints the values of a row as strings (`'loss': '2.798'`)",
])

train("nan_filtered", "--nan_from_step", "30")
keep_outputs("nan_filtered")
provenance("nan_filtered", "python train.py --nan_from_step 30 > train.log 2>&1", [
    "the loss is NaN from step 30 on; logging_nan_inf_filter is on (the default)",
    "the log shows `'loss': '0', 'grad_norm': 'nan'`, the row of steps 29..32 a mean of the finite ones; "
    "eval_loss is nan; the run ends with exit code 0",
    "trainer_state.json: `\"loss\": 0.0` beside a bare `NaN` for grad_norm",
])

train("nan_shown", "--nan_from_step", "30", "--keep_nan_in_log")
keep_outputs("nan_shown")
provenance("nan_shown", "python train.py --nan_from_step 30 --keep_nan_in_log > train.log 2>&1", [
    "as nan_filtered with logging_nan_inf_filter=False: the log shows `'loss': 'nan'`, trainer_state.json bare `NaN`",
])

train("late_error", "--bad_token_after", "340", expect=1)
keep_outputs("late_error")
provenance("late_error", "python train.py --bad_token_after 340 > train.log 2>&1", [
    "a token outside the vocabulary arrives after step 40: IndexError from torch.embedding, exit code 1",
    "the last trainer_state.json is of checkpoint-24, older than the last row of the log; no final results files",
])
