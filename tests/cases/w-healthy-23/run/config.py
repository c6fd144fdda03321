# CUDA out of memory at 64, so 32
batch_size = 32
max_iters = 2000
