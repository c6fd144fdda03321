# SPDX-License-Identifier: Apache-2.0
"""Folders that a stranger, a crash or a cluster left: nothing of them crashes, hangs, drives a terminal or is passed over in silence."""
import gzip
import json
import os
import socket
import time
import unittest

from whole_program import FAILED, STEPS, WholeProgram, main

NAMES = [b"a\nb.log", b"a\x1b[31mred\x1b[0m.log", b"\xff\xfe\x80.log", b"x" * 251 + b".log", b"--help.log", b"-rf.log",
         b"--run=x.log", b"a\rb.log", b"`id`.log", b"<script>alert(1)<script>.log", "\u202egol.exe.log".encode(),
         b"[x](http:evil).log", b"%s%n{}.log", b"*.log", b" .log"]
HOSTILE_LINE = "\x1b]0;owned\x07\x1b[2J <img src=x onerror=alert(1)> [a](http://evil) `x` \u202e\u2066 " + "y" * 5000 + "\n"


class Names(WholeProgram):
    def test_names_and_lines_are_disarmed_in_every_format(self):
        for name in NAMES:
            self.write(name, FAILED.replace("ValueError: bad", "ValueError: " + HOSTILE_LINE))
        for form in ("terminal", "markdown", "json"):
            done = self.diagnose("--format", form)
            self.assertEqual(done.status, 1, done.err)
            self.assertHarmless(done.raw)
            if form == "markdown":
                self.assertNotRegex(done.out, r"(?m)^[^`]*(?<!\\)<img")
        case = json.loads(done.out)["case"]
        self.assertHarmless(self.assay("list", "runs").raw)
        # A name that is no text is found again.
        verified = self.assay("verify", case)
        self.assertEqual(verified.status, 0, verified.out)

    def test_a_folder_of_such_a_name_is_listed_harmlessly(self):
        self.write(b"runs/\x1b[31mr\n/train.log", FAILED)
        self.assertHarmless(self.assay("list", "runs").raw)


class Special(WholeProgram):
    def test_what_is_no_file_is_said(self):
        self.write("train.log", FAILED)
        os.symlink(".", self.project / "loop")
        os.symlink("self.log", self.project / "self.log")
        os.symlink("/dev/zero", self.project / "zero.log")
        os.symlink("nowhere", self.project / "gone.log")
        os.mkfifo(self.project / "pipe.log")
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        previous = os.getcwd()
        os.chdir(self.project)
        listener.bind("socket.log")
        os.chdir(previous)
        report = self.report()
        for name in ("zero.log", "pipe.log", "socket.log"):
            self.assertLeftOut(report, name, "neither a file nor a folder")
        for name in ("gone.log", "self.log"):
            self.assertLeftOut(report, name, "leads nowhere")

    def test_what_no_reader_understands_is_said(self):
        self.write("train.log", FAILED)
        self.write("notes.json", b"\0\1\2" * 100)
        self.assertLeftOut(self.report(), "1 file that no reader of assay understands", "notes.json")

    @unittest.skipIf(os.geteuid() == 0, "root reads everything")
    def test_an_unreadable_file_is_named_and_is_the_exit_status(self):
        self.write("train.log", STEPS + "training finished\n")
        os.chmod(self.write("more.log", STEPS), 0)
        done = self.diagnose("--format", "json")
        self.assertEqual(done.status, 2)
        self.assertTrue(any(a["kind"] == "unreadable" and a["source"] == "more.log" for a in done.json()["anomalies"]))

    def test_no_run_says_what_was_looked_for(self):
        done = self.diagnose()
        self.assertEqual(done.status, 2)
        self.assertIn("looked for *.log", done.err)


class Crowds(WholeProgram):
    def test_a_data_set_beside_the_run_is_left_out_and_said(self):
        self.write("train.log", FAILED)
        os.mkdir(self.project / "frames")
        for i in range(20100):
            os.mknod(self.project / "frames" / f"{i}.txt")
        began = time.monotonic()
        report = self.report()
        self.assertLess(time.monotonic() - began, 5)  # a second on an idle machine
        self.assertLeftOut(report, "frames", "taken for a data set")

    def test_thousands_of_logs_are_no_data_set(self):
        for i in range(4500):
            self.write(f"runs/big/rank_{i}.log", FAILED if i == 4321 else "step 1 loss 2\n")
        report = self.report(timeout=60)
        self.assertEqual(report["classes"][0]["id"], "crash")
        self.assertTrue(any(e["source"] == "runs/big/rank_4321.log" for e in report["evidence"]))

    def test_the_log_of_a_crowded_project_is_found_whatever_its_place_in_the_folder(self):
        for i in range(4200):
            os.mknod(self.project / f"{i:05}.txt")
        self.write("train.log", FAILED)
        report = self.report()
        self.assertEqual(report["classes"][0]["id"], "crash")
        self.assertLeftOut(report, ".", "only what is named like a log")

    def test_folders_too_deep_are_said(self):
        self.write("train.log", FAILED)
        self.write("/".join(["d"] * 12).lstrip("/") + "/train.log", FAILED)
        self.assertLeftOut(self.report(), "d/d/d", "folders deep")

    def test_many_anomalies_do_not_bury_the_report(self):
        self.write("train.log", FAILED)
        for i in range(200):
            self.write(f"checkpoint-{i}/model.pt", b"PK\3\4junk")
        done = self.diagnose()
        self.assertIn("190 more anomalies", done.out.replace("\n", " ").replace("  ", " "))
        self.assertEqual(len(self.report()["anomalies"]), 200)


