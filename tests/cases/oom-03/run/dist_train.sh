nohup python -m torch.distributed.launch --nproc_per_node=4 ./tools/train.py configs/retina_crowd.py --launcher pytorch > work_dirs/retina_crowd/nohup.out 2>&1 &
