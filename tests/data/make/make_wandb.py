"""Offline wandb runs: one that ends well, one that raises, and two cut short by SIGKILL."""

import shutil
import sys
from pathlib import Path

import fixture_kit as kit

out = kit.start() / "wandb"
kit.place_program("wandb_run.py")
NORMALISED = "the start time in the run folder's name; the kernel's name in the environment record; logs/ is left out"


def log_run(name, *options, expect):
    shutil.rmtree("wandb", ignore_errors=True)
    run_id = name.replace("_", "")
    kit.run_in_pipe(
        [sys.executable, "-u", "train.py", "--id", run_id, *options], out / name / "train.log", expect=expect,
        # wandb's service probes this address for facts about a cloud machine; there is nothing to find.
        env={"WANDB_X_STATS_COREWEAVE_METADATA_BASE_URL": "http://127.0.0.1:9"},
    )
    (folder,) = Path("wandb").glob("offline-run-*")
    target = out / name / "wandb" / f"offline-run-20260101_000000-{run_id}"
    kit.copy(folder / f"run-{run_id}.wandb", target / f"run-{run_id}.wandb")
    for path in sorted((folder / "files").iterdir()):
        if path.name == "requirements.txt":  # written in random order
            (target / "files").mkdir(exist_ok=True)
            (target / "files" / path.name).write_text("".join(sorted(path.read_text().splitlines(keepends=True))))
        else:
            kit.copy(path, target / "files" / path.name)


def provenance(name, command, holds):
    kit.provenance(out / name, writer=["wandb"], command=command, holds=holds, normalised=NORMALISED)


log_run("finished", expect=0)
provenance("finished", "python -u train.py", [
    "12 steps: grad_norm bare `Infinity` at step 8, train/loss bare `NaN` from step 9 on; config, output lines, exit record",
    "exit code 0 is left out on the wire (proto3): the exit record is empty",
    "wandb 0.31 offline writes neither config.yaml nor wandb-summary.json nor wandb-metadata.json",
    "history keys stand in nested_key even when they have one part",
])
log_run("failed", "--end", "raise", expect=1)
provenance("failed", "python -u train.py --end raise", [
    "as finished, but the program raises after the last step: traceback in the output records, exit_code 1",
])
log_run("killed", "--steps", "120", "--end", "kill", expect=-9)
provenance("killed", "python -u train.py --steps 120 --end kill", [
    "SIGKILL after step 119: no exit record",
    "wandb's service writes whole blocks of 32768 bytes, so everything after the last full block is lost and the file "
    "ends inside a record; `train.log` shows later steps than the file has",
])
log_run("killed_early", "--end", "kill", expect=-9)
provenance("killed_early", "python -u train.py --end kill", [
    "SIGKILL before the first block was full: only the 7 bytes of the file header are there",
])
