tensorboard --logdir lightning_logs &
TB=$!
nvidia-smi dmon -o T > gpu.txt &
python fit.py
kill $TB
kill -9 %2
