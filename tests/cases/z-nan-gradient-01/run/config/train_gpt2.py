batch_size = 12
block_size = 1024
gradient_accumulation_steps = 40
learning_rate = 0.06
warmup_iters = 2000
max_iters = 600000
dtype = 'bfloat16'
grad_clip = 0.0
