"""Data-parallel training over gloo."""
import logging, os, sys, time
import torch, torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

logging.basicConfig(level=logging.DEBUG, format="%(asctime)s %(levelname)s [%(name)s:%(lineno)d] %(message)s")
log = logging.getLogger("train")
steps = int(sys.argv[1]) if len(sys.argv) > 1 else 1500
dist.init_process_group("gloo")
rank = dist.get_rank()
log.info("initialised rank %d of %d on %s", rank, dist.get_world_size(), os.environ["MASTER_ADDR"])
model = DistributedDataParallel(nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 8)))
print(model)
optimiser = torch.optim.AdamW(model.parameters(), lr=3e-4)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
for step in range(steps):
    began = time.perf_counter()
    x = torch.randn(16, 32)
    loss = nn.functional.mse_loss(model(x), x[:, :8] * 2)
    optimiser.zero_grad(); loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimiser.step(); schedule.step()
    total = loss.detach().clone(); dist.all_reduce(total)
    log.info("step %d/%d loss %.4f grad_norm %.3f lr %.3e samples/s %.1f", step, steps, total / dist.get_world_size(), norm, schedule.get_last_lr()[0], 16 / (time.perf_counter() - began))
    if step % 500 == 499 and rank == 0:
        torch.save(model.state_dict(), f"checkpoint-{step}.pt"); log.info("saved checkpoint-%d.pt", step)
dist.barrier(); dist.destroy_process_group()
log.info("training finished")
