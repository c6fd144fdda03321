python fit.py --accelerator gpu --devices 4 --strategy ddp 2>&1 | tee lightning_logs/version_4/console.log
