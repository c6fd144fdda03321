def get_config():
  c = ConfigDict()
  c.num_train_steps = 5000
  return c
