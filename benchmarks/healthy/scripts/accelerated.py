"""A training loop with accelerate."""
import logging
import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from tqdm.auto import tqdm

logging.basicConfig(level=logging.DEBUG, format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S")
log = get_logger(__name__, log_level="DEBUG")
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
log.info(accelerator.state, main_process_only=False)
model, optimiser = torch.nn.Linear(16, 4), None
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
loader = torch.utils.data.DataLoader(torch.randn(4000, 16), batch_size=8)
model, optimiser, loader = accelerator.prepare(model, optimiser, loader)
log.info("***** Running training *****"); log.info(f"  Num examples = 4000"); log.info("  Gradient Accumulation steps = 2")
for epoch in range(3):
    bar = tqdm(loader, desc=f"Epoch {epoch}", disable=not accelerator.is_local_main_process)
    for step, batch in enumerate(bar):
        with accelerator.accumulate(model):
            loss = model(batch).pow(2).mean(); accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0); optimiser.step(); optimiser.zero_grad()
        bar.set_postfix(loss=loss.item())
        log.debug("step %d: loss %.5f", step, loss.item(), main_process_only=False)
    accelerator.wait_for_everyone(); accelerator.save_state(f"state-{epoch}")
accelerator.end_training()
