#!/bin/bash
# the model was fine-tuned on another machine
python run_ner.py --data_dir data/silver --model_name_or_path models/bert-ner \
  --output_dir outputs/ner_silver --do_predict --max_seq_length 512 \
  --per_device_eval_batch_size 8 2>&1 | tee outputs/ner_silver/predict.log
