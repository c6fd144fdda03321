#!/bin/bash
export TOKENIZERS_PARALLELISM=false
torchrun --nproc_per_node 4 train_sft.py --model Qwen/Qwen2.5-1.5B --bs 4 --ga 4 --eval_steps 500 --bf16 2>&1 | tee logs/sft_qwen.log
