#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check the release executable: fully static, and at work in an empty chroot."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    executable = pathlib.Path(sys.argv[1])
    kind = subprocess.run(["readelf", "-l", executable], capture_output=True, text=True, check=True).stdout
    if "INTERP" in kind:
        print(f"{executable}: needs a dynamic loader")
        return 1
    if os.geteuid() != 0:
        print("the chroot was not tried: it needs root")
        return 0
    with tempfile.TemporaryDirectory() as empty:
        shutil.copy(executable, f"{empty}/assay")
        shutil.copytree(ROOT / "tests/cases/crs-13/run", f"{empty}/run")
        for words, status in [(["--version"], 0), (["/run", "--format", "json"], 1)]:
            done = subprocess.run(["chroot", empty, "/assay", *words], capture_output=True, timeout=60)
            if done.returncode != status:
                print(f"in an empty chroot `assay {' '.join(words)}` ended with {done.returncode}:\n{done.stderr.decode()}")
                return 1
    print(f"{executable.name}: static, {executable.stat().st_size / 2**20:.1f} MiB, works in an empty chroot")
    return 0


if __name__ == "__main__":
    sys.exit(main())
