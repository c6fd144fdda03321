python train.py --resume runs/a/ckpt_12000.pt
