"""What Axolotl prints (0.19.0; its forms of records are those of axolotl/logging_config.py)."""

from logdoctor.formats.levels import LEVEL
from logdoctor.formats.rows import DATE_TIME, Format, framework, phase, record
from logdoctor.model import Phase

FORMAT = Format(
    "axolotl",
    markers=(
        *framework(
            "axolotl",
            (
                r"\] \[axolotl\.[a-z_.]+[\]:]",
                "[2026-11-22 21:07:11,702] [INFO] [axolotl.train] Starting trainer...",
            ),
            (
                r"/axolotl/(?:cli|common|core|loaders|monkeypatch|integrations|utils|train\.py)",
                '  File "/app/src/axolotl/cli/train.py", line 1',
            ),
            (r"-m axolotl\.cli\.", "accelerate launch -m axolotl.cli.train config.yaml"),
        ),
        *phase(
            Phase.INIT,
            (
                r"\[axolotl\.cli\.utils\.load\S* .{0,20}loading (?:tokenizer|model)\.\.\.",
                (
                    "[2026-11-22 21:07:11,708] [INFO] [axolotl.cli.utils.load] [RANK:1] "
                    "loading model..."
                ),
            ),
        ),
        *phase(
            Phase.TRAIN,
            (
                r"\[axolotl\.train\S* .{0,20}Starting trainer\.\.\.",
                "[2026-11-22 21:07:11,702] [INFO] [axolotl.train] Starting trainer...",
            ),
        ),
    ),
    prefixes=(
        record(
            "Axolotl",
            "[0",
            "[axolotl.",
            (
                rf"\[(?P<time>{DATE_TIME})\] \[(?P<level>{LEVEL})\] \[axolotl\.[\w.]+(?::\d+)?\]"
                r"(?: \[PID:(?P<pid>\d+)\])?(?: \[RANK:(?P<rank>\d+)\])? ?"
            ),
            "[2026-11-22 21:07:02,145] [INFO] [axolotl.train] text",
            "[2026-11-22 21:07:02,146] [INFO] [axolotl.cli.utils.load] [RANK:1] text",
            "[2026-11-22 21:07:02,146] [INFO] [axolotl.train.train:237] [PID:4011] [RANK:1] text",
        ),
    ),
)
