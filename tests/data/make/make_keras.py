"""Keras on the PyTorch backend: what Progbar writes into a pipe and on a terminal, and CSVLogger's file."""

import sys

import fixture_kit as kit

out = kit.start() / "keras"
kit.place_program("keras_run.py")


def fit(name, *options, log="train.log", terminal=False):
    run = kit.run_in_terminal if terminal else kit.run_in_pipe
    run([sys.executable, "-u", "train.py", *options], out / name / log, expect=0)
    kit.copy("training.csv", out / name / "training.csv")


fit("finished", log="train.terminal.log", terminal=True)
fit("finished")
kit.provenance(
    out / "finished", writer=["keras", "torch"], command="KERAS_BACKEND=torch python -u train.py > train.log 2>&1",
    holds=[
        "`train.log`: Progbar redraws with backspaces, carriage returns and colours even into a pipe",
        "`train.terminal.log`: the same on a pseudo-terminal of 100 columns",
        "`training.csv`: CSVLogger, epoch first, then the other columns in alphabetical order",
    ],
)
fit("nan_stop", "--diverge")
kit.provenance(
    out / "nan_stop", writer=["keras", "torch"], command="KERAS_BACKEND=torch python -u train.py --diverge > train.log 2>&1",
    holds=[
        "learning rate 1e18: the second batch is not finite, TerminateOnNaN prints `Batch 1: Invalid loss` and ends the run",
        "exit code 0; loss `inf` and val_loss `nan` in the log and in `training.csv`",
    ],
)
