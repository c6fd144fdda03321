#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run every fuzz target for a while: run_fuzz.py BUILD SOURCE [--seconds N] [--jobs N]. Seeds are fuzz/corpus/<id> and the fixture
that the format's own table entry names; new inputs stay out of the tree, what breaks a target is kept in BUILD/found."""
import argparse
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def run(target, source, found, seconds):
    name = target.name.removeprefix("fuzz_")
    entry = source / "src/evidence/formats" / f"{name}.cc"
    with tempfile.TemporaryDirectory() as corpus:
        if entry.exists():
            sample = source / "tests/data" / re.search(r'\.sample = "([^"]+)"', entry.read_text()).group(1)
            shutil.copy(sample, pathlib.Path(corpus) / "sample")
        seeds = source / "fuzz/corpus" / name
        return target.name, subprocess.run(
            [target, corpus, *([seeds] if seeds.exists() else []), f"-max_total_time={seconds}", "-max_len=65536", "-timeout=10",
             "-rss_limit_mb=2048", "-print_final_stats=1", f"-artifact_prefix={found}/{name}-"], capture_output=True, text=True, errors="replace")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    targets = sorted(p for p in arguments.build.rglob("fuzz_*") if p.is_file() and p.stat().st_mode & 0o100 and p.suffix == "")
    found = arguments.build / "found"
    found.mkdir(exist_ok=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for name, done in pool.map(lambda target: run(target, arguments.source, found, arguments.seconds), targets):
            inputs = re.search(r"number_of_executed_units: (\d+)", done.stderr)
            print(f"{'ok' if done.returncode == 0 else 'FAILED'} {name}, {inputs.group(1) if inputs else 'no'} inputs", flush=True)
            if done.returncode != 0:
                failed += 1
                print(done.stderr[-4000:])
    print(f"{len(targets) - failed} passed, {failed} failed")
    return 1 if failed or not targets else 0


if __name__ == "__main__":
    sys.exit(main())
