"""A local Dask cluster at debug level."""
import logging
import dask
dask.config.set({"logging": {"distributed": "debug", "distributed.worker": "debug", "distributed.scheduler": "debug"}})
logging.basicConfig(level=logging.DEBUG, format="%(asctime)s - %(name)s - %(levelname)s - %(message)s")
if __name__ == "__main__":
    from distributed import Client, LocalCluster
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster, Client(cluster) as client:
        for n in range(60): print(client.gather(client.map(lambda i: i * i, range(n, n + 10))))
