#!/usr/bin/env python3
"""Runs assay's readers against their peers on the same files and says for every goal whether it is met. Results are compared first,
then the rounds are interleaved: a ratio is the median of the ratios of the rounds, of processor time (user and system).

usage: side_by_side.py [--only PART …] [--bytes N] [--rounds N] [--large N] [--record FILE] [--work DIR] BENCH_DIR ASSAY
Parts: log, source, events, memory, start. BENCH_DIR is the folder of the preset `bench`, ASSAY the static executable."""
import argparse
import math
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import sysconfig

RIPGREP = ["rg", "-n", "-a", "--no-config", "--dfa-size-limit", "2G"]
WITH_PATTERNS = [*RIPGREP, "--no-unicode"]  # without classes of Unicode it is many times faster with these patterns
NUMBER = r"[-+0-9.eEnaif]+"
SERIES = "|".join(rf"{name}: {NUMBER}" for name in ("lm loss", "grad norm", "learning rate", "'loss'", "'grad_norm'", "'learning_rate'"))
SERIES += r"|iteration +[0-9]+"
MIB = 1 << 20
PARTS = ["log", "source", "events", "memory", "start"]


class Bench:
    def __init__(self, arguments):
        self.programs = arguments.build / "bench"
        self.assay = arguments.assay
        self.bytes, self.large, self.rounds = arguments.bytes, arguments.large, arguments.rounds
        self.work = arguments.work
        self.jobs, self.goals = [], []

    def run(self, command, output=None):
        """Wall seconds, processor seconds and peak MiB; output goes to a file, as tools that print to a null device stop early."""
        output = output or self.work / "out.txt"
        line = subprocess.run([self.programs / "measure", output, *command], check=True, stdout=subprocess.PIPE).stdout
        wall, cpu, peak, status = line.split()
        if int(status) > 1:
            sys.exit(f"{command[0]} failed with status {int(status)}")
        return float(wall), float(cpu), int(peak) / 1024

    def output(self, command):
        path = self.work / "checked.txt"
        self.run(command, path)
        return path.read_text(errors="replace").splitlines()

    def make(self, program, name, *arguments):
        path = self.work / name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            size, *rest = arguments
            subprocess.run([self.programs / program, str(size), path, *rest], check=True)
        return path

    def rounds_of(self, size, jobs):
        """Runs every job once a round and returns the processor seconds of each."""
        measured = {name: [] for name in jobs}
        for command in jobs.values():
            self.run(command)  # warms the page cache
        for _ in range(self.rounds):
            for name, command in jobs.items():
                measured[name].append(self.run(command))
        for name, rows in measured.items():
            wall, cpu, peak = (statistics.median(column) for column in zip(*rows))
            self.jobs.append((name, size, wall, cpu, peak))
        return {name: [cpu for _, cpu, _ in rows] for name, rows in measured.items()}

    def faster(self, title, peer, ours, goal):
        ratios = sorted(a / b for a, b in zip(peer, ours))
        ratio = statistics.median(ratios)
        self.goals.append((title, f"{ratio:.2f} times ({ratios[0]:.2f} to {ratios[-1]:.2f})", f"at least {goal}", ratio >= goal))

    def below(self, title, value, unit, goal):
        self.goals.append((title, f"{value:.3g} {unit}", f"at most {goal:g} {unit}", value <= goal))


def as_ripgrep(pattern):
    """The same pattern in the syntax of ripgrep, which knows no escapes that change nothing and no name twice in all patterns. Of
    letters beyond ASCII it is told the bytes, which no class can hold."""
    pattern = re.sub(r"\[([^\]\\^-]*[^\x00-\x7f\]\\-][^\]\\-]*)\]", lambda found: f"(?:{'|'.join(map(re.escape, found[1]))})", pattern)
    pattern = re.sub(r"\\(['\"`<>@!%,:;=/_ ])", r"\1", re.sub(r"\(\?P<\w+>", "(?:", pattern))
    return re.sub(r"[^\x00-\x7f]", lambda found: "(?:" + "".join(f"\\x{byte:02x}" for byte in found[0].encode()) + ")", pattern)


