"""Whole tiny checkpoints: torch.save in its zip and its old form, a distributed checkpoint, safetensors, numpy."""

import shutil
import uuid

import fixture_kit as kit

root = kit.start()

import numpy as np  # noqa: E402
import torch  # noqa: E402
import torch.distributed.checkpoint as dcp  # noqa: E402
from safetensors.torch import save_file  # noqa: E402

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
model(torch.randn(16, 4)).square().mean().backward()
optimizer.step()
checkpoint = {
    "model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3, "global_step": 120,
    "best_metric": float("nan"), "args": {"lr": 1e-3, "name": "tiny"}, "rng": torch.get_rng_state()[:16],
}
mixed = {
    "f32": torch.arange(6, dtype=torch.float32).reshape(2, 3), "bf16": torch.tensor([1.0, float("nan"), float("inf")]).bfloat16(),
    "f16": torch.tensor([0.5, -float("inf")]).half(), "i64": torch.tensor([-1, 2**40]), "bool": torch.tensor([True, False]),
    "f8": torch.tensor([1.0, 2.0]).to(torch.float8_e4m3fn), "scalar": torch.tensor(7.0), "empty": torch.zeros(0, 4),
}

out = root / "torch_checkpoint" / "tiny"
out.mkdir(parents=True)
torch.save(checkpoint, out / "tiny.pt")
torch.save(checkpoint, out / "legacy.pt", _use_new_zipfile_serialization=False)
tied = torch.zeros(4, 4)
torch.save({**mixed, "tied": tied, "tied_again": tied, "view": tied[1:3].t()}, out / "mixed.pt")
kit.provenance(
    out, writer=["torch"], command="torch.save",
    holds=[
        "`tiny.pt`: model, AdamW state after one step, counters, a NaN metric; `legacy.pt`: the same in the form before 1.6",
        "`mixed.pt`: bf16 with NaN and inf, f16 with -inf, float8, int64, bool, a scalar, an empty tensor; one storage used "
        "three times (tied weights and a transposed view)",
    ],
)

out = root / "distributed_checkpoint" / "tiny"
uuid.uuid4 = lambda: uuid.UUID(int=0xA55A, version=4)  # the id of a save goes into .metadata
dcp.save({"model": model.state_dict(), "step": 120}, checkpoint_id="step-120")
shutil.copytree("step-120", out / "step-120")
kit.provenance(
    out, writer=["torch"], command="torch.distributed.checkpoint.save without a process group",
    normalised="the random id of the save",
    holds=["`.metadata` (pickle) and one data file `__0_0.distcp`"],
)

out = root / "safetensors" / "tiny"
out.mkdir(parents=True)
save_file(model.state_dict(), out / "model.safetensors", metadata={"format": "pt"})
save_file(mixed, out / "mixed.safetensors")
kit.provenance(
    out, writer=["safetensors", "torch"], command="safetensors.torch.save_file",
    holds=["`model.safetensors`: a tiny model; `mixed.safetensors`: the dtypes of torch_checkpoint/tiny/mixed.pt, no metadata"],
)

out = root / "numpy" / "tiny"
out.mkdir(parents=True)
np.save(out / "losses.npy", np.array([2.5, 1.25, np.nan, np.inf], dtype=np.float32))
np.save(out / "fortran.npy", np.asfortranarray(np.arange(6, dtype=np.int64).reshape(2, 3)))
np.savez_compressed(out / "arrays.npz", loss=np.array([2.5, np.nan]), step=np.array([0, 100]))
kit.provenance(
    out, writer=["numpy"], command="numpy.save, numpy.savez_compressed",
    holds=["`losses.npy`: float32 with NaN and inf; `fortran.npy`: column order; `arrays.npz`: two deflated members"],
)
