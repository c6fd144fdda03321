torchrun --standalone --nproc_per_node=8 train.py --config configs/gpt_dion.yaml
