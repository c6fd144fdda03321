train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=4, val_interval=1)
