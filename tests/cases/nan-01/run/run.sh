CUDA_VISIBLE_DEVICES=0 python -u fine_tune.py --config configs/lora_s2.yaml 2>&1 | tee outputs/lq-7b-8k/train.log
