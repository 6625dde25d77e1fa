"""A Hydra application, run over several settings."""
import logging
import hydra
from omegaconf import OmegaConf
@hydra.main(version_base=None, config_path=None)
def main(cfg):
    log = logging.getLogger(__name__); log.info("configuration\n%s", OmegaConf.to_yaml(cfg, resolve=True))
    for epoch in range(20): log.debug("epoch %d of trial %s", epoch, cfg.get("trial"))
main()
