"""What is said of numbers as a page: numbers_page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from logdoctor.formats.metric_names import COMMON_NAMES
from logdoctor.model import MetricBounds, MetricPattern, Signature

_HEAD = """\
# Numbers: the runs that die without an error

Entropy collapses, rewards are all equal, answers grow into the limit, a loss is NaN and nobody
stops: logdoctor judges what a run prints of its steps, wherever it stands.

| where | what is read |
| --- | --- |
| consoles | step lines of the frameworks, dictionaries, tables, progress bars, JSON lines |
| TensorBoard | `events.out.tfevents.*`; a last record that is still being written is no fault |
| wandb, offline | `run-*.wandb`: its console output, configuration, history and exit code |
| SwanLab | `run-*.swanlab` (before 0.8 `backup.swanlab`): console output, scalars, how it ended |
| wandb | the last values in `wandb-summary.json` |
| transformers | the history in `trainer_state.json` |
| MLflow's file store | `mlruns/*/*/metrics/`, a file for each metric |
| CSV | a table whose first line names a step, such as Lightning's `metrics.csv` |

Files are read without the packages of their trackers, as lines like
`step:120 - actor/entropy:0.42`, which is how evidence shows them; the line's number counts these.
They are read when they are named, and in folders and archives.

`logdoctor scan LOGS --plot reward` draws a metric in the terminal, `--format html` all of them on a
page, and `scan(…, options=ScanOptions(wants_series=True)).series` gives their values to a program.

JSON has a diagnosis of numbers with its `series`: the metric, the step where it left its course,
what it was like before and the last value. A judgement is a warning unless the run is certainly
lost, and stands only while the last values are out of order: what recovers is forgotten.

The line of a diagnosis is the one where a bound was crossed, which is late where a metric drifts.
Its onset is earlier: the bend where the values left the straight line that they were on. Of a
thousand made courses it is within 5 % of the steps in 974 (`benchmarks/accuracy/made_courses.py`).

*start* is the median of the first 20 values (10 at least), *median* that of the last 500, *best*
the highest mean that 20 values in succession held.

"""


_CAPTURE = re.compile(r"\{(\w+)\}")


def _names() -> Iterator[str]:
    yield "## Names\n"
    yield "A name in angle brackets stands for what frameworks call it, in any letter case:\n"
    yield "| name | is printed as |\n| --- | --- |"
    for each in COMMON_NAMES:
        printed = each.printed.replace("|", "\\|")
        samples = ", ".join(f"`{sample}`" for sample in each.samples)
        yield f"| `<{each.name}>` | {samples} (`{printed}`) |"


def numbers_page(signatures: Iterable[Signature]) -> str:
    """The page, in Markdown: an index, then each signature with a metric, by its id."""
    told = sorted((each for each in signatures if each.metrics), key=lambda each: each.id)
    index = "\n".join(f"| [{each.id}](#{each.id}) | {each.title.en} |" for each in told)
    sections = "\n".join("\n".join(_section(each)) for each in told)
    names = "\n".join(_names())
    return f"{_HEAD}| signature | what is said |\n| --- | --- |\n{index}\n\n{sections}\n{names}\n"


def _section(signature: Signature) -> Iterator[str]:
    yield f"## {signature.id}\n"
    yield f"{signature.title.en} · {signature.title.zh}\n"
    for each in signature.metrics:
        yield f"- {_condition(each)}"
    cause = signature.cause.en.replace("[[", "").replace("]]", "")
    yield ""
    yield _CAPTURE.sub(r"*\1*", cause) + "\n"
    for reference in signature.references:
        yield f"<{reference}>\n"


def _condition(pattern: MetricPattern) -> str:
    other = pattern.companion
    beside = f", while `{other.name}` is {_bounds(other.bounds)}" if other else ""
    share = f" and {pattern.share:.0%} of all steps" if pattern.share else ""
    told = f"{_bounds(pattern.bounds)} for {pattern.steps} steps{share}"
    return f"`{pattern.name}` is {told}{beside}"


def _bounds(bounds: MetricBounds) -> str:
    told = (
        (bounds.is_not_finite, "not finite"),
        (bounds.is_constant, "the same as before"),
        (bounds.is_zero, "exactly 0"),
        (bounds.above is not None, f"above {bounds.above}"),
        (bounds.below is not None, f"below {bounds.below}"),
        (bounds.times_median is not None, f"above {bounds.times_median} × median"),
        (bounds.above_start is not None, f"above {bounds.above_start} × start"),
        (bounds.below_start is not None, f"below {bounds.below_start} × start"),
        (bounds.below_best is not None, f"below {bounds.below_best} × best"),
    )
    return " and ".join(text for is_given, text in told if is_given)
