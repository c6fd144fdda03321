# SPDX-License-Identifier: Apache-2.0
"""What the tests of the whole program share: they run the executable named as the first argument, in folders of their own."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ASSAY = str(pathlib.Path(sys.argv.pop(1)).resolve())
CASES = pathlib.Path(__file__).resolve().parent.parent / "cases"

STEPS = "".join(f"step {i} loss {3 / (1 + i * 0.01):.4f} lr 1e-4\n" for i in range(0, 1000, 10))
TRACEBACK = 'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n    x\nValueError: bad\n'
FAILED = STEPS + TRACEBACK


class Done:
    def __init__(self, done):
        self.status = done.returncode
        self.raw = done.stdout
        self.out = done.stdout.decode("utf-8")
        self.err = done.stderr.decode("utf-8", "replace")

    def json(self):
        return json.loads(self.out)


class WholeProgram(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.mkdtemp(prefix="assay-test-")
        self.addCleanup(shutil.rmtree, temporary, ignore_errors=True)
        self.home = pathlib.Path(temporary) / "home"
        self.project = pathlib.Path(temporary) / "project"
        self.home.mkdir()
        self.project.mkdir()

    def environment(self, **changes):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.home), "LC_ALL": "C.UTF-8"}
        environment.update({name: os.environ[name] for name in os.environ if name.endswith("SAN_OPTIONS")})
        environment.update(changes)
        return {name: value for name, value in environment.items() if value is not None}

    def assay(self, *arguments, environment=None, timeout=30, **options):
        options.setdefault("capture_output", True)
        done = subprocess.run([ASSAY, *arguments], cwd=self.project, env=environment or self.environment(),
                              timeout=timeout, stdin=subprocess.DEVNULL, **options)
        if not options["capture_output"]:
            return done
        self.assertNotRegex(done.stderr, rb"runtime error:|Sanitizer:|assay: bug:")
        return Done(done)

    def diagnose(self, *arguments, **options):
        """The artifacts alone, so that the machine of the test says nothing."""
        return self.assay("--no-probes", *arguments, **options)

    def report(self, *arguments, **options):
        return self.diagnose("--format", "json", *arguments, **options).json()

    def write(self, name, content):
        path = os.path.join(os.fsencode(self.project), name if isinstance(name, bytes) else name.encode())
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        return path

    def assertHarmless(self, raw):
        """No byte that drives a terminal, and UTF-8 throughout."""
        text = raw.decode("utf-8")
        for character in text:
            code = ord(character)
            self.assertFalse(code < 32 and character != "\n" or 127 <= code < 160 or 0x202A <= code <= 0x202E or
                             0x2066 <= code <= 0x2069, f"U+{code:04X} in {text[:200]!r}")

    def assertLeftOut(self, report, what, why=""):
        gaps = [f"{g['what']} ({g['why']})" for g in report["not_checked"]]
        self.assertTrue(any(what in gap and why in gap for gap in gaps), gaps[:8])


def main():
    unittest.main(verbosity=1)
