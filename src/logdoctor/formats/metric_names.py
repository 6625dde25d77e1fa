"""What frameworks call the same metric: common_name."""

import re
from functools import cache
from typing import NamedTuple


class CommonName(NamedTuple):
    """A metric that people look at, and how frameworks print its name.

    Attributes:
        name: what it is called here.
        printed: a regex of whole names.
        samples: names that are printed, by whom.
    """

    name: str
    printed: str
    samples: tuple[str, ...]


_PATH = r"(?:[\w.-]+/)*"
_TRAINED = r"(?!val(?!ue)|test|eval|timing)(?:[\w.-]+/)*"
_MEAN = r"(?:/mean|/avg|_mean)?"

_ACTOR = r"(?:[\w-]+/)*\w*actor/(?:update/)?"

COMMON_NAMES = (
    CommonName(
        "reward",
        r"critic/(?:score|rewards)/mean|(?:train/)?rewards?(?:/mean)?|rollout/(?:raw_)?rewards?"
        rf"|reward/avg_raw_reward|Avg Reward|{_TRAINED}task_reward(?:/avg)?|mean_reward"
        rf"|(?:train/|objective/)?(?:scores?|rlhf_reward)|ep_rew_mean|{_TRAINED}reward(?:/all)?/mean",
        ("critic/rewards/mean", "reward", "rollout/raw_reward", "Avg Reward", "reward/all/mean"),
    ),
    CommonName(
        "held-out",
        r"(?:val|test|eval)(?:-core|-aux)?[/_](?:[\w.@-]+/)*"
        r"(?:acc(?:uracy)?|rewards?|(?:test_|avg_)?scores?|loss|mean_acc|reward_mean"
        r"|mean@\d+|best@\d+/mean)"
        rf"{_MEAN}",
        ("val-core/gsm8k/acc/mean@1", "eval_loss", "val/test_score", "eval/all/avg_score"),
    ),
    CommonName(
        "entropy",
        rf"{_TRAINED}(?:policy_|approx_)?entropy(?:_loss)?(?:/all)?{_MEAN}",
        (
            "actor/entropy",
            "entropy",
            "train/entropy_loss",
            "policy/policy_entropy",
            "critic/entropy/mean",
            "ppo_actor/update/entropy/avg",
            "entropy/all/mean",
            "Entropy",
        ),
    ),
    CommonName(
        "kl",
        rf"{_TRAINED}(?:ppo_kl|approx_?kl|kl_loss|avg_kl|mean_kl|kl|reward_kl)(?:_mean)?{_MEAN}",
        ("actor/ppo_kl", "actor/kl_loss", "kl", "loss/avg_kl", "objective/kl"),
    ),
    CommonName(
        "clip fraction",
        rf"{_TRAINED}(?:pg_clipfrac|(?:ppo_ratio_)?clipfrac|ppo_clip_ratio|policy_clip_ratio"
        rf"|actor_clip_ratio)(?:_avg)?{_MEAN}|{_ACTOR}clip_ratio/avg"
        r"|(?:train/)?clip_ratio(?:/(?:region|high|low)_mean)?",
        (
            "actor/pg_clipfrac",
            "clip_ratio/region_mean",
            "ppo_clip_ratio",
            "actor/ppo_ratio_clipfrac",
            "ppo_actor/update/clip_ratio/avg",
        ),
    ),
    CommonName(
        "length",
        r"response_length(?:/mean)?|(?:train/)?completions/mean_length"
        rf"|{_TRAINED}response_len(?:gth)?{_MEAN}|{_ACTOR}seq_len/avg"
        r"|Mean Generation Length|generate/avg_num_tokens",
        ("response_length/mean", "completions/mean_length", "rollout/response_len/mean"),
    ),
    CommonName(
        "truncated",
        r"response_length/clip_ratio|(?:train/)?completions/clipped_ratio|response_clip_ratio"
        r"|(?:rollout/)?truncated(?:_ratio)?|Truncation|(?:[\w-]+/)*is_truncated(?:/all)?/mean"
        rf"|{_PATH}no_eos_ratios?(?:/avg)?",
        ("response_length/clip_ratio", "completions/clipped_ratio", "Truncation", "truncated"),
    ),
    CommonName(
        "gradient norm",
        rf"{_TRAINED}(?:(?:actor_|policy_|raw_)?grad_norm|grad norm|grad\. norm|gradient_norm"
        rf"|global_grad_norm){_MEAN}",
        ("actor/grad_norm", "grad_norm", "grad norm", "actor_grad_norm", "Grad. Norm"),
    ),
    CommonName(
        "loss",
        rf"{_TRAINED}(?:pg_|policy_|lm[_ ]|train_|vf_|critic_|value_|actor_|total_|final_)?loss"
        rf"(?:_step|_epoch)?{_MEAN}",
        ("loss", "lm loss", "actor/pg_loss", "train_loss", "value_loss", "Loss"),
    ),
    CommonName(
        "learning rate",
        rf"{_PATH}(?:actor_|policy_)?(?:lr|learning[_ ]rate|lr-\w+)",
        ("learning_rate", "actor/lr", "learning rate", "actor_lr", "LR"),
    ),
    CommonName(
        "throughput",
        r"perf/throughput|tps|tokens[_/](?:per_)?sec(?:ond)?(?:_per_gpu)?|throughput"
        r"|train_(?:samples|steps|tokens)_per_second|perf/\w*(?:tgs|tokens_per_gpu_per_sec)"
        rf"|{_PATH}(?:samples|tokens)_per_second(?:_per_gpu)?|system/tps",
        ("perf/throughput", "tps", "train_samples_per_second", "tokens_per_second_per_gpu"),
    ),
    CommonName(
        "step time",
        r"(?:timing_s|timing|time)/step(?:_total)?|perf/time_per_step|(?:perf/)?step_time"
        r"|elapsed time per iteration|timeperf/e2e|Total step time",
        ("timing_s/step", "step_time", "elapsed time per iteration", "time/step_total"),
    ),
    CommonName(
        "mismatch",
        r"training/rollout_probs_diff_mean|(?:train/)?train_rollout_logprob_abs_diff"
        r"|policy/rollout_train_logprobs_abs_diff_mean"
        r"|(?:train/)?sampling/sampling_logp_difference/mean"
        rf"|{_PATH}token_mult_prob_error|Token Mult Prob Error|rollout_corr/rollout_is_mean"
        rf"|{_PATH}gen_kl_error|Generation KL Error|Mismatch KL|mismatch_kl/all/mean"
        rf"|{_PATH}importance_weight/avg|(?:train/)?sampling/importance_sampling_ratio/mean",
        ("training/rollout_probs_diff_mean", "train/train_rollout_logprob_abs_diff"),
    ),
    CommonName(
        "advantage",
        rf"critic/advantages/(?:mean|max)|{_TRAINED}advantages?{_MEAN}"
        r"|loss/avg_raw_advantages_abs",
        ("critic/advantages/max", "rollout/advantages"),
    ),
    CommonName(
        "equal rewards",
        r"(?:train/)?frac_reward_zero_std|reward/num_zero_variance_filtered|rollout/zero_std/\w+",
        ("frac_reward_zero_std",),
    ),
    CommonName(
        "staleness",
        rf"async/staleness_mean|{_PATH}sample_staleness_theta_avg|{_PATH}avg_trajectory_age"
        r"|Avg Trajectory Age|off_policy/mean|off_policy_level/all/mean|Max Off-Policy"
        r"|fully_async/max_version_gap",
        (
            "async/staleness_mean",
            "ppo_actor/update/version_stats/sample_staleness_theta_avg",
            "Avg Trajectory Age",
            "Max Off-Policy",
        ),
    ),
)
"""In the order in which people look at them. A name that two fit has the earlier one."""

