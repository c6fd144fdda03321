#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fail when a folder of src/ includes from a folder that it must not see. The table is ARCHITECTURE.md's picture as data."""
import pathlib
import re
import sys

SEES = {
    "base": [],
    "knowledge": ["base"],
    "platform": ["base"],
    "evidence/facts": ["base", "knowledge"],
    "evidence/codecs": ["base", "platform", "evidence/facts"],
    "evidence/dialects": ["base", "evidence/facts", "evidence/codecs"],
    "evidence/logs": ["base", "knowledge", "platform", "evidence/facts", "evidence/codecs", "evidence/dialects"],
    "evidence/listings": ["base", "knowledge", "platform", "evidence/facts", "evidence/codecs", "evidence/logs"],
    "evidence/formats": ["base", "platform", "evidence/facts", "evidence/codecs", "evidence/logs", "evidence/listings"],
    "evidence/ties": ["base", "knowledge", "platform", "evidence/facts", "evidence/codecs"],
    "evidence/probes": ["base", "knowledge", "platform", "evidence/facts", "evidence/codecs", "evidence/logs", "evidence/listings", "evidence/ties"],
    "evidence/probing": ["base", "platform", "evidence/facts", "evidence/probes", "evidence/ties"],
    "evidence/discovery": ["base", "platform", "evidence/facts", "evidence/codecs", "evidence/logs", "evidence/formats"],
    "reasoning": ["base", "knowledge", "evidence/facts"],
    "case": ["base", "knowledge", "platform", "evidence/facts", "evidence/codecs", "evidence/discovery", "reasoning"],
    "surfaces": ["base", "knowledge", "platform", "evidence/facts", "evidence/logs", "evidence/formats", "evidence/dialects", "evidence/probes",
                 "evidence/probing", "evidence/ties", "evidence/discovery", "reasoning", "case"],
}
# A catalogue's folder holds its interface and its entries, and no entry has a header.
CATALOGUES = {"evidence/formats": "format.h", "evidence/dialects": "dialect.h", "evidence/probes": "probe.h", "reasoning/rules": "rule.h",
              "reasoning/classes": "failure_class.h", "surfaces/reports": "report_format.h", "surfaces/commands": "command.h"}


def layer(path):
    return max((name for name in SEES if path == name or path.startswith(name + "/")), key=len, default=None)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent / "src"
    problems = []
    for path in sorted(root.rglob("*.cc")) + sorted(root.rglob("*.h")):
        name = path.relative_to(root).as_posix()
        own = layer(name)
        if own is None:
            if name != "main.cc":
                problems.append(f"src/{name}: in no layer of the table")
            continue
        folder = path.parent.relative_to(root).as_posix()
        if folder in CATALOGUES and path.suffix == ".h" and path.name != CATALOGUES[folder]:
            problems.append(f"src/{name}: a catalogue's folder holds entries only; move what is shared down")
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'#include "([^"]+)"', line)
            seen = layer(match.group(1)) if match else None
            if seen and seen != own and seen not in SEES[own]:
                problems.append(f"src/{name}:{number}: {own} must not see {seen}")
    print("\n".join(problems) or "layers hold")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
