"""Two gloo ranks that add up gradients; rank 1 goes wrong at step 3 in the way given on the command line."""
import datetime
import os
import signal
import sys
import time

import torch
import torch.distributed as dist
from torch.distributed.elastic.multiprocessing.errors import record


@record
def main(fault):
    timeout = 2 if fault in ("hang", "barrier") else 60
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=timeout))
    rank = dist.get_rank()
    for step in range(6):
        gradient = torch.full((4,), float(rank + step))
        if step == 3 and rank == 1:
            if fault == "raise":
                raise ValueError("sample 4711 has no label")
            if fault == "kill":
                signal.raise_signal(signal.SIGKILL)
            if fault == "segfault":
                signal.raise_signal(signal.SIGSEGV)
            if fault == "exit":
                os._exit(7)
            if fault in ("hang", "barrier"):
                time.sleep(20)
            if fault == "shape":
                gradient = torch.zeros(5)
        if fault == "barrier" and step == 3:
            dist.monitored_barrier(timeout=datetime.timedelta(seconds=2))
        dist.all_reduce(gradient)
        print(f"[rank{rank}]: step {step} gradient {gradient[0]:.1f}", flush=True)
        time.sleep(0.05)
    dist.destroy_process_group()


main(sys.argv[1])
