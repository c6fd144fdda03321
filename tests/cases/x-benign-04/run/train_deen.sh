fairseq-train data-bin/iwslt14.de-en --arch transformer_iwslt_de_en --share-decoder-input-output-embed \
  --optimizer adam --lr 7e-4 --lr-scheduler inverse_sqrt --warmup-updates 4000 --max-update 12000 \
  --max-tokens 4096 --fp16 --log-interval 100 --save-dir checkpoints/deen 2>&1 | tee checkpoints/deen/train.log