_ASKED = re.compile(r"(?<![?P])<([a-z -]+)>")
"""A common name in the regex of a signature."""


@cache
def _fitting() -> re.Pattern[str]:
    return re.compile("|".join(f"({each.printed})" for each in COMMON_NAMES), re.IGNORECASE)


def common_name(metric: str) -> str | None:
    """What the metric of this name is called here; None where it has no such name."""
    found = _fitting().fullmatch(metric)
    return COMMON_NAMES[found.lastindex - 1].name if found and found.lastindex else None


def name_in(words: str) -> str | None:
    """The metric that the last of these words name, where one of them has a common name."""
    parts = words.split(" ")
    names = (" ".join(parts[first:]) for first in range(len(parts)))
    return next((name for name in names if common_name(name)), None)


def with_common_names(pattern: str) -> str:
    """The regex of metrics' names, with all that frameworks print in place of a common name in
    angle brackets: `<reward>`.

    Raises:
        ValueError: there is no such common name.
    """
    return _ASKED.sub(lambda found: f"(?:{_printed(found[1])})", pattern)


def _printed(name: str) -> str:
    for each in COMMON_NAMES:
        if each.name == name:
            return each.printed
    known = ", ".join(each.name for each in COMMON_NAMES)
    raise ValueError(f"no common name <{name}>; there are {known}")
