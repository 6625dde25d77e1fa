"""Ray tasks and actors which print and log."""
import logging, random, time
import ray
ray.init(num_cpus=3, include_dashboard=False, log_to_driver=True)

@ray.remote
class Worker:
    def __init__(self, rank):
        logging.basicConfig(level=logging.INFO); self.rank = rank; self.log = logging.getLogger("worker")
    def step(self, n):
        self.log.info("rank %d starts step %d with batch %d", self.rank, n, random.randint(1, 512))
        print(f"step {n}: loss {random.random():.5f} reward/mean {random.gauss(0, 1):.4f} response_length/mean {random.uniform(50, 900):.2f} throughput {random.uniform(100, 9000):.1f} tokens/s")
        return self.rank

@ray.remote
def evaluate(n):
    print(f"evaluating shard {n} of the validation set, accuracy={random.random():.3f}"); return n

workers = [Worker.options(name=f"worker-{i}").remote(i) for i in range(2)]
for n in range(600):
    ray.get([w.step.remote(n) for w in workers])
    if n % 30 == 0:
        ray.get([evaluate.remote(i) for i in range(4)]); print(ray.cluster_resources(), ray.available_resources())
time.sleep(2); ray.shutdown()
