# SPDX-License-Identifier: Apache-2.0
"""Whole runs of tests/cases, cut and flipped at random places by fixed seeds: no crash, no hang, and no cause out of the damage."""
import os
import random
import shutil
import tomllib
from concurrent.futures import ThreadPoolExecutor

import whole_program
from whole_program import CASES, WholeProgram, main

ROUNDS = int(os.environ.get("ASSAY_TEST_ROUNDS", "150"))


def damage(chance, content):
    if not content:
        return content
    kind = chance.choice(("cut", "flip", "zero", "insert", "drop"))
    at = chance.randrange(len(content))
    out = bytearray(content)
    if kind == "cut":
        while at and content[at - 1] == 10:  # cut at the end of a line it is a shorter file, and nobody can tell
            at -= 1
        del out[at:]
    elif kind == "flip":
        for _ in range(chance.choice((1, 8, 40))):
            out[chance.randrange(len(out))] ^= 1 << chance.randrange(8)
    elif kind == "zero":
        length = min(len(out) - at, chance.choice((1, 512, 4096)))
        out[at:at + length] = bytes(length)
    elif kind == "insert":
        out[at:at] = bytes(chance.randrange(256) for _ in range(chance.choice((1, 10, 200))))
    else:
        del out[at:at + chance.choice((1, 10, 300))]
    return bytes(out)


class DamagedRuns(WholeProgram):
    maxDiff = None

    def examine(self, folder, run):
        done = self.diagnose(str(folder), "--no-case", "--format", "json", *(["--run", run] if run else []), timeout=60)
        return done, done.json() if done.out else None

    @staticmethod
    def causes(report):
        return {h["cause"] for h in report["hypotheses"] if h["status"] in ("supported", "confirmed")}

    def test_no_crash_and_no_cause_out_of_the_damage(self):
        cases = sorted(path.parent for path in CASES.glob("*/expected.toml"))
        known = {}

        def one(number):
            chance = random.Random(number)
            case = chance.choice(cases)
            expected = tomllib.loads((case / "expected.toml").read_text())
            run = expected.get("run")
            if case not in known:
                known[case] = self.causes(self.examine(case / "run", run)[1]) | set(expected["cause_ids"])
            copy = self.home / str(number) / "run"
            shutil.copytree(case / "run", copy)
            files = sorted(path for path in copy.rglob("*") if path.is_file())
            for path in chance.sample(files, min(len(files), chance.choice((1, 1, 2)))):
                path.write_bytes(damage(chance, path.read_bytes()))
            done, report = self.examine(copy, run)
            if done.status not in (0, 1, 2):
                return f"round {number}, {case.name}: status {done.status} {done.err[:2000]}"
            if report is None:
                return None if "error: no run" in done.err else f"round {number}, {case.name}: {done.err[:500]}"
            new = self.causes(report) - known[case]
            if new:
                return f"round {number}, {case.name}: {new} out of damage"
            shutil.rmtree(copy.parent)
            return None

        with ThreadPoolExecutor(2) as pool:
            self.assertEqual([what for what in pool.map(one, range(ROUNDS)) if what], [])

    def test_the_same_bytes_give_the_same_report(self):
        """Whatever the locale, the time zone, the place for temporary files and the order of the folder's entries."""
        names = ["run/" + str(p.relative_to(CASES / "x-benign-01" / "run")) for p in (CASES / "x-benign-01" / "run").rglob("*")
                 if p.is_file()]
        reports = set()
        for i, environment in enumerate(({}, {"LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Kolkata"}, {"LC_ALL": "C", "TZ": "Pacific/Apia"},
                                         {"TMPDIR": "/nonexistent", "COLUMNS": "0", "LC_ALL": "none"})):
            shutil.rmtree(self.project)
            random.Random(i).shuffle(names)
            for name in names:
                self.write(name, (CASES / "x-benign-01" / name).read_bytes())
                os.utime(self.project / name, (1700000000, 1700000000))
            reports.add(self.diagnose("run", "--format", "json", environment=self.environment(**environment)).out)
        self.assertEqual(len(reports), 1)


class ChangingFiles(WholeProgram):
    def test_files_that_grow_shrink_and_vanish_while_they_are_read(self):
        import threading
        stop = threading.Event()

        def churn():
            chance = random.Random(3)
            while not stop.is_set():
                for name in ("a.log", "b.log", "m.jsonl", "checkpoint-1/model.pt"):
                    self.write(name, os.urandom(10) + whole_program.FAILED.encode() * chance.randrange(1, 200))
                    if chance.random() < 0.3:
                        os.truncate(self.project / name, chance.randrange(100))
                    if chance.random() < 0.3:
                        os.unlink(self.project / name)

        self.write("train.log", whole_program.FAILED)
        thread = threading.Thread(target=churn)
        thread.start()
        try:
            for _ in range(10):
                self.assertIn(self.diagnose("--no-case").status, (0, 1, 2))
        finally:
            stop.set()
            thread.join()


if __name__ == "__main__":
    main()
