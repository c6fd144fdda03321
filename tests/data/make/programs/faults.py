"""One real failure for each name given on the command line; the message is always the library's own."""
import ctypes
import os
import signal
import sys
import threading
import time

import torch


class Samples(torch.utils.data.Dataset):
    def __init__(self, fault):
        self.fault = fault

    def __len__(self):
        return 16

    def __getitem__(self, index):
        if index == 9 and self.fault == "raise":
            raise ValueError(f"could not convert string to float: 'n/a' (row {index})")
        if index == 9 and self.fault == "kill":
            signal.raise_signal(signal.SIGKILL)
        if index == 9 and self.fault == "shape":
            return torch.zeros(3)
        return torch.zeros(4)


def read_batches(fault, workers):
    for step, batch in enumerate(torch.utils.data.DataLoader(Samples(fault), batch_size=4, num_workers=workers)):
        print(f"step {step} batch {tuple(batch.shape)}")


def load_config(path):
    try:
        with open(path) as file:
            return file.read()
    except FileNotFoundError as error:
        raise RuntimeError(f"cannot start without {path}") from error


def save_while_failing():
    try:
        {"model": 1}["optimizer"]
    except KeyError:
        torch.save({"step": 7}, "missing/folder/last.pt")


def two_tasks():
    errors = []
    for value in ("12", "x"):
        try:
            int(value)
        except ValueError as error:
            errors.append(error)
    raise ExceptionGroup("2 workers failed", [*errors, TimeoutError("no answer from shard 3")])


def recurse(depth):
    return recurse(depth + 1)


def thread_dies():
    worker = threading.Thread(target=lambda: [].pop(), name="prefetch")
    worker.start()
    worker.join()
    print("step 1 loss 0.5")
    raise SystemExit(3)


def interrupted():
    threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
    print("step 1 loss 0.5", flush=True)
    time.sleep(5)


def modified_in_place():
    weights = torch.ones(3, requires_grad=True)
    squared = weights.exp()
    squared += 1
    squared.sum().backward()


def backward_twice():
    weights = torch.ones(3, requires_grad=True)
    loss = (weights * weights).sum()
    loss.backward()
    loss.backward()


def anomaly():
    with torch.autograd.detect_anomaly():
        weights = torch.zeros(3, requires_grad=True)
        (torch.sqrt(weights) * 0).sum().backward()


def truncated_checkpoint():
    torch.save(torch.nn.Linear(4, 4).state_dict(), "last.pt")
    os.truncate("last.pt", 900)
    torch.load("last.pt")


def foreign_class_in_checkpoint():
    torch.save({"dataset": Samples("none")}, "last.pt")
    torch.load("last.pt")


def wrong_state_dict():
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 2))
    model.load_state_dict({"0.weight": torch.zeros(4, 3), "0.bias": torch.zeros(4), "head.weight": torch.zeros(2, 4)})


def truncated_safetensors():
    from safetensors.torch import load_file, save_file

    save_file({"weight": torch.zeros(4, 4)}, "model.safetensors")
    os.truncate("model.safetensors", 100)
    load_file("model.safetensors")


FAULTS = {
    "chained": lambda: load_config("configs/base.yaml"),
    "during_handling": save_while_failing,
    "exception_group": two_tasks,
    "recursion": lambda: recurse(0),
    "thread": thread_dies,
    "keyboard_interrupt": interrupted,
    "module_not_found": lambda: __import__("flash_attn"),
    "segfault": lambda: ctypes.string_at(0),
    "abort": lambda: signal.raise_signal(signal.SIGABRT),
    "loader_worker_raises": lambda: read_batches("raise", 2),
    "loader_worker_killed": lambda: read_batches("kill", 2),
    "loader_collate": lambda: read_batches("shape", 0),
    "matrix_shapes": lambda: torch.nn.Linear(4, 2)(torch.zeros(8, 5)),
    "label_out_of_range": lambda: torch.nn.functional.cross_entropy(torch.zeros(2, 4), torch.tensor([1, 7])),
    "dtype_mismatch": lambda: torch.nn.Linear(4, 2)(torch.zeros(8, 4, dtype=torch.float16)),
    "in_place": modified_in_place,
    "backward_twice": backward_twice,
    "anomaly_nan": anomaly,
    "no_cuda": lambda: torch.zeros(1, device="cuda"),
    "host_memory": lambda: torch.empty(2**47, dtype=torch.uint8),
    "disk_full": lambda: open("/dev/full", "w").write("x" * 100_000),
    "save_disk_full": lambda: torch.save(torch.zeros(100_000), "/dev/full"),
    "checkpoint_truncated": truncated_checkpoint,
    "checkpoint_foreign_class": foreign_class_in_checkpoint,
    "state_dict_mismatch": wrong_state_dict,
    "safetensors_truncated": truncated_safetensors,
}

if __name__ == "__main__":
    FAULTS[sys.argv[1]]()
