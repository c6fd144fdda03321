torchrun --standalone --nproc_per_node=2 train_stream.py --config configs/stream.yaml
