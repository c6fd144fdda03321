#!/bin/bash
set -o pipefail
t0=$(date +%s)
timeout --signal=TERM 6h python fit.py --config configs/ts.yaml 2>&1 | tee lightning_logs/version_3/console.log
s=$?
echo "elapsed $(( $(date +%s) - t0 )) s, status $s" | tee -a lightning_logs/version_3/console.log
