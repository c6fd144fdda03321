"""MLflow: the file store (mlruns) and the SQLite store (mlflow.db), each with a finished, a failed and a killed run."""

import shutil
import sqlite3
import sys
from pathlib import Path

import fixture_kit as kit

out = kit.start() / "mlflow"
kit.place_program("mlflow_run.py")

# The 3.17 schema has 70 tables, nearly all of them for tracing, evaluation and the registry; of the empty ones only
# those stay that belong to runs.
RUN_TABLES = {"alembic_version", "experiments", "experiment_tags", "runs", "metrics", "latest_metrics", "params", "tags",
              "datasets", "inputs", "input_tags", "workspaces"}


def log_runs(uri):
    for end, expect in (("finish", 0), ("raise", 1), ("kill", -9)):
        kit.run_in_pipe(
            [sys.executable, "train.py", end, uri], Path("mlflow.log"), expect=expect,
            env={"PYTHONPATH": str(Path(__file__).parent), "MLFLOW_ALLOW_FILE_STORE": "true",
                 "MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"},
        )


def shrink(database):
    connection = sqlite3.connect(database)
    connection.execute("PRAGMA foreign_keys = OFF")
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for table in tables:
        if table not in RUN_TABLES and not table.startswith("sqlite_"):
            connection.execute(f'DROP TABLE "{table}"')
    connection.commit()
    connection.execute("PRAGMA page_size = 1024")
    connection.execute("VACUUM")
    connection.close()


log_runs("./mlruns")
shutil.rmtree(out / "file_store", ignore_errors=True)
shutil.copytree("mlruns", out / "file_store" / "mlruns")
kit.provenance(
    out / "file_store", writer=["mlflow"], command="MLFLOW_ALLOW_FILE_STORE=true python train.py finish|raise|kill ./mlruns",
    normalised="clock and random ids seen by the writer",
    holds=[
        "three runs: `baseline` FINISHED (status 3), `high-lr` FAILED (4), `long` killed by SIGKILL and still RUNNING (1)",
        "metric `train/loss` stands in a sub-folder; nan, inf and -inf as the file store writes them",
        "MLflow 3.17 refuses the file store without MLFLOW_ALLOW_FILE_STORE",
    ],
)

log_runs("sqlite:///mlflow.db")
shrink("mlflow.db")
kit.copy("mlflow.db", out / "sqlite" / "mlflow.db")
kit.provenance(
    out / "sqlite", writer=["mlflow", "SQLAlchemy"], command="python train.py finish|raise|kill sqlite:///mlflow.db",
    normalised="clock and random ids seen by the writer; empty tables that do not belong to runs dropped, "
    "page size 1024, VACUUM (954 KB before)",
    holds=[
        "the same three runs; NaN is `is_nan = 1, value = 0`, infinities are the largest double",
    ],
)
