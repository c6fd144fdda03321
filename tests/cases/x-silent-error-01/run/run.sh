python main.py --arch vgg13 --bs 128 --lr 0.2 --epochs 30 --seed 3 | tee logs/vgg13.log
