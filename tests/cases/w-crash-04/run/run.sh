#!/bin/bash
set -e
module load cuda
torchrun --nproc-per-node 4 train.py
