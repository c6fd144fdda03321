"""Compares fixtures made just now with the committed ones; called by fixtures.py in the environment of the libraries.

Each kind of file has one rule for what "the same" means:

- zip checkpoints, safetensors, numpy: byte for byte; legacy checkpoints, which hold addresses: what torch.load returns
- event files: record for record (their writers see a frozen clock; only the order inside protobuf maps is free)
- .wandb: configuration, history, output and exit; times, host facts and generated ids do not count
- SQLite: the rows
- logs of torchrun: which ranks ended with which code, since which rank notices first is a race
- everything else is text: what a terminal would show at the end of each line, with times, rates, process ids, ports,
  addresses and temporary names masked, and fractions equal within TOLERANCE
"""

import io
import itertools
import math
import re
import sqlite3
import struct
import sys
from pathlib import Path

TOLERANCE = 0.02

# Files of which only the existence is compared: how a live display redraws itself depends on the clock.
UNCOMPARED = re.compile(r"\.rich\.terminal\.log$")

MASKS = [
    (r"\x1b\[[0-9;?]*[A-Za-z]", ""),
    (r"\d{4}-\d\d-\d\d[T_ ]\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:?\d\d)?", "<time>"),
    (r"\d{4}-\d\d-\d\d|\d{8}_\d{6}", "<date>"),
    (r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d", "<time>"),
    (r"\b[EWIF]\d{4} \d\d:\d\d:\d\d\.\d+", "<level time>"),
    (r"\[(\d+:)?\d\d:\d\d(<[^,\]]*)?, [^,\]]*", "[<progress>"),
    (r"\b\d+:\d\d:\d\d(\.\d+)?\b", "<duration>"),
    (r"\b1[5-9]\d{8}(\.\d+)?\b|\b1[5-9]\d{11}\b", "<epoch>"),
    (r"0x[0-9a-f]+", "<address>"),
    (r"\b(pid|PID)(\(s\))?([:= ]+)\d+", r"\1\2\3<pid>"),
    (r"\b\d+(\.\d+)?(ms|s|us)(/(step|it|epoch))?(?![A-Za-z])", "<took>"),
    (r"\b\d+(\.\d+)?(it|steps|batch)/s", "<rate>"),
    (r"(runtime|_per_second|elapsed|duration|seconds?)(['\"]?\s*[:=]\s*['\"]?)[\d.:e+-]+", r"\1\2<measured>"),
    (r"^\d+ (\S+\.json)$", r"<bytes> \1"),
]
MASKS = [(re.compile(pattern, re.MULTILINE), replacement) for pattern, replacement in MASKS]
FULL_BAR = re.compile(r"^.*100%\|[^\[]*\[<progress>")
BAR = re.compile(r"^.*(\d+%\||: \||\d+it )[^\[]*\[<progress>[^\]]*\]")
HEAVY_BAR = re.compile(r"^(?!(\d+)/\1 ).*[━╸╺]{3}")  # Keras and Rich; Keras's at n/n counts
RANK_ENDED = re.compile(r"^(rank|exitcode) :")
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")


def shown(line: str) -> str:
    """The last text written to this line that is not blank: a carriage return starts it again."""
    segments = [segment.replace("\b", "") for segment in line.split("\r")]
    return next((segment for segment in reversed(segments) if segment.strip()), "")


def masked_lines(content: bytes) -> list:
    text = content.decode("utf-8", errors="replace").replace("\r\n", "\n")
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    text = "\n".join(re.sub(r" +", " ", shown(line)) for line in text.split("\n"))
    for pattern, replacement in MASKS:
        text = pattern.sub(replacement, text)
    # A bar redraws as often as the clock allows: its state does not count before it is full, what is glued to it does.
    lines = [BAR.sub("", FULL_BAR.sub("100%", line)).strip() for line in text.split("\n")]
    return [line for line in lines if line and not HEAVY_BAR.search(line)]


def same_text(one: str, other: str) -> bool:
    if one == other:
        return True
    if NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return False
    return all(same_number(a, b) for a, b in zip(NUMBER.findall(one), NUMBER.findall(other)))


def same_number(one: str, other: str) -> bool:
    if one.lstrip("+-").isdigit() and other.lstrip("+-").isdigit():  # steps, counts, lines
        return int(one) == int(other)
    return math.isclose(float(one), float(other), rel_tol=TOLERANCE, abs_tol=1e-6)


def compare_text(name, made: bytes, committed: bytes):
    lines = [masked_lines(made), masked_lines(committed)]
    if name.endswith("/loader_worker_killed.log"):  # the signal interrupts whatever the loader is doing
        lines = [side[-1:] for side in lines]
    for number, (one, other) in enumerate(zip(*lines), 1):
        if not same_text(one, other):
            return f"line {number} (bars left out):\n    made      {one[:200]}\n    committed {other[:200]}"
    if len(lines[0]) != len(lines[1]):
        return f"{len(lines[0])} lines made, {len(lines[1])} committed (bars left out)"
    return None


def compare_wandb(name, made: bytes, committed: bytes):
    """What a run says: configuration, history and exit; the output as one text."""
    one, other = wandb_story(made), wandb_story(committed)
    if "killed" in name:  # where a block of the file ends depends on the length of numbers that are times
        for story in (one, other):
            story["history"] = story["history"][:30]
            story["output"] = story["output"][:300]
    for part in one:
        if one[part] != other[part]:
            return f"{part}:\n    made      {one[part]}\n    committed {other[part]}"
    return None


def wandb_story(content: bytes) -> dict:
    from wandb.proto import wandb_internal_pb2

    story = {"header": content[:7], "config": {}, "history": [], "output": "", "exit": None}
    for data in wandb_records(content):
        record = wandb_internal_pb2.Record.FromString(data)
        kind = record.WhichOneof("record_type")
        if kind == "run":
            story["config"].update({item.key: item.value_json for item in record.run.config.update})
        elif kind == "history":
            items = {".".join(item.nested_key) or item.key: item.value_json for item in record.history.item}
            story["history"].append({key: value for key, value in items.items() if key not in ("_timestamp", "_runtime")})
        elif kind == "output_raw":
            story["output"] += record.output_raw.line
        elif kind == "exit":
            story["exit"] = record.exit.exit_code
    return story


def wandb_records(content: bytes):
    """LevelDB log blocks of 32768 bytes, counted from the start of the file; ends where the file is cut."""
    offset, data = 7, b""
    while offset + 7 <= len(content):
        left = 32768 - offset % 32768
        if left < 7:
            offset += left
            continue
        _, length, kind = struct.unpack_from("<IHB", content, offset)
        data += content[offset + 7 : offset + 7 + length]
        offset += 7 + length
        if offset > len(content):
            return
        if kind in (1, 4):
            yield data
            data = b""


def compare_sqlite(name, made: bytes, committed: bytes):
    one, other = sqlite_text(made), sqlite_text(committed)
    return compare_text(name, one.encode(), other.encode())


def sqlite_text(content: bytes) -> str:
    connection = sqlite3.connect(":memory:")
    connection.deserialize(content)
    return "\n".join(sorted(line for line in connection.iterdump() if line.startswith("INSERT")))


def compare_torchrun(name, made: bytes, committed: bytes):
    one, other = ([line for line in masked_lines(side) if RANK_ENDED.search(line)] for side in (made, committed))
    return None if sorted(one) == sorted(other) else f"\n    made      {one}\n    committed {other}"


def compare_loaded(name, made: bytes, committed: bytes):
    import torch

    torch.set_printoptions(precision=9, threshold=1_000_000)
    one, other = (repr(torch.load(io.BytesIO(side), weights_only=True)) for side in (made, committed))
    return None if one == other else f"\n    made      {one}\n    committed {other}"


def compare_bytes(name, made: bytes, committed: bytes):
    if made == committed:
        return None
    at = next((i for i, (a, b) in enumerate(zip(made, committed)) if a != b), min(len(made), len(committed)))
    return f"bytes differ from offset {at} on ({len(made)} made, {len(committed)} committed)"


def compare_events(name, made: bytes, committed: bytes):
    if made == committed:
        return None
    for number, (one, other) in enumerate(itertools.zip_longest(events(made), events(committed))):
        if one != other:
            return f"record {number}:\n    made      {one}\n    committed {other}"
    return None


def events(content: bytes) -> list:
    """Every record of an event file as its Event and, where it has them, its hyperparameters decoded."""
    from google.protobuf.json_format import MessageToDict
    from tensorboard.compat.proto import event_pb2
    from tensorboard.plugins.hparams import plugin_data_pb2

    records, offset = [], 0
    while offset < len(content):
        (length,) = struct.unpack_from("<Q", content, offset)
        event = event_pb2.Event.FromString(content[offset + 12 : offset + 12 + length])
        hyperparameters = []
        for value in event.summary.value:
            if value.metadata.plugin_data.plugin_name == "hparams":
                hyperparameters.append(plugin_data_pb2.HParamsPluginData.FromString(value.metadata.plugin_data.content))
                value.metadata.plugin_data.ClearField("content")
        records.append((str(event), [MessageToDict(item) for item in hyperparameters]))
        offset += 16 + length
    return records


RULES = [
    (re.compile(r"tfevents"), compare_events),
    (re.compile(r"\.wandb$"), compare_wandb),
    (re.compile(r"\.db$"), compare_sqlite),
    (re.compile(r"^torchrun/.*/(train\.log|stderr\.log|error\.json)$"), compare_torchrun),
    (re.compile(r"/legacy\.pt$"), compare_loaded),
    (re.compile(r"\.(pt|pth|bin|safetensors|npy|npz|metadata|distcp)$"), compare_bytes),
    (re.compile(r""), compare_text),
]


def compare_folder(made: Path, committed: Path) -> list:
    files = [{str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()} for root in (made, committed)]
    problems = [f"{name}: not made any more" for name in sorted(files[1] - files[0])]
    problems += [f"{name}: not committed" for name in sorted(files[0] - files[1])]
    for name in sorted(files[0] & files[1]):
        full = f"{made.parent.name}/{made.name}/{name}"
        if UNCOMPARED.search(full):
            continue
        rule = next(function for pattern, function in RULES if pattern.search(full))
        try:
            problem = rule(full, (made / name).read_bytes(), (committed / name).read_bytes())
        except Exception as error:  # a reader of some library that cannot read one of the two
            problem = f"cannot be read: {error!r}"
        if problem:
            problems.append(f"{name}: {problem}")
    return problems


def main() -> int:
    made_root, committed_root, *folders = sys.argv[1:]
    failed = 0
    for folder in folders:
        problems = compare_folder(Path(made_root) / folder, Path(committed_root) / folder)
        print(f"{'DIFFERS' if problems else 'same   '} {folder}")
        for problem in problems:
            print(f"  {problem}")
        failed += bool(problems)
    print(f"{len(folders) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
