#!/bin/bash
#SBATCH -J llm-sft
#SBATCH -N 4
#SBATCH --gres=gpu:8
#SBATCH -t 48:00:00
srun python sft.py --config sft.yaml
