"""Lightning's Trainer."""
import lightning as L, torch
from lightning.pytorch.callbacks import EarlyStopping, LearningRateMonitor, ModelCheckpoint, RichModelSummary

class Net(L.LightningModule):
    def __init__(self):
        super().__init__(); self.net = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
    def training_step(self, batch, i):
        loss = (self.net(batch[0]) - batch[1]).pow(2).mean(); self.log("train_loss", loss, prog_bar=True); return loss
    def validation_step(self, batch, i):
        self.log("val_loss", (self.net(batch[0]) - batch[1]).pow(2).mean(), prog_bar=True)
    def configure_optimizers(self):
        o = torch.optim.Adam(self.parameters()); return {"optimizer": o, "lr_scheduler": torch.optim.lr_scheduler.StepLR(o, 1)}

data = torch.utils.data.TensorDataset(torch.randn(1200, 16), torch.randn(1200, 1))
loader = torch.utils.data.DataLoader(data, batch_size=8)
trainer = L.Trainer(max_epochs=8, accelerator="cpu", logger=L.pytorch.loggers.CSVLogger("."), log_every_n_steps=5, profiler="simple",
    callbacks=[EarlyStopping("val_loss", patience=20, verbose=True), LearningRateMonitor(), ModelCheckpoint(monitor="val_loss", verbose=True), RichModelSummary(3)])
trainer.fit(Net(), loader, loader); trainer.validate(dataloaders=loader, ckpt_path="best")
