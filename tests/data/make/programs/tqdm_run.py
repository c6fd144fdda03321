"""The shapes of tqdm's bar: description, postfix, nested bars, no total, scaled units, a message between updates."""
import sys

from tqdm import tqdm, trange

for epoch in trange(2, desc="epochs", mininterval=0):
    with tqdm(range(5), desc=f"Epoch {epoch}", unit="batch", leave=False, mininterval=0) as bar:
        for step in bar:
            loss = float("nan") if epoch == 1 and step >= 3 else 2.5 / (1 + epoch * 5 + step)
            bar.set_postfix(loss=loss, lr=3e-4, acc="0.5")
            if step == 2:
                tqdm.write(f"step {epoch * 5 + step}: loss {loss:.4f}")

for _ in tqdm((i for i in range(3)), desc="no total", mininterval=0):
    pass
with tqdm(total=3_000_000, unit="tok", unit_scale=True, mininterval=0) as bar:
    for _ in range(3):
        bar.update(1_000_000)
for _ in tqdm(range(4), ascii=True, mininterval=0, file=sys.stdout):
    pass
bar = tqdm(total=10, desc="stops early", mininterval=0)
bar.update(4)
raise RuntimeError("the input queue is empty")
