"""Healthy log: Lightning on the CPU with validation, early stopping, checkpoints and its advice in warnings.

Packages (python 3.11): torch==2.13.0 (CPU build), lightning==2.6.6, numpy==2.4.6
Run:
    python healthy_lightning.py > lightning.log 2>&1
"""

import tempfile

import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class ErrorModel(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.error_head = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 1))
        self.failure_loss = nn.MSELoss()

    def step(self, b, name):
        loss = self.failure_loss(self.error_head(b[0]), b[1])
        self.log(name, loss, prog_bar=True)
        return loss

    def training_step(self, b, i):
        return self.step(b, "train_error")

    def validation_step(self, b, i):
        self.step(b, "val_error")

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), 3e-3)


def main():
    L.seed_everything(7)
    x = torch.randn(640, 8)
    data = TensorDataset(x, x.prod(1, keepdim=True).clamp(-1, 1))
    out = tempfile.mkdtemp(prefix="lightning-")
    trainer = L.Trainer(
        max_epochs=12,
        accelerator="cpu",
        devices=1,
        default_root_dir=out,
        log_every_n_steps=100,
        detect_anomaly=True,
        callbacks=[EarlyStopping("val_error", patience=3, verbose=True, check_finite=True), ModelCheckpoint(out, monitor="val_error", save_top_k=2)],
    )
    trainer.fit(ErrorModel(), DataLoader(data, 32, shuffle=True), DataLoader(data, 64))
    trainer.validate(ckpt_path="best", dataloaders=DataLoader(data, 64), model=ErrorModel())
    print("Training complete")


if __name__ == "__main__":
    main()