def slow_twin(path):
    """Count and sum of the series, read with regular expressions and nothing else."""
    out = {}
    for line in path.read_text().splitlines():
        if line.startswith("{'loss'"):
            for name, value in re.findall(rf"'(\w+)': ({NUMBER})", line):
                if name != "epoch":
                    out.setdefault(("hf-trainer", name), []).append(float(value))
        elif " iteration " in line and "| lm loss:" in line:
            for name, value in re.findall(rf"([a-z ]+): ({NUMBER}) \|", line):
                out.setdefault(("megatron", name.strip()), []).append(float(value))
    return {key: (len(v), sum(v)) for key, v in out.items()}


def check_log(bench, patterns):
    log = bench.make("gen_log", "small.log", 16 * MIB)
    ours = bench.output([bench.programs / "log_scan", log])
    hits = {int(line.split(" ", 2)[1]) for line in ours if line.startswith("hit ")}
    theirs = {int(number) for number, colon, _ in (line.partition(":") for line in bench.output([*WITH_PATTERNS, "-f", patterns, log])) if colon}
    if hits != theirs:
        sys.exit(f"the needle lines differ: only ours {sorted(hits - theirs)[:5]}, only ripgrep's {sorted(theirs - hits)[:5]}")
    print(f"log: {len(hits)} lines with a signature, the same as ripgrep's")
    columns = {}
    for line in ours:
        if line.startswith("column "):
            _, writer, rest = line.split(" ", 2)
            name, count, _, total = rest.rsplit(" ", 3)
            columns[writer, name] = (int(count), float(total))
    twin = slow_twin(log)
    for key, (count, total) in twin.items():
        found = columns.get(key)
        if found is None or found[0] != count or not math.isclose(found[1], total, rel_tol=1e-9):
            sys.exit(f"{key}: ours {found}, the slow twin's {(count, total)}")
    print(f"log: {len(twin)} series, the same as a slow twin's, {sum(c for c, _ in twin.values())} values")


def measure_log(bench):
    scan = bench.programs / "log_scan"
    patterns = bench.work / "patterns.txt"
    patterns.write_text("".join(as_ripgrep(pattern) + "\n" for pattern in bench.output([scan, "--patterns"])))
    check_log(bench, patterns)
    log = bench.make("gen_log", "mix.log", bench.bytes)
    cpu = bench.rounds_of(log.stat().st_size, {
        "log: signatures": [scan, "--signatures", log],
        "log: signatures and metrics": [scan, log],
        "log: rg -f": [*WITH_PATTERNS, "-f", patterns, log],
        "log: rg -o series": [*WITH_PATTERNS, "-o", "-e", SERIES, log]})
    both = [a + b for a, b in zip(cpu["log: rg -f"], cpu["log: rg -o series"])]
    bench.faster("signatures against rg -f", cpu["log: rg -f"], cpu["log: signatures"], 4)
    bench.faster("signatures and metrics against rg -f plus rg -o", both, cpu["log: signatures and metrics"], 5)


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


def measure_source(bench):
    scan = bench.programs / "log_scan"
    literals = bench.work / "literals.txt"
    bench.run([scan, "--literals"], literals)
    text = bench.work / "source.txt"
    write_source_text(text, bench.bytes)
    cpu = bench.rounds_of(text.stat().st_size, {
        "source text: signatures": [scan, "--signatures", text],
        # With the patterns themselves ripgrep takes minutes for some megabytes of this text.
        "source text: rg -F literals": [*RIPGREP, "-F", "-f", literals, text]})
    bench.faster("source text: signatures against rg -F", cpu["source text: rg -F literals"], cpu["source text: signatures"], 2)


def measure_events(bench):
    events = bench.make("gen_events", "events.out.tfevents.1.host", bench.bytes)
    ours, peer = [bench.programs / "event_scan", events], [bench.programs / "event_peer", events]
    found = bench.output(ours)
    if found != bench.output(peer):
        sys.exit("event_scan and event_peer do not print the same")
    print(f"events: {len(found) - 1} tags, {sum(int(line.split()[2]) for line in found[:-1])} values, the same as protobuf's")
    cpu = bench.rounds_of(events.stat().st_size, {"events: assay": ours, "events: protobuf-lite": peer})
    bench.faster("event file against protobuf-lite", cpu["events: protobuf-lite"], cpu["events: assay"], 4)


