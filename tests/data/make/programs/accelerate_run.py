"""A hand-written training loop on accelerate: its logger, a tqdm bar, gradient accumulation, save_state."""
import logging
import sys

import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import set_seed
from tqdm.auto import tqdm

logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S",
                    level=logging.INFO)
logger = get_logger(__name__)
accelerator = Accelerator(gradient_accumulation_steps=2, cpu=True)
logger.info(accelerator.state, main_process_only=False)
set_seed(0)

inputs = torch.randn(64, 4)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(inputs, inputs.sum(1, keepdim=True)), batch_size=8)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, total_iters=12)
model, optimizer, data, scheduler = accelerator.prepare(model, optimizer, data, scheduler)

logger.info("***** Running training *****")
logger.info(f"  Num examples = {len(inputs)}")
logger.info("  Num Epochs = 3")
logger.info("  Gradient Accumulation steps = 2")
logger.info("  Total optimization steps = 12")
bar = tqdm(total=12, disable=not accelerator.is_local_main_process)
completed = 0
for epoch in range(3):
    for batch_inputs, batch_targets in data:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.mse_loss(model(batch_inputs), batch_targets)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        if accelerator.sync_gradients:
            completed += 1
            bar.update(1)
            bar.set_postfix(loss=loss.item(), lr=scheduler.get_last_lr()[0])
            if "--fail" in sys.argv and completed == 9:
                raise ValueError("Expected input batch_size (8) to match target batch_size (7).")
    logger.info(f"epoch {epoch}: train_loss: {loss.item()} completed_steps: {completed}")
    accelerator.save_state(f"checkpoints/epoch_{epoch}")
accelerator.end_training()
