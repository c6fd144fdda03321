#!/bin/bash
# tabular benchmark
set -u
cd "$(dirname "$0")"
export OMP_NUM_THREADS=8
export CUDA_VISIBLE_DEVICES=0

{
echo "running on $(hostname) as uid $(id -u), started $(date '+%F %T')"
python -u train_tabular.py --config configs/tab.yaml
echo "exit status $?"
} > logs/tabular.log 2>&1
