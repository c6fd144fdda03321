config = dict(
    model='vit_l_16',
    image_size=224,
    batch_size=4096,
    remat=False,
    dtype='bfloat16',
    optimizer='adafactor',
    lr=1e-3,
    steps=90000,
)
