#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fail when a document names a path of the repository, or a ./dev command, that does not exist."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PATH = re.compile(r"`((?:src|tests|tools|docs|knowledge|cmake|fuzz|bench|agent|zoo)/[A-Za-z0-9_./-]*)`")
COMMAND = re.compile(r"`\./dev ([a-z]+)")


def main():
    commands = set(re.findall(r"^cmd_([a-z]+)\(\)", (ROOT / "dev").read_text(), re.M))
    documents = subprocess.run(["git", "ls-files", "--", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    problems = []
    for name in documents:
        if name.startswith(("docs/reference/", "tests/cases/", "tests/data/")):
            continue
        for number, line in enumerate((ROOT / name).read_text().splitlines(), 1):
            for path in PATH.findall(line):
                if "<" not in path and not (ROOT / path).exists() and "planned" not in line:
                    problems.append(f"{name}:{number}: {path} does not exist")
            for command in COMMAND.findall(line):
                if command not in commands:
                    problems.append(f"{name}:{number}: ./dev {command} does not exist")
    print("\n".join(problems) or f"{len(documents)} documents name nothing that is not there")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
