python mnist_mlp.py --lr 1e-4 --epochs 9 --batch-size 64 --no-cuda | tee logs/mnist.txt
