"""The files that Ray's own processes write for a session, debug level, one after the other."""
import glob, os, tempfile
os.environ["RAY_BACKEND_LOG_LEVEL"] = "debug"
import ray
folder = tempfile.mkdtemp(prefix="hr", dir="/tmp")
context = ray.init(num_cpus=3, include_dashboard=True, _temp_dir=folder, log_to_driver=False)
@ray.remote
def work(n): return sum(range(n))
@ray.remote
class Counter:
    def __init__(self): self.n = 0
    def add(self): self.n += 1; return self.n
print(sum(ray.get([work.remote(i) for i in range(300)])))
counters = [Counter.remote() for _ in range(3)]
ray.get([c.add.remote() for c in counters for _ in range(60)])
ray.shutdown()
for path in sorted(glob.glob(folder + "/session_latest/logs/**/*", recursive=True)):
    if os.path.isfile(path):
        print(f"==> {os.path.basename(path)} <=="); print(open(path, errors="replace").read()[:900_000])
