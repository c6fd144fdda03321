#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What assay says of two runs that the kernel really killed for memory: oom_verdict.py ASSAY [--vm CACHE].

oom_scenario.sh makes them. Without --vm on this machine, as root. With --vm in an emulated machine whose kernel has control groups
of version 2 only; ASSAY must then be the static executable, and CACHE is a folder in which Debian's kernel package is kept."""
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SCENARIO = pathlib.Path(__file__).with_name("oom_scenario.sh")
APPLETS = "sh mount mkdir rmdir cat echo date printf sleep poweroff".split()
INIT = """#!/bin/sh
export PATH=/bin
mount -t proc proc /proc && mount -t sysfs sys /sys && mount -t devtmpfs dev /dev && mount -t cgroup2 group /sys/fs/cgroup
sh /oom_scenario.sh /bin/assay /work >/dev/ttyS1
echo "status $?" >/dev/ttyS1
poweroff -f
"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def on_this_machine(assay):
    if os.geteuid() != 0:
        skip("making a control group needs root")
    with tempfile.TemporaryDirectory() as work:
        done = subprocess.run(["sh", SCENARIO, assay, work], capture_output=True, text=True, timeout=120)
    if done.returncode == 77:
        skip(f"no memory control group can be made here: {done.stderr.strip()}")
    if done.returncode != 0:
        sys.exit(f"the scenario failed: {done.stdout[-2000:]}{done.stderr}")
    return done.stdout


def kernel(cache):
    """Debian's kernel for virtual machines, taken out of its package without installing it."""
    cache.mkdir(parents=True, exist_ok=True)
    found = sorted(cache.glob("boot/vmlinuz-*"))
    if not found:
        meta = subprocess.run(["apt-cache", "depends", "linux-image-cloud-amd64"], check=True, capture_output=True, text=True).stdout
        package = next(line.split()[-1] for line in meta.splitlines() if "Depends: linux-image-" in line)
        subprocess.run(["apt-get", "download", "-q", package], check=True, cwd=cache)
        subprocess.run(["dpkg-deb", "-x", next(cache.glob("*.deb")), cache], check=True)
        shutil.rmtree(cache / "lib", ignore_errors=True)  # its modules are not needed
        found = sorted(cache.glob("boot/vmlinuz-*"))
    return found[0]


def in_a_vm(assay, cache):
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(temporary) / "root"
        for folder in ("bin", "proc", "sys", "dev", "tmp", "work"):
            (root / folder).mkdir(parents=True)
        shutil.copy("/bin/busybox", root / "bin/busybox")
        for applet in APPLETS:
            (root / "bin" / applet).symlink_to("busybox")
        shutil.copy(assay, root / "bin/assay")
        shutil.copy(SCENARIO, root)
        (root / "init").write_text(INIT)
        (root / "init").chmod(0o755)
        archive = pathlib.Path(temporary) / "initrd.gz"
        files = subprocess.run(["find", "."], cwd=root, check=True, capture_output=True).stdout
        archive.write_bytes(gzip.compress(subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], cwd=root, input=files, check=True,
                                                         capture_output=True).stdout, 1))
        result = pathlib.Path(temporary) / "result"
        done = subprocess.run(["qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-m", "512", "-display", "none", "-no-reboot",
                               "-kernel", kernel(cache), "-initrd", archive, "-append", "console=ttyS0 quiet panic=-1",
                               "-serial", "stdio", "-serial", f"file:{result}"], capture_output=True, text=True, timeout=300)
        text = result.read_text().replace("\r", "")
    if not text.rstrip().endswith("status 0"):
        sys.exit(f"the machine did not finish: {text[-2000:]}\n{done.stdout[-2000:]}{done.stderr}")
    return text


def expect(condition, what, report):
    if not condition:
        sys.exit(f"FAILED: {what}\n{json.dumps(report, indent=1)[:6000]}")


def main():
    assay = pathlib.Path(sys.argv[1]).resolve()
    text = in_a_vm(assay, pathlib.Path(sys.argv[3]).resolve()) if "--vm" in sys.argv else on_this_machine(assay)
    pids, text = text[text.index("pids "):].split("\n", 1)
    tied_pid, free_pid = pids.split()[1:]
    decoder = json.JSONDecoder()
    tied, end = decoder.raw_decode(text)
    free, _ = decoder.raw_decode(text[end:].lstrip())

    for gap in tied["not_checked"]:
        if gap["what"] == "the kernel log" and "--vm" not in sys.argv:
            skip(f"the kernel log cannot be read here: {gap['why']}")
    expect(tied["verdict"] == "confirmed", "the run whose process the log names is confirmed", tied)
    expect(tied["cause"]["id"] == "oom-host-limit", "its cause is the memory limit", tied)
    said = json.dumps(tied)
    expect(f"process {tied_pid}" in said, "its own kill is cited", tied)
    expect(f"process {free_pid}" not in said, "the other run's kill is not", tied)
    expect(free["verdict"] == "supported", "the run that nothing ties to the kill is supported", free)
    expect(free["hypotheses"][0]["cause"] == "oom-host-limit", "and the limit leads", free)
    print(f"{tied_pid}: confirmed, {free_pid}: supported")


if __name__ == "__main__":
    main()
