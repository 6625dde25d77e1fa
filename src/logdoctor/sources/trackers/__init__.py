"""What experiment trackers keep (TensorBoard, wandb, CSV, the Trainer's state): in come the bytes
of such a file, out go lines as a console would have them, `step:120 - actor/entropy:0.42`.

So one reader of metrics serves consoles and files. No tracker's package is needed: machines that
judge runs seldom have them, and their own readers keep whole runs in memory.
"""
