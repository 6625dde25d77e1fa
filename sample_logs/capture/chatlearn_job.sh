set -x
export exp_name=qwen3-grpo-8b
python chatlearn_ray_channel_timeout.py \
        runtime_args.exp_name=${exp_name} \
        runtime_args.num_episode=200 \
        models.policy_trainer.num_gpu=8 \
        models.policy_trainer.packing=True \
        models.policy.enforce_eager=False \
        models.policy.tensor_model_parallel_size=4 \
        models.policy.gpu_memory_utilization=0.85
