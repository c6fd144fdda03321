#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run the console transcripts: run_transcripts.py ASSAY FILE-OR-FOLDER… [--accept].

A transcript is a Markdown file. A block fenced as ```console holds commands after "$ " and what they print (standard output and
error, in that order); "[exit N]" stands after a command whose status is not 0. Commands run in a fresh copy of the folder that
the line "<!-- cwd: PATH -->" above the block names (relative to the repository), else in an empty one. What cannot be equal is
normalised here and nowhere else: the copy's path, the version, times of files.
"""
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def normalise(text, cwd):
    text = text.replace(str(cwd), "<cwd>")
    text = re.sub(r"\bassay \d+\.\d+\.\d+", "assay <version>", text)
    return re.sub(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z", "<time>", text)


def run_block(assay, lines, cwd):
    """The block as it should read."""
    out = []
    for command in (line[2:] for line in lines if line.startswith("$ ")):
        env = {"PATH": f"{assay.parent}:{os.environ['PATH']}", "HOME": str(cwd / "home"), "LC_ALL": "C.UTF-8", "TERM": "dumb"}
        done = subprocess.run(["bash", "-c", command], cwd=cwd, env=env, capture_output=True, timeout=60)
        text = normalise((done.stdout + done.stderr).decode(errors="replace"), cwd)
        out.append("$ " + command)
        out += text.splitlines()
        if done.returncode != 0:
            out.append(f"[exit {done.returncode}]")
    return out


def check_file(path, assay, accept):
    lines = path.read_text().split("\n")
    out, folder, i, cwd = [], None, 0, None
    with tempfile.TemporaryDirectory() as temporary:
        count = 0
        while i < len(lines):
            match = re.fullmatch(r"<!-- cwd: (\S+) -->", lines[i])
            if match:
                folder, cwd = match.group(1), None
            out.append(lines[i])
            if lines[i].strip() == "```console":
                end = lines.index("```", i)
                if cwd is None:
                    count += 1
                    cwd = pathlib.Path(temporary) / f"project{count}"
                    if folder:
                        shutil.copytree(ROOT / folder, cwd)
                    else:
                        cwd.mkdir()
                out += run_block(assay, lines[i + 1:end], cwd)
                out.append("```")
                i = end
            i += 1
    if out == lines:
        return True
    sys.stdout.writelines(difflib.unified_diff([l + "\n" for l in lines], [l + "\n" for l in out], f"{path} (expected)", f"{path} (printed)"))
    if accept:
        path.write_text("\n".join(out))
    return accept


def main():
    accept = "--accept" in sys.argv
    arguments = [a for a in sys.argv[1:] if a != "--accept"]
    assay = pathlib.Path(arguments[0]).resolve()
    files = sorted(f for name in arguments[1:] for f in ([ROOT / name] if name.endswith(".md") else (ROOT / name).rglob("*.md")))
    failed = [f for f in files if not check_file(f, assay, accept)]
    print(f"{len(files) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