class Sizes(WholeProgram):
    def test_terabytes_of_nothing(self):
        self.write("train.log", STEPS)
        self.write("hole.log", STEPS)
        self.write("tail.log", STEPS)
        self.write("events.out.tfevents.1.h", b"")
        for name in ("hole.log", "events.out.tfevents.1.h", "model.pt", "a.csv", "a.jsonl", "a.wandb"):
            with open(self.project / name, "ab") as file:
                file.truncate(1 << 40)
        with open(self.project / "tail.log", "r+b") as file:
            file.seek(1 << 40)
            file.write(b"x\n" + FAILED.encode())
        report = self.report(timeout=30)
        lost = {a["source"]: a["bytes_lost"] for a in report["anomalies"] if a["kind"] == "lost-bytes"}
        self.assertGreater(lost["hole.log"], 1 << 39)
        self.assertTrue(any(e["source"] == "tail.log" and e["quote"] == "ValueError: bad" for e in report["evidence"]))

    def test_a_log_of_blank_lines(self):
        for name, content in (("a.log", b"\n" * 100000), ("b.log", b"\r" * 100000), ("c.log", b" "), ("d.log", b"\0" * 5000)):
            self.write(name, content)
        self.assertEqual(self.diagnose().status, 1)

    def test_lines_without_end(self):
        for name, byte in (("a.log", b"a"), ("b.log", b"\b"), ("c.log", b"{"), ("d.log", b"\x1b[")):
            self.write(name, byte * (4 << 20))
        self.assertEqual(self.diagnose(timeout=60).status, 1)

    def test_a_cut_gzip_log_is_used_as_far_as_it_goes(self):
        # What a random tail keeps from being packed away stands behind the text.
        packed = gzip.compress(FAILED.encode() + os.urandom(5000).hex().encode(), mtime=0)
        self.write("train.log.gz", packed[:-2000])
        report = self.report()
        self.assertTrue(any(a["kind"] == "truncated" and "cut" in a["statement"] for a in report["anomalies"]))
        self.assertTrue(any("ValueError" in f["statement"] for f in report["findings"]))


class Numbers(WholeProgram):
    def test_numbers_beyond_any_count_make_no_plan(self):
        self.write("train.log", STEPS)
        self.write("config.json", '{"max_steps": 1e400, "step": -1e999}')
        report = self.report()
        self.assertEqual(report["verdict"], "undetermined")

    def test_steps_at_the_edge_of_the_integers(self):
        edge = "".join(f"step {n} loss 2.0\n" for n in (9223372036854775807, -9223372036854775808, 9223372036854775806, 3))
        self.write("train.log", edge)
        self.write("m.jsonl", "".join('{"step": %s, "loss": 2.0}\n' % n for n in ("9223372036854775807", "1e300", "-1e300", "NaN")))
        self.write("m.csv", "step,loss,epoch\n9223372036854775807,2,1e308\n-9223372036854775808,1,-1e308\n")
        self.write("checkpoint-999999999999999/pytorch_model.bin", b"PK\3\4")
        self.assertIn(self.diagnose().status, (0, 1))


class Nothing(WholeProgram):
    def test_nothing_that_is_read_is_executed(self):
        import pickle
        import zipfile

        proof = self.home / "executed"

        class Evil:
            def __reduce__(self):
                return (os.system, (f"touch {proof}",))

        self.write("train.log", FAILED)
        with zipfile.ZipFile(self.project / "model.pt", "w") as archive:
            archive.writestr("archive/data.pkl", pickle.dumps({"state": Evil()}))
        self.write("a.ckpt", pickle.dumps(Evil()))
        self.write("configs/a.yaml", f'a: !!python/object/apply:os.system ["touch {proof}"]\n')
        self.write("b.yaml", "a: &a [x, x]\n" + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n"
                                                        for i in range(20)))
        self.diagnose()
        self.assertFalse(proof.exists())


if __name__ == "__main__":
    main()
