"""Four ranks on gloo; the batch that rank 2 draws at step 7 has a token outside the vocabulary.

torch.nn.functional.embedding raises IndexError on rank 2 alone. The other ranks are then
inside an all-reduce and lose their peer.
"""

import logging
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

VOCAB = 2048


class TinyLM(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.embed_tokens = nn.Embedding(VOCAB, hidden)
        self.mlp = nn.Sequential(nn.Linear(hidden, 4 * hidden), nn.GELU(), nn.Linear(4 * hidden, hidden))
        self.lm_head = nn.Linear(hidden, VOCAB, bias=False)

    def forward(self, input_ids):
        hidden = self.embed_tokens(input_ids)
        return self.lm_head(hidden + self.mlp(hidden))


def get_batch(step, rank):
    generator = torch.Generator().manual_seed(1000 * rank + step)
    batch = torch.randint(0, VOCAB, (4, 33), generator=generator)
    if rank == 2 and step == 7:
        batch[1, 5] = VOCAB + 7  # a tokenizer with an added token the model was not resized for
    return batch


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    logging.basicConfig(
        level=logging.INFO,
        format=f"%(asctime)s [rank {rank}] %(levelname)s %(message)s",
    )
    log = logging.getLogger("sft")
    log.info("world size %d, backend %s", dist.get_world_size(), dist.get_backend())
    torch.manual_seed(0)
    model = DistributedDataParallel(TinyLM())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(1, 21):
        start = time.perf_counter()
        batch = get_batch(step, rank)
        logits = model(batch[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        grad_norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        mean_loss = loss.detach().clone()
        dist.all_reduce(mean_loss)
        mean_loss /= dist.get_world_size()
        if rank == 0:
            log.info(
                "step %d/20 loss %.4f grad_norm %.3f step_time %.3fs",
                step,
                mean_loss.item(),
                grad_norm.item(),
                time.perf_counter() - start,
            )
        time.sleep(0.2)
    dist.destroy_process_group()


main()
