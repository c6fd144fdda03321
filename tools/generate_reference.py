#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write docs/reference from the program itself: generate_reference.py ASSAY FOLDER [--check].

Every page is what `assay list`, `assay explain` and `assay … --help` print, so it cannot say anything else than the program.
"""
import json
import pathlib
import re
import subprocess
import sys


def ask(assay, *words):
    return subprocess.run([assay, *words], capture_output=True, check=True, text=True, env={"TERM": "dumb", "HOME": "/nonexistent"}).stdout


def deeper(page):
    """A page inside a page: its headings one level down."""
    return "".join("#" + line if line.startswith("#") else line for line in page.splitlines(keepends=True))


def catalogue_pages(assay):
    pages = {}
    index = []
    for name in ["classes", "causes", "findings", "rules", "axes", "smokes", "signatures", "probes", "formats", "dialects", "reports"]:
        entries = json.loads(ask(assay, "list", name, "--format", "json"))
        index.append((name, len(entries)))
        groups = {}
        for entry in entries:
            groups.setdefault(entry["group"] or "", []).append(entry["id"])
        for group, ids in sorted(groups.items()):
            path = f"{name}/{group}.md" if group else f"{name}.md"
            head = f"# {name.capitalize()}{': ' + group if group else ''}\n\n"
            pages[path] = head + "\n".join(deeper(ask(assay, "explain", i)) for i in ids)
    return pages, index


def command_page(assay):
    overview = ask(assay, "--help")
    names = re.findall(r"^  (\w+)", overview.split("Commands:\n")[1].split("\n\n")[0], re.MULTILINE)  # further lines stand deeper
    page = "# Command line\n\n```\n" + overview + "```\n"
    for name in names:
        page += f"\n## assay {name}\n\n```\n{ask(assay, name, '--help')}```\n"
    return page


def main():
    assay, folder, check = sys.argv[1], pathlib.Path(sys.argv[2]), "--check" in sys.argv
    pages, index = catalogue_pages(assay)
    pages["command-line.md"] = command_page(assay)
    pages["README.md"] = ("# Reference\n\nMade from the program by `./dev docs`; `./dev docs --check` fails when it is out of date.\n\n"
                          + "".join(f"- {name}: {count}\n" for name, count in index) + "- [command line](command-line.md)\n"
                          "- [the JSON report](../formats/report.md)\n- [exit codes](../formats/exit-codes.md)\n")
    present = {p.relative_to(folder).as_posix() for p in folder.rglob("*.md")} if folder.exists() else set()
    stale = sorted(p for p in pages if not (folder / p).exists() or (folder / p).read_text() != pages[p])
    extra = sorted(present - set(pages))
    if check:
        for page in stale:
            print(f"docs/reference/{page}: out of date; run ./dev docs")
        for page in extra:
            print(f"docs/reference/{page}: nothing makes this page any more")
        print(f"{len(pages)} reference pages, {len(stale) + len(extra)} out of date")
        return 1 if stale or extra else 0
    for page in extra:
        (folder / page).unlink()
    for page, text in pages.items():
        (folder / page).parent.mkdir(parents=True, exist_ok=True)
        (folder / page).write_text(text)
    print(f"{len(pages)} reference pages written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
