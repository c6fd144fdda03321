"""tqdm's progress bars, into a pipe and on a terminal."""

import sys

import fixture_kit as kit

out = kit.start() / "tqdm"
kit.place_program("tqdm_run.py")
command = [sys.executable, "-u", "train.py"]
kit.run_in_pipe(command, out / "bars" / "train.log", expect=1)
kit.run_in_terminal(command, out / "bars" / "train.terminal.log", expect=1)
kit.provenance(
    out / "bars", writer=["tqdm"], command="python -u train.py > train.log 2>&1",
    holds=[
        "`train.log`: into a pipe; `train.terminal.log`: the same on a pseudo-terminal of 100 columns",
        "nested bars (cursor up), postfix with NaN, a bar without total, units k/M, an ASCII bar, tqdm.write between updates",
        "the last bar stops at 40% because the program raises: exit code 1",
    ],
)
