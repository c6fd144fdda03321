"""Configuration: argparse and hydra errors, hydra's output folders, YAML with Python tags from other libraries."""

import argparse
import pathlib
import shutil
import sys
from pathlib import Path

import fixture_kit as kit

root = kit.start()

out = root / "argparse"
kit.place_program("argparse_run.py")
ERRORS = {
    "required": [],
    "unrecognized": ["--data", "d", "--batchsize", "8"],
    "invalid_value": ["--data", "d", "--batch-size", "eight"],
    "invalid_choice": ["--data", "d", "--precision", "fp8"],
}
for name, options in ERRORS.items():
    kit.run_in_pipe([sys.executable, "train.py", *options], out / "errors" / f"{name}.log", expect=2)
kit.provenance(
    out / "errors", writer=[], command="python train.py ... > NAME.log 2>&1",
    holds=[f"`{name}.log`: `train.py {' '.join(options)}`, exit code 2" for name, options in ERRORS.items()],
)

out = root / "hydra"
kit.place_program("hydra_run.py")
for path, text in {
    "conf/config.yaml": "defaults:\n  - model: small\n  - _self_\n\nseed: 7\ndata_dir: ???\ntrainer:\n  lr: 0.0003\n"
                        "  precision: 32\n  max_steps: ${oc.decode:'100'}\n",
    "conf/model/small.yaml": "layers: 2\nwidth: 64\n",
    "conf/model/large.yaml": "layers: 24\nwidth: 1024\n",
}.items():
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def start(name, *overrides, log="train.log", expect=0):
    kit.run_in_pipe([sys.executable, "-u", "train.py", *overrides], out / name / log, expect=expect)


def keep(name, folder):
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file():
            kit.copy(path, out / name / path)


DAY = "hydra.run.dir=outputs/2026-01-01/00-00-00"
start("finished", "data_dir=data/tiny", "trainer.lr=0.001", DAY)
keep("finished", "outputs")
kit.provenance(
    out / "finished", writer=["hydra-core", "omegaconf"], command=f"python -u train.py data_dir=data/tiny trainer.lr=0.001 {DAY}",
    holds=[
        "`outputs/<day>/<time>/.hydra/`: config.yaml, hydra.yaml, overrides.yaml; train.log as hydra's logging wrote it",
        "config.yaml keeps the interpolation `${oc.decode:'100'}` as it was written",
    ],
)
start("multirun", "-m", "data_dir=data/tiny", "trainer.lr=0.1,0.01", "hydra.sweep.dir=multirun/2026-01-01/00-00-00")
keep("multirun", "multirun")
kit.provenance(
    out / "multirun", writer=["hydra-core", "omegaconf"], command="python -u train.py -m data_dir=data/tiny trainer.lr=0.1,0.01",
    holds=["two jobs of one sweep in sub-folders 0 and 1, multirun.yaml beside them"],
)
shutil.rmtree("outputs")
HYDRA_ERRORS = {
    "raises": ["data_dir=data/tiny", "trainer.precision=16"],
    "missing_value": [],
    "unknown_key": ["data_dir=data/tiny", "trainer.learning_rate=0.1"],
    "unknown_choice": ["data_dir=data/tiny", "model=huge"],
    "bad_override": ["data_dir=data/tiny", "trainer.lr"],
}
for name, overrides in HYDRA_ERRORS.items():
    start("errors", *overrides, DAY, log=f"{name}.log", expect=1)
kit.provenance(
    out / "errors", writer=["hydra-core", "omegaconf"], command=f"python -u train.py ... {DAY} > NAME.log 2>&1",
    normalised="path of the interpreter's library in tracebacks",
    holds=[f"`{name}.log`: `train.py {' '.join(overrides)}`, exit code 1" for name, overrides in HYDRA_ERRORS.items()],
)

# What people dump with yaml.dump: PyYAML then writes tags that name Python classes.
import yaml  # noqa: E402

out = root / "yaml" / "python_tags"
out.mkdir(parents=True)
options = argparse.Namespace(lr=3e-4, betas=(0.9, 0.999), data_dir=pathlib.PurePosixPath("data"), layers=None, names={"a"})
(out / "args.yaml").write_text(yaml.dump(options))
(out / "anchors.yaml").write_text(yaml.dump({"train": (options := {"lr": 3e-4, "warmup": 1e-6}), "eval": options, "scale": 1e8}))
kit.provenance(
    out, writer=["PyYAML"], command="yaml.dump",
    holds=[
        "`args.yaml`: an argparse.Namespace as `!!python/object`, with tuple, path and set tags",
        "`anchors.yaml`: one mapping used twice, as anchor and alias; the number 1e-6 as PyYAML writes it, 1.0e-06",
    ],
)
