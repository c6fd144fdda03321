"""TensorBoard event files: PyTorch's SummaryWriter (old-style scalars), and tensor scalars as TensorFlow 2 writes them."""

import math
import shutil
import time
from pathlib import Path

import fixture_kit as kit

out = kit.start() / "tensorboard"
# Before the writers are imported, so that they see them.
kit.freeze_clock()
kit.freeze_pid()

import numpy as np  # noqa: E402
import torch  # noqa: E402
from tensorboard.compat.proto import event_pb2, summary_pb2  # noqa: E402
from tensorboard.plugins.scalar import metadata as scalar_metadata  # noqa: E402
from tensorboard.summary.writer.event_file_writer import EventFileWriter  # noqa: E402
from tensorboard.util import tensor_util  # noqa: E402
from torch.utils.tensorboard import SummaryWriter  # noqa: E402


def losses(first, last):
    return [(step, 2.5 * math.exp(-step / 20) + 0.05) for step in range(first, last, 5)]


def keep(run: str) -> Path:
    target = out / run
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(run, target)
    return target


def nonfinite():
    with SummaryWriter("nonfinite", flush_secs=3600) as writer:
        for step, loss in losses(0, 60):
            writer.add_scalar("train/loss", float("nan") if step >= 45 else loss, step)
            writer.add_scalar("train/grad_norm", {40: float("inf"), 45: float("nan")}.get(step, 1.0 + step / 10), step)
            writer.add_scalar("train/lr", 3e-4, step)
        writer.add_scalar("eval/lowest", float("-inf"), 55)
        writer.add_text("config", "batch_size: 8", 0)
        writer.add_histogram("weights", torch.linspace(-1, 1, 64), 50, bins=8)
    kit.provenance(
        keep("nonfinite"), writer=["torch", "tensorboard"], command="SummaryWriter.add_scalar, add_text, add_histogram",
        normalised="clock (2026-01-01, one second a reading), process id and host name seen by the writer",
        holds=[
            "`train/loss` as simple_value, steps 0..55 by 5, NaN from step 45 on",
            "`train/grad_norm`: inf at step 40, NaN at step 45, finite again after it",
            "`eval/lowest`: one -inf; `config/text_summary`: a text tensor; `weights`: one histogram",
            "step 0 is left out on the wire (proto3)",
        ],
    )


def restart():
    for first, last in ((0, 40), (25, 60)):
        with SummaryWriter("restart", flush_secs=3600) as writer:
            for step, loss in losses(first, last):
                writer.add_scalar("train/loss", loss + first / 1000, step)
    kit.provenance(
        keep("restart"), writer=["torch", "tensorboard"], command="two SummaryWriters one after the other on one folder",
        normalised="clock, process id and host name seen by the writer",
        holds=[
            "first file: `train/loss` at steps 0..35; second file: steps 25..55, as after a resume from step 25",
            "steps 25, 30 and 35 stand in both files with different values (the second is 0.025 higher)",
        ],
    )


def purge():
    with SummaryWriter("purged", flush_secs=3600) as writer:
        for step, loss in losses(0, 40):
            writer.add_scalar("train/loss", loss, step)
    with SummaryWriter("purged", purge_step=25, flush_secs=3600) as writer:
        for step, loss in losses(25, 60):
            writer.add_scalar("train/loss", loss + 0.025, step)
    kit.provenance(
        keep("purged"), writer=["torch", "tensorboard"], command="SummaryWriter(purge_step=25) on a folder that has a file",
        normalised="clock, process id and host name seen by the writer",
        holds=["as `restart`, but the second file opens with a session_log START record at step 25"],
    )


def hparams():
    with SummaryWriter("hparams", flush_secs=3600) as writer:
        writer.add_scalar("train/loss", 1.5, 0)
        writer.add_hparams(
            {"lr": 3e-4, "batch_size": 8, "optimizer": "adamw", "amp": False},
            {"hparam/loss": 0.75, "hparam/diverged": float("nan")},
        )
    kit.provenance(
        keep("hparams"), writer=["torch", "tensorboard"], command="SummaryWriter.add_hparams",
        normalised="clock, process id and host name seen by the writer",
        holds=[
            "the run's own file, and the sub-folder that add_hparams names after the clock",
            "hyperparameters as number, string and bool; metric values as plain scalars, one NaN",
        ],
    )


def tensor_scalars():
    writer = EventFileWriter("tensor_scalars", filename_suffix=".v2")
    described = set()

    def add(tag, value, step, dtype=np.float32):
        tensor = tensor_util.make_tensor_proto(np.array(value, dtype=dtype))
        summary = summary_pb2.Summary()
        entry = summary.value.add(tag=tag, tensor=tensor)
        if tag not in described:  # as TensorFlow does: only the first value of a tag says what it is
            described.add(tag)
            entry.metadata.CopyFrom(scalar_metadata.create_summary_metadata(display_name="", description=""))
            entry.metadata.data_class = summary_pb2.DATA_CLASS_SCALAR
        writer.add_event(event_pb2.Event(wall_time=time.time(), step=step, summary=summary))

    for step, loss in losses(0, 60):
        add("epoch_loss", float("nan") if step == 55 else loss, step)
        add("epoch_learning_rate", 1e-3, step)
    add("evaluation_accuracy", 0.625, 10, np.float64)
    add("examples_seen", 480, 55, np.int64)
    writer.close()
    kit.provenance(
        keep("tensor_scalars"), writer=["tensorboard"],
        command="tensorboard's EventFileWriter with its own tensor and summary protos",
        normalised="clock, process id and host name seen by the writer",
        holds=[
            "scalars as tensors with plugin `scalars`, laid out as tf.summary.scalar does; metadata on the first value only",
            "`epoch_loss` float32 steps 0..55, NaN at 55; one float64 and one int64 value",
        ],
    )


nonfinite()
restart()
purge()
hparams()
tensor_scalars()
