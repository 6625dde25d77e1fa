"""What SkyRL prints."""

from logdoctor.formats.rows import Format, framework

FORMAT = Format(
    "skyrl",
    markers=(
        *framework(
            "skyrl",
            (
                r"/skyrl(?:_train|_gym|_agent|/(?:train|backends|tinker|tx))/",
                '  File "/x/skyrl/train/trainer.py", line 1',
            ),
            (
                r"\| skyrl(?:_train|_agent)?\.[a-z_.]+:|\(skyrl_entrypoint pid=",
                "(skyrl_entrypoint pid=277057) text",
            ),
        ),
    ),
)
