python resnet_main.py --tpu=lab-tpu-2 --data_dir=gs://lab-data/fake_imagenet --model_dir=gs://lab-models/resnet50-fake \
  --train_batch_size=1024 --iterations_per_loop=100 --train_steps=3000 --mode=train 2>&1 | tee logs/resnet_main.log