def measure_memory(bench):
    """Peaks of the reader alone and of `assay DIR`; what the tables hold (rows and values, blanks not counted) is taken off."""
    for title, program, name, generator, size, option in (
            ("log with few results", "log_scan", "quiet/train.log", "gen_log", bench.large, ["quiet"]),
            ("log with many results", "log_scan", "many/train.log", "gen_log", bench.large, []),
            ("event file with few results", "event_scan", "few-events/events.out.tfevents.1.host", "gen_events", 200 * MIB, ["-100"]),
            ("event file with many results", "event_scan", "events/events.out.tfevents.1.host", "gen_events", 200 * MIB, [])):
        path = bench.make(generator, name, size, *option)
        results = next(line for line in bench.output([bench.programs / program, "--sized", path]) if line.startswith("results "))
        held = int(results.split()[3]) / MIB if "many" in title else 0
        for how, command in (("reader", [bench.programs / program, path]),
                             ("assay DIR", [bench.assay, path.parent, "--no-case", "--no-probes"])):
            wall, cpu, peak = bench.run(command)
            bench.jobs.append((f"{title}: {how}", path.stat().st_size, wall, cpu, peak))
            beside = f", beside {held:.0f} MiB of results" if held else ""
            bench.below(f"peak memory, {title}, {how}{beside}", peak - held, "MiB", 64)
        path.unlink()


def measure_start(bench):
    ours, peer = [bench.assay, "--version"], [sys.executable, "-c", "pass"]
    for command in (ours, peer):
        bench.run(command)
    pairs = [(bench.run(ours), bench.run(peer)) for _ in range(40)]
    for kind, index in (("wall", 0), ("processor", 1)):
        ratio = statistics.median(a[index] / max(b[index], 1e-9) for a, b in pairs)
        bench.below(f"assay --version against python3 -c pass, {kind} time, 40 pairs", ratio, "times", 0.25)


def machine():
    model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown CPU")
    ripgrep = subprocess.run(["rg", "--version"], capture_output=True, text=True).stdout.split("\n")[0].split(" (")[0]
    protoc = subprocess.run(["protoc", "--version"], capture_output=True, text=True).stdout.strip()
    return f"{model}; Linux {platform.release()}; {ripgrep}; {protoc}; Python {platform.python_version()}"


def tables(bench):
    yield "| goal | measured | wanted | |"
    yield "| --- | --- | --- | --- |"
    for title, value, goal, met in bench.goals:
        yield f"| {title} | {value} | {goal} | {'met' if met else '**not met**'} |"
    if bench.jobs:
        yield ""
        yield "| job | MiB | wall s | processor s | GB/s | peak MiB |"
        yield "| --- | --- | --- | --- | --- | --- |"
        for name, size, wall, cpu, peak in bench.jobs:
            yield f"| {name} | {size / MIB:.0f} | {wall:.2f} | {cpu:.2f} | {size / cpu / 1e9:.2f} | {peak:.0f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--bytes", type=int, default=256 * MIB, help="size of the files of the speed jobs")
    parser.add_argument("--large", type=int, default=2048 * MIB, help="size of the logs of the memory jobs")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--record", type=pathlib.Path, help="puts the tables behind the marker line of this document")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("bench/work"), help="deleted at the end")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("assay", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True)  # never a folder that holds something
    bench = Bench(arguments)
    try:
        for part in arguments.only or PARTS:
            globals()[f"measure_{part}"](bench)
    finally:
        shutil.rmtree(arguments.work)
    lines = [f"{machine()}. {bench.rounds} rounds.", "", *tables(bench)]
    print("\n".join(lines))
    if arguments.record:
        marker = "<!-- measured -->\n"
        head, found, _ = arguments.record.read_text().partition(marker)
        if not found:
            sys.exit(f"{arguments.record} lacks the line {marker.strip()}")
        arguments.record.write_text(head + marker + "\n".join(lines) + "\n")
    sys.exit(0 if all(met for *_, met in bench.goals) else 1)


if __name__ == "__main__":
    main()
