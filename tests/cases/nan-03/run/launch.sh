deepspeed --num_gpus 8 finetune.py --model base_model --deepspeed configs/ds_config.json 2>&1 | tee logs/finetune_0830.log
# GPUs: 8 x Tesla V100-SXM2-32GB
