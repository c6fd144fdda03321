import os
from torch.utils.tensorboard import SummaryWriter
...
if not os.path.isdir(cfg.tb_dir):
    os.makedirs(cfg.tb_dir)
    print(f"[rank{rank}] output dir created: {cfg.tb_dir}")
