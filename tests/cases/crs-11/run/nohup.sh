# started Wed Mar 17 11:04 2021
nohup python fit.py +trainer=conf/trainer.yaml > logs/fit.log 2>&1 &
