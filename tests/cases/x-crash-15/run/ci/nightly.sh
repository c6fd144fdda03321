#!/bin/bash
start=$(date +%s)
timeout 2h python -u train.py --config configs/nightly.yaml > logs/nightly.log 2>&1
status=$?
echo "end $(date -u -Is) after $(( $(date +%s) - start )) s, status $status" >> logs/nightly.log
exit $status
