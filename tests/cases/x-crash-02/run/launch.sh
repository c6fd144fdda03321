torchrun --standalone --nproc_per_node 8 train.py --config configs/detr_aux.yaml 2>&1 | tee logs/detr_aux.log
