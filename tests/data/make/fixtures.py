#!/usr/bin/env python3
"""Makes the fixtures of tests/data again from the real libraries, or checks that they are what those libraries write.

    fixtures.py                 replaces what is committed
    fixtures.py --check         makes everything in a temporary folder and compares (compare.py says how, per kind)
    fixtures.py --only NAME     only make_NAME.py (repeatable)
    fixtures.py --venv DIR      where the libraries are or will be installed (6.5 GB; default .cache/fixtures-venv)

Linux only. The scripts run in /tmp/assay-fixture under the host name node-a, so that no fixture names this machine;
UTS and network namespaces of our own are needed for that (root, or a kernel that allows user namespaces; iproute2).
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MAKE = Path(__file__).resolve().parent
DATA = MAKE.parent
REPOSITORY = DATA.parent.parent
ROOT = Path("/tmp/assay-fixture")

LARGEST_FILE = 64 * 1024
LARGEST_TOTAL = 1536 * 1024


def install(venv: Path) -> Path:
    """A virtual environment with exactly requirements.txt in it; nothing is done when it is there already."""
    requirements = MAKE / "requirements.txt"
    stamp = venv / "requirements.sha256"
    wanted = hashlib.sha256(requirements.read_bytes()).hexdigest()
    if not (stamp.exists() and stamp.read_text() == wanted):
        print(f"installing {requirements.relative_to(REPOSITORY)} into {venv} (about 6.5 GB)", flush=True)
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin/python", "-m", "pip", "install", "--quiet", "-r", requirements], check=True)
        stamp.write_text(wanted)
    return venv


def neutral_environment() -> dict:
    """The variables the scripts see: nothing of the caller's but where programs are found."""
    return {
        "PATH": f"{ROOT}/venv/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": str(ROOT / "home"),
        "TMPDIR": str(ROOT / "tmp"),
        "USER": "trainer",
        "LOGNAME": "trainer",
        "HOSTNAME": "node-a",
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "HF_HUB_OFFLINE": "1",
        "GLOO_SOCKET_IFNAME": "lo",
    }


def under_neutral_host(command: list) -> list:
    """Prefixes the command so that it runs with the host name node-a and with no network but the loopback."""
    unshare = ["unshare", "--uts", "--net"]
    if os.geteuid() != 0:
        unshare += ["--user", "--map-root-user"]
    return [*unshare, "sh", "-c", 'hostname node-a && ip link set lo up && exec "$@"', "sh", *map(str, command)]


def prepare_root(venv: Path) -> None:
    for name in ("home", "tmp", "project"):
        shutil.rmtree(ROOT / name, ignore_errors=True)
        (ROOT / name).mkdir(parents=True)
    link = ROOT / "venv"
    if link.is_symlink():
        link.unlink()
    link.symlink_to(venv.resolve(), target_is_directory=True)


def make(script: Path, out: Path) -> None:
    began = time.monotonic()
    command = under_neutral_host([ROOT / "venv/bin/python", script, "--out", out])
    done = subprocess.run(command, env=neutral_environment(), cwd=ROOT, capture_output=True, text=True, errors="replace")
    if done.returncode:
        sys.exit(f"{script.name} failed ({done.returncode}):\n{done.stdout}{done.stderr}")
    print(f"{script.name}: {time.monotonic() - began:.0f} s", flush=True)


def made_folders(out: Path) -> list:
    return sorted(path.parent.relative_to(out) for path in out.rglob("PROVENANCE.md"))


def refuse_leaks(out: Path, venv: Path) -> None:
    """Stops when a made file is too large or names this machine."""
    names = [str(REPOSITORY), str(venv.resolve()), str(Path.home()) + "/", os.uname().nodename]
    needles = [name.encode() for name in names if len(name) > 4]
    total = 0
    for path in sorted(p for p in out.rglob("*") if p.is_file()):
        content = path.read_bytes()
        total += len(content)
        if len(content) > LARGEST_FILE:
            sys.exit(f"{path.relative_to(out)} has {len(content)} bytes, more than {LARGEST_FILE}")
        for needle in needles:
            if needle in content:
                sys.exit(f"{path.relative_to(out)} holds {needle.decode()}, a name of this machine")
    if total > LARGEST_TOTAL:
        sys.exit(f"the fixtures have {total} bytes together, more than {LARGEST_TOTAL}")


def committed_by(scripts: list) -> list:
    """Folders in tests/data that say in PROVENANCE.md that one of these scripts made them."""
    marks = [f"`tests/data/make/{script.name}`" for script in scripts]
    return [
        path.parent.relative_to(DATA)
        for path in sorted(DATA.rglob("PROVENANCE.md"))
        if any(mark in path.read_text() for mark in marks)
    ]


def replace_committed(out: Path, scripts: list) -> None:
    for folder in committed_by(scripts):
        shutil.rmtree(DATA / folder)
    for folder in made_folders(out):
        shutil.copytree(out / folder, DATA / folder, dirs_exist_ok=True)
    print(f"{len(made_folders(out))} folders written under {DATA}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", action="append", metavar="NAME")
    parser.add_argument("--venv", type=Path, default=REPOSITORY / ".cache/fixtures-venv")
    options = parser.parse_args()

    scripts = sorted(MAKE.glob("make_*.py"))
    if options.only:
        wanted = {f"make_{name}.py" for name in options.only}
        unknown = wanted - {script.name for script in scripts}
        if unknown:
            sys.exit(f"no such script: {', '.join(sorted(unknown))}")
        scripts = [script for script in scripts if script.name in wanted]

    venv = install(options.venv.absolute())
    prepare_root(venv)
    with tempfile.TemporaryDirectory(prefix="assay-fixtures-") as temporary:
        out = Path(temporary)
        for script in scripts:
            make(script, out)
        refuse_leaks(out, venv)
        if options.check:
            folders = sorted(set(made_folders(out)) | set(committed_by(scripts)))
            compare = [venv / "bin/python", MAKE / "compare.py", out, DATA, *folders]
            sys.exit(subprocess.run(list(map(str, compare))).returncode)
        replace_committed(out, scripts)


if __name__ == "__main__":
    main()
