"""Logs a made-up loss to an offline wandb run; ends well, with an exception, or by SIGKILL."""
import argparse
import math
import platform
import signal

import wandb

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=12)
parser.add_argument("--id", required=True)
parser.add_argument("--end", choices=["finish", "raise", "kill"], default="finish")
options = parser.parse_args()

# The kernel's name would tell about the machine that made the fixture.
platform.platform = lambda *_, **__: "Linux-6.1.0-amd64-x86_64-with-glibc2.36"

run = wandb.init(
    project="tiny", mode="offline", id=options.id, name="baseline", tags=["fixture"],
    config={"lr": 3e-4, "batch_size": 8, "model": {"layers": 2, "width": 64}, "betas": [0.9, 0.999], "amp": False},
)
for step in range(options.steps):
    loss = float("nan") if step >= options.steps - 3 else 2.5 * math.exp(-step / 5) + 0.1
    print(f"step {step} loss {loss:.4f}")
    run.log({
        "train/loss": loss, "grad_norm": float("inf") if step == options.steps - 4 else 1.0,
        "nested": {"accuracy": step / options.steps},
    })
print("progress 50%\rprogress 100%")
if options.end == "kill":
    signal.raise_signal(signal.SIGKILL)
if options.end == "raise":
    raise RuntimeError("Function 'AddmmBackward0' returned nan values in its 1th output.")
run.finish()
