"""DeepSpeed, ZeRO 2, on the CPU."""
import os
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29671", RANK="0", WORLD_SIZE="1", LOCAL_RANK="0")
import deepspeed, torch
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))
config = {"train_batch_size": 8, "steps_per_print": 1, "optimizer": {"type": "Adam", "params": {"lr": 1e-3, "torch_adam": True}}, "bf16": {"enabled": True}, "zero_optimization": {"stage": 2}, "wall_clock_breakdown": True, "scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": 20}}, "gradient_clipping": 1.0}
engine, *_ = deepspeed.initialize(model=model, config=config, model_parameters=model.parameters(), dist_init_required=True)
for step in range(800):
    loss = engine(torch.randn(8, 16).bfloat16()).float().pow(2).mean()
    engine.backward(loss); engine.step()
engine.save_checkpoint("ckpt")
