docker run --rm --gpus all --network host --ipc host -v $PWD:/workspace sd-train \
  env NCCL_DEBUG=INFO NCCL_SOCKET_IFNAME=ib0,eth0 accelerate launch --config_file configs/accelerate.yaml train_sd.py
