"""Healthy log: verl's own PPO configuration, DataProto, advantages, gsm8k reward, metrics and console logger around a tiny policy.

verl's FSDP engine wants CUDA, so the model here is a tiny network of this script; all printing of configuration and metrics is
verl's (`python -m verl.trainer.main_ppo` prints the same configuration in the same way), in a Ray task called TaskRunner as there.

Packages (python 3.11): torch==2.13.0 (CPU build), verl==0.9.1, ray[default]==2.60.0, transformers==5.10.4, tensordict==0.10.0,
uvicorn==0.54.0, fastapi==0.165.0, cachetools==8.0.0, numpy==2.4.6
Run:
    python healthy_verl_console.py > verl-console.log 2>&1
"""

import os
import time
from pprint import pprint

import ray

STEPS = 40


@ray.remote(num_cpus=1)
class TaskRunner:
    def run(self):
        import numpy as np
        import torch
        import verl
        from hydra import compose, initialize_config_dir
        from omegaconf import OmegaConf
        from verl import DataProto
        from verl.trainer.ppo.metric_utils import compute_data_metrics, compute_timing_metrics, reduce_metrics
        from verl.trainer.ppo.ray_trainer import AdvantageEstimator, compute_advantage
        from verl.utils.reward_score import gsm8k
        from verl.utils.tracking import Tracking

        with initialize_config_dir(os.path.join(os.path.dirname(verl.__file__), "trainer", "config"), version_base=None):
            config = compose("ppo_trainer", overrides=["algorithm.adv_estimator=grpo", "trainer.logger=[console]", "data.train_batch_size=16"])
        print(f"TaskRunner hostname: localhost, PID: {os.getpid()}")
        pprint(OmegaConf.to_container(config, resolve=False))
        tracking = Tracking(
            config.trainer.project_name, config.trainer.experiment_name, config.trainer.logger, OmegaConf.to_container(config, resolve=False)
        )
        print("Training from scratch")

        torch.manual_seed(0)
        words = ["#### 42", "#### error", "RuntimeError", "Killed", "nan", "Traceback", "the answer is", "<eos>"]
        policy = torch.nn.Embedding(4, 6 * len(words))
        opt = torch.optim.Adam(policy.parameters(), 0.05)
        for step in range(1, STEPS + 1):
            t0 = time.time()
            prompts = torch.arange(4).repeat_interleave(4)
            logits = policy(prompts).view(16, 6, len(words))
            dist = torch.distributions.Categorical(logits=logits)
            resp = dist.sample()
            ended = (resp == 7).cumsum(1) > 0
            mask = torch.cat([torch.ones(16, 1, dtype=torch.bool), ~ended[:, :-1]], 1)
            t1 = time.time()
            scores = torch.zeros(16, 6)
            for i in range(16):
                text = " ".join(words[w] for w, m in zip(resp[i], mask[i]) if m)
                score = gsm8k.compute_score(text, "42", method="flexible")
                scores[i, int(mask[i].sum()) - 1] = score
                if i == 0 and step % 5 == 1:  # as verl's reward managers do
                    print("[prompt]", f"question {prompts[i].item()}")
                    print("[response]", text)
                    print("[ground_truth]", "42")
                    print("[score]", score)
            batch = DataProto.from_dict(
                {
                    "prompts": prompts[:, None],
                    "responses": resp,
                    "attention_mask": torch.cat([torch.ones(16, 1), mask], 1).long(),
                    "response_mask": mask.float(),
                    "token_level_scores": scores,
                    "token_level_rewards": scores,
                },
                non_tensors={"uid": np.array([str(p.item()) for p in prompts], dtype=object)},
            )
            batch.meta_info["global_token_num"] = batch.batch["attention_mask"].sum(-1).tolist()
            batch = compute_advantage(batch, AdvantageEstimator.GRPO, num_repeat=4)
            t2 = time.time()
            loss = -(dist.log_prob(resp) * batch.batch["advantages"] * mask).sum() / mask.sum()
            opt.zero_grad()
            loss.backward()
            norm = torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
            opt.step()
            metrics = reduce_metrics({"actor/pg_loss": [loss.item()], "actor/grad_norm": [norm.item()]})
            metrics.update({"training/global_step": step, "training/epoch": 0})
            metrics.update(compute_data_metrics(batch, use_critic=False))
            metrics.update(
                compute_timing_metrics(batch, {"gen": t1 - t0, "reward": t2 - t1, "update_actor": time.time() - t2, "step": time.time() - t0})
            )
            tracking.log(metrics, step)
            if step % 20 == 0:
                print(f"local_global_step_folder: checkpoints/{config.trainer.project_name}/{config.trainer.experiment_name}/global_step_{step}")
        pprint(f"Final validation metrics: {{'val-core/openai/gsm8k/reward/mean@1': {batch.batch['token_level_scores'].sum(-1).mean().item()}}}")


def main():
    env = {"TOKENIZERS_PARALLELISM": "true", "NCCL_DEBUG": "WARN", "VLLM_LOGGING_LEVEL": "WARN", "HYDRA_FULL_ERROR": "1"}
    print("ray init kwargs:", {"num_cpus": 2, "runtime_env": {"env_vars": env}})
    ray.init(address="local", num_cpus=2, include_dashboard=False, runtime_env={"env_vars": env})
    ray.get(TaskRunner.remote().run.remote())
    time.sleep(1)


if __name__ == "__main__":
    main()
