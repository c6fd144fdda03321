"""Takes its configuration with hydra."""
import logging

import hydra
from omegaconf import DictConfig, OmegaConf

log = logging.getLogger(__name__)


@hydra.main(version_base="1.3", config_path="conf", config_name="config")
def main(config: DictConfig):
    log.info("configuration:\n%s", OmegaConf.to_yaml(config))
    log.info("reading %s", config.data_dir)
    for step in range(3):
        log.info("step %d loss %.4f", step, 2.5 / (1 + step))
    if config.trainer.precision == 16:
        raise ValueError(f"precision {config.trainer.precision} needs a GPU")
    log.warning("no validation set given")


main()
