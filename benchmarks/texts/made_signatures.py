"""Made-up signatures for the row that asks how speed falls with their number: write_signatures.

Their templates are messages put together from words that programs use when something fails, with slots for what varies;
no two have the same wording, and their lengths are spread as those of the real ones (about 25 to 140 literal characters).
"""

from __future__ import annotations

import random
from pathlib import Path

import yaml

SUBJECTS = (
    "scheduler allocator dataloader tokenizer optimizer watchdog launcher prefetcher sampler serializer checkpoint-writer weight-loader parameter-server "
    "communicator rendezvous block-manager page-table block-pool ring-buffer gradient-bucket autotuner compiler-backend graph-executor kernel-cache "
    "placement-group object-store raylet-client rpc-channel heartbeat-monitor lease-manager storage-backend mount-helper sandbox-runner verifier "
    "reward-router rollout-worker replay-buffer trajectory-queue adapter-registry quantizer expert-router attention-backend rope-scaler"
).split()
FAILURES = (
    "refused to admit|could not resolve|gave up waiting for|was unable to reserve|rejected the layout of|lost its lease on|failed to materialise|"
    "received a truncated|found conflicting values for|cannot broadcast|expected a contiguous|ran past the end of|aborted while flushing|"
    "did not acknowledge|timed out negotiating|detected corruption in|has no registered handler for|exhausted every replica of|"
    "was handed a stale|must not be called with|does not support mixing|overflowed while accumulating|has already released|failed its checksum on"
).split("|")
OBJECTS = (
    "shard manifest|embedding table|pinned staging buffer|optimizer state partition|causal mask|position index|sequence packing plan|block table entry|"
    "speculative draft tokens|logits processor chain|collective handle|device mesh dimension|pipeline stage boundary|micro-batch schedule|vocabulary file|"
    "chat template|reward payload|episode record|environment snapshot|adapter weights|calibration scales|cached compile artifact|memory-mapped region|"
    "file descriptor table|hostfile entry|bandwidth probe|fabric endpoint|queue pair|completion event|stream capture|workspace tensor|expert capacity buffer"
).split("|")
DETAILS = (
    "at offset {offset:int}|for request {request:word}|on device {device:int}|after {seconds:number} seconds|(wanted {wanted:size}, had {had:size})|"
    "in partition {partition:int} of {partitions:int}|because the previous generation is still open|while resuming from {path:word}|"
    "with dtype {dtype:word} and shape {shape:int}|during warm-up of layer {layer:int}|since revision {revision:word} is older than the index|"
    "although strict mode was requested|before the barrier of step {step:int}|by peer {peer:word}|under tensor parallel size {size:int}"
).split("|")
ENDINGS = (
    "lower the concurrency and try again|see the output of the first worker|the run cannot continue|set the limit higher or shorten the prompt|"
    "this usually means that two jobs share a folder|rebuild the extension for this toolkit|all ranks must agree on it|the remaining work is dropped|"
    "check that every node mounts the same volume|no further attempts will be made"
).split("|")
NAMES = (
    "max min num use enable cache batch token layer head expert rank world local global chunk page block slot group stage step epoch seed port host path model draft "
    "kv tp pp dp ep async sync overlap offload pin prefetch compile graph eager dtype scale clip norm decay warmup ratio limit size count len ids mask state"
).split()
ERRORS = "RuntimeError ValueError AssertionError AllocationFailure ProtocolMismatch StaleHandleError LayoutError ConsistencyError CapacityError".split()


def write_signatures(folder: Path, count: int, seed: int) -> None:
    """Writes so many signature files below folder/madeup; leaves a folder that has them as it is."""
    target = folder / "madeup"
    if target.exists() and len(list(target.iterdir())) == count:
        return
    target.mkdir(parents=True, exist_ok=True)
    draw = random.Random(seed)  # made-up text
    seen: set[str] = set()
    while len(seen) < count:
        wording = _wording(draw)
        if wording not in seen:
            seen.add(wording)
            name = f"madeup-failure-{len(seen)}"
            text = yaml.dump(
                _signature(name, wording),
                Dumper=_Plain,
                allow_unicode=True,
                sort_keys=False,
                width=200,
            )
            (target / f"{name}.yaml").write_text(text, encoding="utf-8")


class _Plain(yaml.SafeDumper):
    """Writes repeated values out."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002  # the interface of yaml
        return True


def _wording(draw: random.Random) -> str:
    parts = [f"{draw.choice(SUBJECTS)} {draw.choice(FAILURES)} the {draw.choice(OBJECTS)}"]
    if draw.random() < 0.7:  # shares of the mix
        parts[0] = f"{draw.choice(ERRORS)}: {parts[0]}"
    if draw.random() < 0.75:
        parts[0] += f" {draw.choice(DETAILS)}"
    if draw.random() < 0.6:
        parts[0] += f" ({'_'.join(draw.sample(NAMES, 3))})"
    if draw.random() < 0.3:
        parts.append(draw.choice(ENDINGS))
    wording = "; ".join(parts)
    return (
        wording + " of this attempt" if wording.endswith("}") and draw.random() < 0.5 else wording
    )


def _signature(name: str, wording: str) -> dict[str, object]:
    both = {"en": "Made up for a benchmark", "zh": "仅用于基准测试"}
    example = wording
    for kind, value in (("int", "17"), ("number", "2.5"), ("size", "3.25 GiB"), ("word", "w-17")):
        while f":{kind}}}" in example:
            start = example.rindex("{", 0, example.index(f":{kind}}}"))
            example = (
                example[:start] + value + example[example.index(f":{kind}}}") + len(kind) + 2 :]
            )
    return {
        "id": name,
        "title": both,
        "component": "madeup",
        "severity": "error",
        "role": "cause",
        "maturity": "draft",
        "patterns": [{"template": wording}],
        "cause": both,
        "remedies": [{"action": both, "risk": "safe", "check": both}],
        "examples": [{"text": example, "origin": "made up for a benchmark"}],
        "counterexamples": [{"text": "all is well", "why": "nothing failed"}],
        "references": ["https://example.org/benchmark"],
    }
