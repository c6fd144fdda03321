"""Lightning runs: CSVLogger's metrics.csv and hparams.yaml, the tqdm and the Rich bar, NaN, an error in a late step."""

import shutil
import sys
from pathlib import Path

import fixture_kit as kit

out = kit.start() / "lightning"
kit.place_program("lightning_run.py")
WRITERS = ["lightning", "torch", "tqdm", "rich"]
NORMALISED = "path of the interpreter's library in tracebacks; Lightning's randomly drawn advertising lines are left out"


def fit(name, *options, log="train.log", terminal=False, expect=0):
    shutil.rmtree("lightning_logs", ignore_errors=True)
    run = kit.run_in_terminal if terminal else kit.run_in_pipe
    run([sys.executable, "train.py", *options], out / name / log, env={"PYTHONUNBUFFERED": "1"}, expect=expect)


def keep_logs(name):
    for path in sorted(Path("lightning_logs").rglob("*")):
        if path.name in ("metrics.csv", "hparams.yaml"):
            kit.copy(path, out / name / path)


fit("finished")
keep_logs("finished")
fit("finished", log="train.terminal.log", terminal=True)
fit("finished", "--bar", "rich", log="train.rich.log")
fit("finished", "--bar", "rich", log="train.rich.terminal.log", terminal=True)
kit.provenance(
    out / "finished", writer=WRITERS, command="python train.py > train.log 2>&1", normalised=NORMALISED,
    holds=[
        "3 epochs of 10 steps; a row every 4 steps and one per validation, which repeats the step of the last training row",
        "`train.log`: tqdm bar into a pipe, `train.terminal.log`: on a pseudo-terminal of 100 columns",
        "`train.rich.log`, `train.rich.terminal.log`: the same with RichProgressBar (the default where rich is installed)",
        "`hparams.yaml`: `!!python/tuple` and `!!python/object/apply:pathlib.PurePosixPath`",
    ],
)

fit("nan_loss", "--nan_from_step", "14")
keep_logs("nan_loss")
kit.provenance(
    out / "nan_loss", writer=WRITERS, command="python train.py --nan_from_step 14 > train.log 2>&1", normalised=NORMALISED,
    holds=[
        "train_loss is NaN from step 14 on, val_loss after it; Lightning goes on, exit code 0",
        "metrics.csv says `nan`, the tqdm bar `train_loss=nan.0`",
    ],
)

fit("late_error", "--narrow_batch_at_step", "26", expect=1)
keep_logs("late_error")
kit.provenance(
    out / "late_error", writer=WRITERS, command="python train.py --narrow_batch_at_step 26 > train.log 2>&1",
    normalised=NORMALISED,
    holds=["a batch with 3 instead of 4 columns at step 26: RuntimeError of a matrix product, exit code 1"],
)
