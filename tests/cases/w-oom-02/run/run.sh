#!/bin/bash
ulimit -v 16777216
python train.py
