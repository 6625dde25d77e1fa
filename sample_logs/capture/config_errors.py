"""A training that does not get past its configuration: `config_errors.py --kind KIND …` or with Hydra's overrides.

pydantic: a setting of the wrong type. mandatory: a `???` that nobody filled in. interpolation: a name that does not
exist. Without --kind it is a Hydra program, which `unknown` and `target` of capture/run make fail.
"""

import logging
import os
import sys

from omegaconf import OmegaConf

log = logging.getLogger("config")
YAML = """
data: {train: /data/train.parquet, batch_size: 64}
model: {path: '???', dtype: bfloat16}
trainer: {steps: 100, output: '${paths.output}/run'}
optimizer: {_target_: torch.optim.AdamWW, lr: 0.001}
"""


def pydantic_kind():
    import pydantic

    class Trainer(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(extra="forbid")
        steps: pydantic.PositiveInt
        learning_rate: float
        save_every: int = 100

    print(Trainer(steps=0, learning_rate="3e-4 # warm", save_evry=50))


def main():
    kind = sys.argv[2]
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    log.info("python %s, pid %d, reading the configuration", sys.version.split()[0], os.getpid())
    if kind == "pydantic":
        return pydantic_kind()
    read = OmegaConf.create(YAML)
    log.info("configuration:\n%s", OmegaConf.to_yaml(read))
    return print(read.model.path if kind == "mandatory" else read.trainer.output)


def hydra_main():
    import hydra

    @hydra.main(version_base=None, config_path="conf", config_name="train")
    def run(config):
        log.info("optimizer: %s", config.optimizer)
        hydra.utils.instantiate(config.optimizer, params=[])

    run()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--kind"]:
        main()
    else:
        os.makedirs("conf", exist_ok=True)
        with open("conf/train.yaml", "w") as file:
            file.write(YAML.replace("'???'", "tiny").replace("'${paths.output}/run'", "out"))
        hydra_main()
