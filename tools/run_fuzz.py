#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run every fuzz target for a while: run_fuzz.py BUILD CORPUS --seconds N. New inputs stay out of the tree."""
import pathlib
import subprocess
import sys
import tempfile


def main():
    build, corpus, seconds = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[4]
    targets = sorted(p for p in build.rglob("fuzz_*") if p.is_file() and p.stat().st_mode & 0o100 and p.suffix == "")
    failed = []
    for target in targets:
        seeds = corpus / target.name.removeprefix("fuzz_")
        with tempfile.TemporaryDirectory() as found:
            done = subprocess.run([target, found, *([seeds] if seeds.exists() else []), f"-max_total_time={seconds}", "-max_len=65536", "-timeout=10",
                                   "-rss_limit_mb=2048", "-print_final_stats=0", f"-artifact_prefix={found}/"], capture_output=True, text=True)
        print(f"{'ok' if done.returncode == 0 else 'FAILED'} {target.name}", flush=True)
        if done.returncode != 0:
            failed.append(target.name)
            print(done.stderr[-4000:])
    print(f"{len(targets) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or not targets else 0


if __name__ == "__main__":
    sys.exit(main())
