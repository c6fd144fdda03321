#!/bin/bash
set -u
cd /srv/lm
source .venv/bin/activate
# the box is needed for the day jobs

exec >> nightly.log 2>&1
echo "start $(date)"

# three hours is all we get
timeout -s KILL 3h python train_lm.py --cfg cfg/wt103.yaml
echo "exit status $?"
echo "end $(date)"
