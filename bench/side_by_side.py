#!/usr/bin/env python3
"""Runs log_scan against ripgrep on the same files: results are compared first, then rounds are interleaved and medians printed.

usage: side_by_side.py [--bytes N] [--rounds N] [--work DIR] BUILD_DIR
BUILD_DIR is the folder of the preset `bench`. Needs rg in PATH."""
import argparse
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import sysconfig
import time

RIPGREP = ["rg", "-n", "-a", "--no-config", "--no-unicode", "--dfa-size-limit", "2G"]
NUMBER = r"[-+0-9.eEnaif]+"
SERIES = rf"lm loss: {NUMBER}|grad norm: {NUMBER}|learning rate: {NUMBER}|iteration +[0-9]+|'loss': {NUMBER}|'grad_norm': {NUMBER}|'learning_rate': {NUMBER}"


def run(command, output):
    """Wall seconds, processor seconds and peak resident MB of one process; its output goes to a file, as tools that print to a
    null device stop early."""
    with open(output, "wb") as sink:
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=sink, stderr=subprocess.PIPE)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"{command[0]} failed: {process.stderr.read().decode()}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def write_source_text(path, size):
    """Python source of the standard library, over and over: full of the words of errors, without one."""
    files = sorted(pathlib.Path(sysconfig.get_paths()["stdlib"]).glob("**/*.py"))
    written = 0
    with open(path, "wb") as out:
        while written < size:
            for file in files:
                data = file.read_bytes()
                out.write(data)
                written += len(data)
                if written >= size:
                    break


def slow_twin(path):
    """Count and sum of the series, read with regular expressions and nothing else."""
    text = path.read_text()
    out = {}
    for line in text.splitlines():
        if line.startswith("{'loss'"):
            for name, value in re.findall(rf"'(\w+)': ({NUMBER})", line):
                if name != "epoch":
                    out.setdefault(("hf-trainer", name), []).append(float(value))
        elif " iteration " in line and "| lm loss:" in line:
            for name, value in re.findall(rf"([a-z ]+): ({NUMBER}) \|", line):
                out.setdefault(("megatron", name.strip()), []).append(float(value))
    return {key: (len(v), sum(v)) for key, v in out.items()}


def as_ripgrep(pattern):
    """The same pattern in the syntax of ripgrep, which knows no escapes that change nothing and no name twice in all patterns."""
    return re.sub(r"\\(['\"`<>@!%,:;=/_ ])", r"\1", re.sub(r"\(\?P<\w+>", "(?:", pattern))


def check(log_scan, log, patterns, work):
    run([log_scan, log], work / "ours.txt")
    ours = {int(l.split(" ", 2)[1]) for l in (work / "ours.txt").read_text().splitlines() if l.startswith("hit ")}
    run([*RIPGREP, "-f", patterns, log], work / "theirs.txt")
    theirs = {int(l.split(b":", 1)[0]) for l in (work / "theirs.txt").read_bytes().splitlines() if l.split(b":", 1)[0].isdigit()}
    if ours != theirs:
        sys.exit(f"the needle lines differ: only ours {sorted(ours - theirs)[:5]}, only ripgrep's {sorted(theirs - ours)[:5]}")
    print(f"needle lines: {len(ours)}, the same as ripgrep's")
    columns = {}
    for line in (work / "ours.txt").read_text().splitlines():
        if line.startswith("column "):
            _, writer, rest = line.split(" ", 2)
            name, count, _, total = rest.rsplit(" ", 3)
            columns[writer, name] = (int(count), float(total))
    twin = slow_twin(log)
    for key, (count, total) in twin.items():
        found = columns.get(key)
        if found is None or found[0] != count or not math.isclose(found[1], total, rel_tol=1e-9):
            sys.exit(f"{key}: ours {found}, the slow twin's {(count, total)}")
    print(f"series: {len(twin)}, the same as the slow twin's, {sum(c for c, _ in twin.values())} values")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bytes", type=int, default=256 << 20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("bench-work"))
    parser.add_argument("build", type=pathlib.Path)
    arguments = parser.parse_args()
    work = arguments.work
    work.mkdir(parents=True, exist_ok=True)
    log_scan = arguments.build / "bench" / "log_scan"
    log, small, adverse, patterns = work / "mix.log", work / "small.log", work / "source.txt", work / "patterns.txt"
    subprocess.run([arguments.build / "bench" / "gen_log", str(arguments.bytes), log], check=True)
    subprocess.run([arguments.build / "bench" / "gen_log", str(min(arguments.bytes, 16 << 20)), small], check=True)
    write_source_text(adverse, arguments.bytes)
    ours = subprocess.run([log_scan, "--patterns"], check=True, capture_output=True, text=True).stdout.splitlines()
    # Without Unicode classes ripgrep is many times faster with these patterns; the few that hold other letters are left out.
    patterns.write_text("".join(as_ripgrep(pattern) + "\n" for pattern in ours if pattern.isascii()))
    literals = work / "literals.txt"
    literals.write_bytes(subprocess.run([log_scan, "--literals"], check=True, capture_output=True).stdout)
    check(log_scan, small, patterns, work)

    grep = [*RIPGREP, "-f", patterns]
    jobs = {
        "log: signatures": [log_scan, "--signatures", log],
        "log: signatures and metrics": [log_scan, log],
        "log: rg -f": [*grep, log],
        "log: rg -o series": [*RIPGREP, "-o", "-e", SERIES, log],
        "source: signatures": [log_scan, "--signatures", adverse],
        "source: signatures and metrics": [log_scan, adverse],
        # With the patterns themselves ripgrep takes minutes for some megabytes of this text.
        "source: rg -F literals": [*RIPGREP, "-F", "-f", literals, adverse],
    }
    times = {name: [] for name in jobs}
    for _ in range(arguments.rounds):
        for name, command in jobs.items():
            times[name].append(run(command, work / "out.txt"))
    median = {name: [statistics.median(column) for column in zip(*rows)] for name, rows in times.items()}
    gigabytes = {"log": log.stat().st_size / 1e9, "source": adverse.stat().st_size / 1e9}
    print(f"{'job':34} {'wall s':>8} {'cpu s':>8} {'GB/s cpu':>9} {'peak MB':>8}")
    for name, (wall, cpu, memory) in median.items():
        print(f"{name:34} {wall:8.3f} {cpu:8.3f} {gigabytes[name.split(':')[0]] / cpu:9.2f} {memory:8.0f}")
    both = median["log: rg -f"][1] + median["log: rg -o series"][1]
    for title, ratio, goal in [
        ("signatures against rg -f", median["log: rg -f"][1] / median["log: signatures"][1], 4),
        ("signatures and metrics against rg -f plus rg -o", both / median["log: signatures and metrics"][1], 5),
        ("source text against rg -F with the literals alone", median["source: rg -F literals"][1] / median["source: signatures"][1], 2),
        ("source text with metrics against the same", median["source: rg -F literals"][1] / median["source: signatures and metrics"][1], 1),
    ]:
        print(f"{title}: {ratio:.1f} times (goal {goal})")


if __name__ == "__main__":
    main()
