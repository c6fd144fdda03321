"""A hand-written loop on accelerate: its logger lines around a tqdm bar, and a failure below `accelerate launch`."""

import sys
from pathlib import Path

import fixture_kit as kit

out = kit.start() / "accelerate"
kit.place_program("accelerate_run.py")

kit.run_in_pipe([sys.executable, "-u", "train.py"], out / "finished" / "train.log", expect=0)
listing = [f"{path.stat().st_size} {path}" for path in sorted(Path("checkpoints").rglob("*")) if path.is_file()]
(out / "finished" / "listing.txt").write_text("\n".join(listing) + "\n")
kit.provenance(
    out / "finished", writer=["accelerate", "torch", "tqdm"], command="python -u train.py > train.log 2>&1",
    holds=[
        "3 epochs, 12 optimizer steps, save_state each epoch; log lines are glued to the bar's last segment",
        "`listing.txt`: bytes and name of what save_state wrote",
    ],
)

launch = [sys.executable, "-m", "accelerate.commands.accelerate_cli", "launch", "--cpu", "train.py", "--fail"]
kit.run_in_pipe(launch, out / "launch_error" / "train.log", env={"PYTHONUNBUFFERED": "1"}, expect=1)
kit.provenance(
    out / "launch_error", writer=["accelerate", "torch", "tqdm"],
    command="accelerate launch --cpu train.py --fail > train.log 2>&1",
    normalised="path of the interpreter's library in tracebacks",
    holds=["ValueError after step 9 in the program, then the launcher's own CalledProcessError; exit code 1"],
)
