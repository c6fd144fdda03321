python train.py model=vit_s optim.wd=0.05
