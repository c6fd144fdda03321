"""Takes its options with argparse, as most training scripts do."""
import argparse

parser = argparse.ArgumentParser(description="Train a small model.")
parser.add_argument("--data", required=True, help="folder with the data set")
parser.add_argument("--batch-size", type=int, default=8)
parser.add_argument("--precision", choices=["fp32", "bf16", "fp16"], default="fp32")
options = parser.parse_args()
print(options)
