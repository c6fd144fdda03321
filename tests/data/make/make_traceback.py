"""Real tracebacks and crashes: of Python, of the DataLoader, of tensors, of files and of native code."""

import sys

import fixture_kit as kit

out = kit.start() / "traceback"
kit.place_program("faults.py")

GROUPS = {
    "python": {
        "chained": (1, "raise ... from: `The above exception was the direct cause`"),
        "during_handling": (1, "a second error while the first is handled: `During handling of the above exception`"),
        "exception_group": (1, "ExceptionGroup of three"),
        "recursion": (1, "`[Previous line repeated ... more times]`"),
        "thread": (3, "`Exception in thread prefetch`, after which the program goes on and leaves with its own exit code"),
        "keyboard_interrupt": (-2, "SIGINT while sleeping"),
        "module_not_found": (1, "a missing package"),
    },
    "loader": {
        "loader_worker_raises": (1, "`Caught ValueError in DataLoader worker process`, with the worker's own traceback"),
        "loader_worker_killed": (1, "a worker is killed by SIGKILL"),
        "loader_collate": (1, "samples of unequal size, in the main process"),
    },
    "tensor": {
        "matrix_shapes": (1, "shapes that do not fit"),
        "label_out_of_range": (1, "`Target 7 is out of bounds.`"),
        "dtype_mismatch": (1, "half precision input to a float layer"),
        "in_place": (1, "a tensor changed in place before backward"),
        "backward_twice": (1, "backward through a freed graph"),
        "anomaly_nan": (1, "detect_anomaly: the forward call's traceback, then the backward's"),
        "no_cuda": (1, "a CUDA tensor on a machine without driver"),
    },
    "resource": {
        "host_memory": (1, "DefaultCPUAllocator cannot allocate 128 TiB"),
        "disk_full": (1, "`[Errno 28]` from a plain file"),
        "save_disk_full": (1, "torch.save onto a full device"),
    },
    "checkpoint": {
        "checkpoint_truncated": (1, "torch.load of a zip whose end is missing"),
        "checkpoint_foreign_class": (1, "torch.load with weights_only refuses a class"),
        "state_dict_mismatch": (1, "missing and unexpected keys, size mismatch"),
        "safetensors_truncated": (1, "safetensors file shorter than its header says"),
    },
    "native": {
        "segfault": (-11, "faulthandler's report of SIGSEGV"),
        "abort": (-6, "faulthandler's report of SIGABRT"),
    },
}

for group, faults in GROUPS.items():
    flags = ["-X", "faulthandler"] if group == "native" else []
    for fault, (code, _) in faults.items():
        kit.run_in_pipe([sys.executable, "-u", *flags, "train.py", fault], out / group / f"{fault}.log", expect=code)
    kit.provenance(
        out / group, writer=["torch", "safetensors"], command=" ".join(["python -u", *flags, "train.py NAME > NAME.log 2>&1"]),
        normalised="path of the interpreter's library in tracebacks",
        holds=[
            f"`{fault}.log` ({f'signal {-code}' if code < 0 else f'exit code {code}'}): {text}"
            for fault, (code, text) in faults.items()
        ],
    )
