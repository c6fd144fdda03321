"""What the make scripts share: the neutral place to run in, capturing a program's output, and PROVENANCE.md.

A make script runs inside the environment that fixtures.py prepares (host name node-a, user trainer, everything under
/tmp/assay-fixture); run by hand elsewhere it would write names of that machine into the fixtures, so `start` refuses.
"""

import argparse
import importlib.metadata
import os
import pty
import select
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import threading
import time
from pathlib import Path

ROOT = Path("/tmp/assay-fixture")
PROJECT = ROOT / "project"
PROGRAMS = Path(__file__).resolve().parent / "programs"
HOST = "node-a"

# Where the fixtures show the interpreter's own library, instead of wherever it is installed here.
SHOWN_STDLIB = "/usr/lib/python3.11"

# What writers see after freeze_clock and freeze_pid.
FROZEN_EPOCH = 1767225600.0  # 2026-01-01 00:00:00 UTC
FROZEN_PID = 4242


def start() -> Path:
    """Empties the project folder, enters it and returns the folder to write fixtures into (--out)."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True, help="folder that stands for tests/data")
    out = parser.parse_args().out.resolve()
    if socket.gethostname() != HOST:
        sys.exit(f"this script must run under the host name {HOST}: use fixtures.py")
    shutil.rmtree(PROJECT, ignore_errors=True)
    PROJECT.mkdir(parents=True)
    os.chdir(PROJECT)
    return out


def place_program(name: str, as_name: str = "train.py") -> Path:
    """Copies programs/<name> into the project folder under the name a user would have given it."""
    target = PROJECT / as_name
    shutil.copy(PROGRAMS / name, target)
    return target


def neutral(text: bytes) -> bytes:
    """Shows the interpreter's library at a neutral place, and the libraries where the link to them is."""
    text = text.replace(os.path.realpath(sys.prefix).encode(), sys.prefix.encode())
    return text.replace(sysconfig.get_path("stdlib").encode(), SHOWN_STDLIB.encode())


def run_in_pipe(argv, log: Path, env=None, expect=None, kill_when=None) -> int:
    """Runs argv with stdout and stderr in one pipe, as `prog > log 2>&1` does; returns the exit code.

    kill_when(output so far) -> bool: SIGKILL to the program as soon as it says yes.
    """
    read_end, write_end = os.pipe()
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=write_end, stderr=write_end, env=_env(env))
    os.close(write_end)
    return _finish(process, read_end, log, expect, kill_when)


def run_in_terminal(argv, log: Path, env=None, expect=None, columns=100, kill_when=None) -> int:
    """Runs argv on a pseudo-terminal and keeps every byte it received, as script(1) does."""
    master, slave = pty.openpty()
    import fcntl
    import struct
    import termios

    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    process = subprocess.Popen(
        argv, stdin=slave, stdout=slave, stderr=slave, env=_env({"TERM": "xterm-256color", **(env or {})}),
        start_new_session=True, close_fds=True,
    )
    os.close(slave)
    return _finish(process, master, log, expect, kill_when)


def _env(extra):
    return {**os.environ, **(extra or {})}


def _finish(process, descriptor, log, expect, kill_when):
    output = bytearray()
    deadline = time.monotonic() + 300
    while True:
        if time.monotonic() > deadline:
            process.kill()
            sys.exit(f"{process.args} did not end within 300 s; it said:\n{output.decode(errors='replace')}")
        if select.select([descriptor], [], [], 1.0)[0]:
            try:
                piece = os.read(descriptor, 65536)
            except OSError:  # a pseudo-terminal whose other side is closed
                piece = b""
            if not piece:
                break
            output += piece
        if kill_when and kill_when(bytes(output)):
            process.send_signal(signal.SIGKILL)
            kill_when = None
    os.close(descriptor)
    code = process.wait()
    if expect is not None and code != expect:
        sys.exit(f"{process.args} exited with {code}, not {expect}; it said:\n{output.decode(errors='replace')}")
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_bytes(neutral(bytes(output)))
    return code


def copy(source: Path, target: Path) -> None:
    """Copies one text or binary file, showing the interpreter's library at its neutral place."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(neutral(Path(source).read_bytes()))


def freeze_clock(step_seconds=1.0) -> None:
    """Makes this process see a clock that starts at FROZEN_EPOCH and advances by step_seconds a reading.

    Only for writers whose records hold wall times: the bytes they write become the same each time. Readings by
    background threads (flushers) do not advance it, or the number of their readings would show in the bytes.
    """
    now = [FROZEN_EPOCH - step_seconds]

    def read_clock():
        if threading.current_thread() is threading.main_thread():
            now[0] += step_seconds
        return now[0]

    time.time = read_clock


def freeze_pid() -> None:
    """Makes os.getpid say FROZEN_PID. Never in a program that sends signals to itself: the number may be another's."""
    os.getpid = lambda: FROZEN_PID


def provenance(folder: Path, *, writer, command, holds, normalised="nothing") -> None:
    """Writes PROVENANCE.md. writer: distribution names whose versions matter; holds: list of lines."""
    versions = [f"{name} {importlib.metadata.version(name)}" for name in writer]
    versions.append("Python " + ".".join(map(str, sys.version_info[:3])))
    script = Path(sys.argv[0]).name
    lines = [
        f"# {folder.parent.name}/{folder.name}",
        "",
        f"- Made by: `tests/data/make/{script}`",
        f"- Written by: {', '.join(versions)}",
        f"- Command: `{command}`",
        f"- Normalised: {normalised}",
        "- Licence: written by our own program; no third-party data inside",
        "",
        "What is inside:",
        "",
    ]
    lines += [f"- {line}" for line in holds]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "PROVENANCE.md").write_text("\n".join(lines) + "\n")
