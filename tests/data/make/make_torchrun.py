"""torchrun with two gloo ranks on one machine: a good run and the ways in which one rank takes the other down."""

import shutil
import sys

import fixture_kit as kit

out = kit.start() / "torchrun"
kit.place_program("two_ranks.py")


def launch(fault, expect, holds):
    name = {"none": "finished"}.get(fault, fault)
    shutil.rmtree("logs", ignore_errors=True)
    command = [
        sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-addr", "127.0.0.1",
        "--master-port", "29511", "--log-dir", "logs", "--tee", "3", "train.py", fault,
    ]
    kit.run_in_pipe(command, out / name / "train.log", expect=expect)
    shutil.copytree("logs", out / name / "logs")
    (random_name,) = (path.name for path in (out / name / "logs").iterdir())
    (out / name / "logs" / random_name).rename(out / name / "logs" / "none_run1")
    for path in (out / name).rglob("*"):
        if path.is_file():
            path.write_bytes(kit.neutral(path.read_bytes()).replace(random_name.encode(), b"none_run1"))
    kit.provenance(
        out / name, writer=["torch"],
        command=f"torchrun --nproc-per-node 2 --master-port 29511 --log-dir logs --tee 3 train.py {fault} > train.log 2>&1",
        normalised="random part of the log folder's name (none_run1); path of the interpreter's library in tracebacks",
        holds=[
            *holds,
            f"the launcher's exit code: {expect}; `logs/`: what each rank wrote, and error.json of ranks that raised",
        ],
    )


launch("none", 0, ["six steps of two ranks, lines tagged `[default0]:` by --tee and `[rank0]:` by the program"])
launch("raise", 1, [
    "rank 1 raises ValueError at step 3 and is the root cause; rank 0 sees `Connection closed by peer` and gets SIGTERM",
])
launch("kill", 1, [
    "rank 1 is killed by SIGKILL at step 3: no error file; rank 0 has an error file that only shows the lost connection",
])
launch("segfault", 1, ["rank 1 dies by SIGSEGV (the launcher turns faulthandler on); rank 0 is a victim"])
launch("exit", 1, ["rank 1 leaves with exit code 7 and no traceback; rank 0 is a victim"])
launch("hang", 1, [
    "rank 1 sleeps instead of joining the collective of step 3; rank 0 times out after 2 s and is named as root cause, "
    "though the rank that stopped is rank 1 (ended by SIGTERM)",
])
launch("barrier", 1, ["as hang, with monitored_barrier: rank 0 names rank 1 as the one that did not come"])
launch("shape", 1, ["rank 1 brings 5 elements to an all_reduce of 4: gloo aborts rank 0 (SIGABRT), rank 1 is a victim"])
