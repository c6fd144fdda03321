"""Fits a line with Lightning; the logger, the bar and the fault are chosen on the command line."""
import argparse
import logging
import pathlib

import lightning as L
import torch
from lightning.pytorch.loggers import CSVLogger

parser = argparse.ArgumentParser()
parser.add_argument("--nan_from_step", type=int)
parser.add_argument("--narrow_batch_at_step", type=int)
parser.add_argument("--bar", choices=["tqdm", "rich"], default="tqdm")
options = parser.parse_args()

# Lightning advertises other packages with one of several tips drawn at random.
logging.getLogger("lightning.pytorch.utilities.rank_zero").addFilter(lambda record: "Tip:" not in record.getMessage())
L.seed_everything(0)


class Line(L.LightningModule):
    def __init__(self, lr, widths, data_dir, betas):
        super().__init__()
        self.save_hyperparameters()
        self.net = torch.nn.Linear(4, 1)

    def training_step(self, batch, index):
        inputs, targets = batch
        if self.global_step == options.narrow_batch_at_step:
            inputs = inputs[:, :3]
        loss = torch.nn.functional.mse_loss(self.net(inputs), targets)
        if options.nan_from_step is not None and self.global_step >= options.nan_from_step:
            loss = loss * float("nan")
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, index):
        inputs, targets = batch
        self.log("val_loss", torch.nn.functional.mse_loss(self.net(inputs), targets), prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr, betas=self.hparams.betas)


def loader(count):
    inputs = torch.randn(count, 4, generator=torch.Generator().manual_seed(count))
    data = torch.utils.data.TensorDataset(inputs, inputs.sum(1, keepdim=True))
    return torch.utils.data.DataLoader(data, batch_size=8)


bars = {"rich": L.pytorch.callbacks.RichProgressBar, "tqdm": L.pytorch.callbacks.TQDMProgressBar}
trainer = L.Trainer(
    max_epochs=3, accelerator="cpu", log_every_n_steps=4, logger=CSVLogger("."), callbacks=[bars[options.bar]()],
)
model = Line(lr=0.05, widths=(4, 1), data_dir=pathlib.PurePosixPath("data/line"), betas=(0.9, 0.999))
trainer.fit(model, loader(80), loader(16))
