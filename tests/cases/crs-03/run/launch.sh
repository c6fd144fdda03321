python -m torch.distributed.launch --nproc_per_node=2 train_seg.py -c configs/seg.yaml
