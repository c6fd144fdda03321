max_iters = 4000
learning_rate = 6e-4
