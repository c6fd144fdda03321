#!/bin/bash
set -x
export OMP_NUM_THREADS=8
torchrun --nnodes 1 --nproc_per_node 4 --master_addr 127.0.0.1 --master_port 29500 train.py --config configs/seg.yaml
status=$?
