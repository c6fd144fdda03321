# SPDX-License-Identifier: Apache-2.0
"""What is kept stays: whoever kills assay, fills the disk, writes at the same time or puts links and lies into the state folder."""
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

import whole_program
from whole_program import FAILED, WholeProgram, main


def chained(entries):
    """A ledger of these (kind, body) with a chain that holds."""
    last, lines = "", []
    for kind, body in entries:
        last = hashlib.sha256(f"{last}\n{kind}\n{body}".encode()).hexdigest()
        lines.append('{"kind":"%s","body":%s,"hash":"%s"}\n' % (kind, body, last))
    return "".join(lines)


class KeptCase(WholeProgram):
    def setUp(self):
        super().setUp()
        self.write("train.log", FAILED)

    def case(self, **options):
        return self.report(**options)["case"]

    def ledger(self, case):
        return self.project / ".assay" / "cases" / case / "ledger.jsonl"

    def assertVerified(self, case):
        done = self.assay("verify", case)
        self.assertEqual(done.status, 0, done.out + done.err)
        self.assertIn("the chain is whole", done.out)
        return done.out


class Links(KeptCase):
    def test_a_link_does_not_choose_where_the_state_lies(self):
        victim = self.home / "victim"
        victim.mkdir()
        os.symlink(victim, self.project / ".assay")
        self.assertVerified(self.case())
        self.assertEqual(os.listdir(victim), [])

    def test_a_file_in_the_place_of_the_state_folder(self):
        self.write(".assay", "mine")
        self.assertVerified(self.case())
        self.assertEqual((self.project / ".assay").read_text(), "mine")

    def test_links_inside_the_state_folder_are_not_followed(self):
        case = self.case()
        victim = self.home / "victim"
        for path in (self.ledger(case), self.project / ".assay" / ".gitignore"):
            path.unlink()
            os.symlink(victim, path)
            self.assertIn("cannot write a file of the case", self.diagnose().err)
            self.assertFalse(victim.exists())
            path.unlink()
        shutil.rmtree(self.project / ".assay" / "cases")
        victim.mkdir()
        os.symlink(victim, self.project / ".assay" / "cases")
        self.assertIn("cannot make a folder for the case", self.diagnose().err)
        self.assertEqual(os.listdir(victim), [])

    def test_what_is_no_file_does_not_hang_the_writing(self):
        path = self.ledger(self.case())
        for make in (os.mkfifo, os.mkdir):
            path.unlink()
            make(path)
            done = self.diagnose(timeout=20)
            self.assertEqual(done.status, 1)
            self.assertIn("cannot write a file of the case", done.err)


class Homes(KeptCase):
    def test_without_a_home_nothing_is_written_anywhere(self):
        self.write(".assay", "no folder")
        for environment in ({"HOME": None}, {"HOME": ""}, {"HOME": "relative"}, {"HOME": None, "XDG_STATE_HOME": "relative"}):
            done = self.diagnose(environment=self.environment(**environment))
            self.assertEqual(done.status, 1)
            self.assertIn("the case was not kept", done.err)
            self.assertEqual(sorted(os.listdir(self.project)), [".assay", "train.log"])


class Damage(KeptCase):
    def test_a_changed_entry_is_named(self):
        case = self.case()
        path = self.ledger(case)
        lines = path.read_text().splitlines(True)
        path.write_text("".join(lines[:2]) + lines[2].replace("step", "stop", 1) + "".join(lines[3:]))
        done = self.assay("verify", case)
        self.assertEqual(done.status, 1)
        self.assertIn("entry 3 does not match its hash", done.out)
        self.assertIn("entry 3 does not match its hash", self.assay("report", case).err)
        # The next reading of the run makes it anew and keeps what was there.
        self.assertEqual(self.case(), case)
        self.assertVerified(case)
        self.assertTrue(path.with_name("ledger.jsonl.broken-1").exists())

    def test_what_is_no_ledger(self):
        case = self.case()
        path = self.ledger(case)
        for content in (b"", b"\n", b"\0" * 1000, b"[" * 100000, b'{"kind":"report","body":' + b"[" * 100000 + b"\n",
                        b'{"kind":"report","body":{"report":5},"hash":"x"}\n'):
            path.write_bytes(content)
            self.assertIn(self.assay("report", case).status, (1, 2))
            self.assertIn(self.assay("verify", case).status, (1, 2))
            self.assertEqual(self.case(), case)
            self.assertVerified(case)

    def test_a_forged_chain_is_printed_harmlessly(self):
        case = self.case()
        path = self.ledger(case)
        entry = json.loads(path.read_text().splitlines()[-1])
        evil = "\x1b[2J\u202e\nX"

        def poison(value):
            if isinstance(value, dict):
                return {key: poison(inner) for key, inner in value.items()}
            if isinstance(value, list):
                return [poison(inner) for inner in value]
            return value + evil if isinstance(value, str) else value

        for body in (json.dumps(poison(entry["body"])), "[" * 200000 + "]" * 200000, '{"report":' * 100000 + "1" + "}" * 100000):
            path.write_text(chained([("report", body)]))
            for arguments in (["report", case], ["report", case, "--format", "markdown"], ["report", case, "--format", "json"],
                              ["verify", case]):
                done = self.assay(*arguments)
                self.assertIn(done.status, (0, 1, 2), done.err)
                self.assertHarmless(done.raw)


