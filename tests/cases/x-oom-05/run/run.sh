#!/bin/bash
docker run --rm --gpus all -v $PWD:/app -w /app video-train:3 bash -xc \
  'python -u train_video.py --config configs/video.yaml; df -h /dev/shm' 2>&1 | tee logs/video.log
