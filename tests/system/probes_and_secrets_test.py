# SPDX-License-Identifier: Apache-2.0
"""Probes that hang are named and leave nothing behind; no secret is printed or kept."""
import os
import pathlib
import signal
import subprocess
import time
import unittest

import whole_program
from whole_program import FAILED, STEPS, WholeProgram, main


def processes_with(marker):
    """Ids of the processes whose command line or environment holds these bytes."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and (marker in (folder / "cmdline").read_bytes() or marker in (folder / "environ").read_bytes()):
                found.append(int(folder.name))
        except OSError:
            pass
    return found


class Hanging(WholeProgram):
    def setUp(self):
        super().setUp()
        self.write("train.log", FAILED)
        tools = self.home / "bin"
        tools.mkdir()
        self.marker = f"assay-hanging-{os.getpid()}"
        for name in ("nvidia-smi", "sacct", "scontrol", "quota", "dmesg"):
            (tools / name).write_text("#!/bin/sh\ntrap '' TERM INT HUP\nexec sleep 300\n")
            (tools / name).chmod(0o755)
        self.slow = self.environment(PATH=f"{tools}:{os.environ['PATH']}", ASSAY_MARKER=self.marker)
        self.addCleanup(lambda: [os.kill(pid, signal.SIGKILL) for pid in processes_with(self.marker.encode())])

    def assertNothingLeft(self):
        for _ in range(100):
            if not processes_with(self.marker.encode()):
                return
            time.sleep(0.05)
        self.fail([pathlib.Path(f"/proc/{pid}/cmdline").read_bytes() for pid in processes_with(self.marker.encode())])

    def test_tools_that_hang_cost_two_seconds_and_are_named(self):
        began = time.monotonic()
        done = self.assay("--format", "json", environment=self.slow)
        self.assertLess(time.monotonic() - began, 8)  # two and a half on an idle machine
        self.assertEqual(done.status, 1)
        self.assertTrue(any("did not answer" in gap["why"] for gap in done.json()["not_checked"]), done.json()["not_checked"])
        self.assertNothingLeft()

    def test_a_killed_assay_leaves_no_children(self):
        for number in (signal.SIGKILL, signal.SIGINT):
            running = subprocess.Popen([whole_program.ASSAY, "probe"], cwd=self.project, env=self.slow,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(0.7)
            running.send_signal(number)
            running.wait()
            self.assertNothingLeft()


SECRETS = ("hf_" + "AbCdEfGhIjKlMn0pQrStUvWxYz012345", "0123456789abcdef0123456789abcdef01234567", "wJalrXUtnFEMI9K7MDENGbPxRfiCYEXAMPLEKEY",
           "AKIA" + "IOSFODNN7EXAMPLE", "hunter2correcthorse", "sup3rsecretword", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9abc123")


class Secrets(WholeProgram):
    def test_no_secret_is_printed_or_kept(self):
        hub, wandb, aws, aws_id, password, url, bearer = SECRETS
        lines = [f"using token {hub}", f"WANDB_API_KEY={wandb}", f"export AWS_SECRET_ACCESS_KEY={aws}", f"id {aws_id}",
                 f'{{"password": "{password}"}}', f"password = {password}", f"git clone https://me:{url}@example.org/x.git",
                 f"Authorization: Bearer {bearer}", f"python train.py --hub_token {hub} --db-password={password}"]
        for number, line in enumerate(lines):
            # First and last lines are quoted, and so are exceptions.
            self.write(f"rank_{number}.log", line + "\n" + STEPS + FAILED.replace("ValueError: bad", "ValueError: " + line) + line + "\n")
        self.write("config.yaml", f"wandb_api_key: {wandb}\nhub_token: {hub}\ndb:\n  password: {password}\n"
                                  f"command: python t.py --token {hub} --url https://me:{url}@example.org\n")
        self.write("ps.txt", "USER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND\n"
                             f"me 4242 1.0 1.0 100 100 ? S 10:00 0:01 python train.py --api-key {wandb} --hub_token={hub}\n")
        holder = subprocess.Popen(["sleep", "60"], cwd=self.project, env={"PATH": os.environ["PATH"], "HF_TOKEN": hub})
        self.addCleanup(holder.wait)
        self.addCleanup(holder.kill)
        printed = b""
        for arguments in (["--format", "json"], ["--format", "markdown"], ["--explain"], ["probe", "--all", "--pid", str(holder.pid)]):
            done = self.assay(*arguments, environment=self.environment(HF_TOKEN=hub, WANDB_API_KEY=wandb))
            printed += done.raw + done.err.encode()
        printed += self.assay("report", next((self.project / ".assay" / "cases").iterdir()).name).raw
        kept = b"".join(path.read_bytes() for path in (self.project / ".assay").rglob("*") if path.is_file())
        for secret in SECRETS:
            self.assertNotIn(secret.encode(), printed)
            self.assertNotIn(secret.encode(), kept)
        self.assertIn(b"(not recorded)", printed)

    def test_what_only_looks_like_a_secret_stays(self):
        line = "ValueError: unknown token: <pad>, pad_token = </s>, commit 0123456789abcdef0123456789abcdef01234567, max_new_tokens: 512"
        self.write("train.log", FAILED.replace("ValueError: bad", line))
        self.assertIn("unknown token: <pad>", self.diagnose("--format", "json").out)
        self.assertNotIn("(not recorded)", self.diagnose("--format", "json").out)


if __name__ == "__main__":
    main()
