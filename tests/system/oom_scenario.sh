#!/bin/sh
# usage: oom_scenario.sh ASSAY WORK
# Two runs of one name are really killed by the kernel, each in a memory control group of its own (version 1 or 2, whichever holds
# the memory controller). The log of the first names its process, the log of the second does not. Then assay looks at both, and
# its reports are printed as JSON. Runs in dash and busybox; status 77: no such group can be made here.
set -eu
assay=$1
work=$2
limit=25165824
if [ -f /sys/fs/cgroup/memory/memory.limit_in_bytes ]; then
  root=/sys/fs/cgroup/memory
  file=memory.limit_in_bytes
else
  root=/sys/fs/cgroup
  file=memory.max
  echo +memory >"$root/cgroup.subtree_control" || exit 77
fi
trap 'rmdir "$root/assay-tied-$$" "$root/assay-free-$$" 2>/dev/null || true' EXIT
for name in tied free; do
  mkdir -p "$work/$name/logs"
  mkdir "$root/assay-$name-$$" && echo $limit >"$root/assay-$name-$$/$file" || exit 77
  [ ! -f "$root/assay-$name-$$/memory.swap.max" ] || echo 0 >"$root/assay-$name-$$/memory.swap.max"
done

log() { echo "$(date -u '+%Y-%m-%d %H:%M:%S') $2" >>"$work/$1/logs/train.log"; }
# A process called python3 inside the group, whose text doubles until the limit is reached.
start() {
  sh -c "echo \$\$ >$root/assay-$1-$$/cgroup.procs; printf python3 >/proc/\$\$/comm
    text=0123456789abcdef; while :; do text=\$text\$text; done" 2>/dev/null &
}
for name in tied free; do
  for step in 1 2 3; do log $name "step $step loss $((5 - step)).$step lr 0.0003"; done
done
start tied
tied=$!
log tied "launcher: training runs as pid $tied"
start free
free=$!
for pid in $tied $free; do
  status=0
  wait "$pid" || status=$?
  [ $status -eq 137 ] || {
    echo "the kernel did not kill process $pid: status $status" >&2
    exit 1
  }
done
for name in tied free; do log $name "launcher: training ended with exit code 137"; done

echo "pids $tied $free"
for name in tied free; do
  "$assay" "$work/$name" --no-case --format json || [ $? -eq 1 ]
done
