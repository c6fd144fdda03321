python train.py --arch unet3d --channels 32 --batch-size 1 --iter-size 4 --lr 3e-4 2>&1 | tee logs/unet3d_20200305.log
