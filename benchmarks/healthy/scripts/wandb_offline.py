"""wandb without a network."""
import glob, random
import wandb
run = wandb.init(project="healthy", mode="offline", config={"lr": 3e-4, "model": "tiny", "batch_size": 32})
for step in range(1200):
    run.log({"loss": random.random(), "reward/mean": random.gauss(0, 1), "perf/tokens_per_second": random.uniform(1e3, 1e4)})
    if step % 10 == 0: print(f"step {step} loss {random.random():.4f}")
run.finish()
for path in sorted(glob.glob("wandb/**/*.log", recursive=True)): print(open(path, errors="replace").read()[:500_000])
