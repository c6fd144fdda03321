"""Logs one MLflow run that ends as told: finish, raise or kill (SIGKILL, so that it stays RUNNING)."""
import itertools
import signal
import sys
import uuid

import fixture_kit

# Ids and times the same each time; every run of the three has ids of its own.
end, uri = sys.argv[1:3]
fixture_kit.freeze_clock(step_seconds=0.25)
numbers = itertools.count({"finish": 0x1000, "raise": 0x2000, "kill": 0x3000}[end])
uuid.uuid4 = lambda: uuid.UUID(int=(0xA55A << 112) + next(numbers) * 0x10001, version=4)

import mlflow  # noqa: E402

mlflow.set_tracking_uri(uri)
mlflow.set_experiment("tiny")
with mlflow.start_run(run_name={"finish": "baseline", "raise": "high-lr", "kill": "long"}[end]):
    mlflow.log_params({"lr": 3e-4, "batch_size": 8, "model.layers": 2})
    mlflow.set_tag("purpose", "fixture")
    for step in range(6):
        mlflow.log_metric("train/loss", float("nan") if end == "raise" and step >= 4 else 2.5 / (1 + step), step=step)
        mlflow.log_metric("grad_norm", float("inf") if end == "raise" and step == 3 else 1.0, step=step)
    mlflow.log_metric("lowest", float("-inf"), step=5)
    mlflow.log_text("accuracy: 0.5\n", "notes/result.txt")
    if end == "raise":
        raise FloatingPointError("loss is not finite")
    if end == "kill":
        signal.raise_signal(signal.SIGKILL)