class FullDisk(KeptCase):
    @unittest.skipIf(os.geteuid() != 0, "mounting a small file system needs root")
    def test_a_full_disk_keeps_nothing_half(self):
        state = self.home / "state"
        state.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", state], capture_output=True).returncode != 0:
            self.skipTest("no file system can be mounted here")
        self.addCleanup(subprocess.run, ["umount", state], capture_output=True)
        (state / "ballast").write_bytes(b"x" * 50000)
        for _ in range(3):
            done = self.diagnose("--state", str(state))
            self.assertEqual(done.status, 1)
            self.assertIn("No space left", done.err)
        (state / "ballast").unlink()
        case = self.case_in(state)
        self.assertEqual(os.listdir(state / "cases" / case), ["ledger.jsonl"])
        self.assertEqual(self.assay("verify", case, "--state", str(state)).status, 0)

    def case_in(self, state):
        return self.report("--state", str(state))["case"]


class Outputs(KeptCase):
    def test_a_report_that_nobody_gets_is_no_success(self):
        with open("/dev/full", "wb") as full:
            done = self.assay("--no-probes", capture_output=False, stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"not all of the output could be written", done.stderr)
        closed = subprocess.run(["sh", "-c", '"$0" --no-probes >&-', whole_program.ASSAY], cwd=self.project,
                                env=self.environment(), capture_output=True)
        self.assertEqual(closed.returncode, 2)
        self.assertIn(b"not all of the output could be written", closed.stderr)
        subprocess.run(["sh", "-c", '"$0" --no-probes >&- 2>&- <&-', whole_program.ASSAY], cwd=self.project,
                       env=self.environment())
        case = self.case()
        self.assertVerified(case)
        self.assertEqual(len(self.ledger(case).read_text().splitlines()),
                         sum(line.startswith('{"kind":"') for line in self.ledger(case).read_text().splitlines()))

    def test_a_reader_that_leaves_early_is_no_failure(self):
        for i in range(40):
            self.write(f"rank_{i}.log", FAILED)
        done = subprocess.run(["bash", "-c", '"$0" --no-probes --format json | head -c 100; exit ${PIPESTATUS[0]}',
                               whole_program.ASSAY], cwd=self.project, env=self.environment(), capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (1, b""))


class Kills(KeptCase):
    def start(self, *arguments):
        return subprocess.Popen([whole_program.ASSAY, "--no-probes", "--format", "json", *arguments], cwd=self.project,
                                env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def test_killed_at_any_moment(self):
        os.makedirs(self.project / "docs" / "ops" / "runs")
        began = time.monotonic()
        case = self.case()
        whole = time.monotonic() - began
        note = next((self.project / "docs" / "ops" / "runs").iterdir())
        note_text = note.read_text()
        chance = random.Random(1)
        acknowledged = set()
        for i in range(int(os.environ.get("ASSAY_TEST_ROUNDS", "25"))):
            # Another case each time, so that there is something to write; at times the note is new as well.
            self.write("train.log", FAILED + f"note {i}\n")
            if i % 3 == 0 and note.exists():
                note.unlink()
            running = self.start()
            time.sleep(chance.uniform(0, whole))
            running.send_signal(signal.SIGKILL)
            output = running.communicate()[0]
            try:
                acknowledged.add(json.loads(output)["case"])
            except ValueError:
                pass
            if note.exists():
                self.assertTrue(note.read_text().endswith("`\n"), "half a note")
        for kept in acknowledged:
            self.assertIn(self.assay("report", kept).status, (0, 1))
        # What stands in the state folder holds or is a beginning; the next call works and leaves one note and nothing else.
        self.write("train.log", FAILED)
        self.assertEqual(self.case(), case)
        self.assertVerified(case)
        self.assertEqual(note.read_text(), note_text)
        self.assertEqual([p.name for p in note.parent.iterdir()], [note.name])
        left = {p.name for p in (self.project / ".assay").rglob("*") if p.is_file()}
        self.assertEqual(left, {".gitignore", "ledger.jsonl"})
        self.assertEqual((self.project / ".assay" / ".gitignore").read_text(), "*\n")

    def test_a_cut_ledger_goes_on_where_it_was_whole(self):
        case = self.case()
        path = self.ledger(case)
        whole = path.read_bytes()
        for length in range(0, len(whole), max(1, len(whole) // 25)):
            path.write_bytes(whole[:length])
            self.assertEqual(self.case(), case)
            self.assertVerified(case)
            self.assertTrue(path.read_bytes().startswith(whole[:whole[:length].rfind(b"\n") + 1]))
        self.assertEqual(os.listdir(path.parent), ["ledger.jsonl"])

    def test_several_at_the_same_time(self):
        for _ in range(3):
            shutil.rmtree(self.project / ".assay", ignore_errors=True)
            running = [self.start() for _ in range(6)] + [self.start("--mode", "oom") for _ in range(2)]
            cases = {json.loads(process.communicate()[0])["case"] for process in running}
            self.assertEqual(len(cases), 1)
            case = cases.pop()
            self.assertVerified(case)
            self.assertEqual(os.listdir(self.ledger(case).parent), ["ledger.jsonl"])


if __name__ == "__main__":
    main()
