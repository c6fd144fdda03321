#!/bin/bash
#SBATCH --job-name=r50
#SBATCH --gres=gpu:1
#SBATCH --cpus-per-task=1
#SBATCH --mem=64G
#SBATCH --time=24:00:00
python main.py -a resnet50 -b 256 -j 16 /scratch/imagenet
