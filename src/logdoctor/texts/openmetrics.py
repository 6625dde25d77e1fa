"""Figures to the text that Prometheus and OpenMetrics read: Gauge, exposition.

Gauges only, because node_exporter's textfile collector reads the older text format, in which other
kinds are written differently; what is written here means the same in both.
https://prometheus.io/docs/specs/om/open_metrics_spec/
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Gauge(NamedTuple):
    """A metric.

    Attributes:
        says: one sentence.
        samples: its values with their labels, no two with the same; may be empty.
    """

    name: str
    says: str
    samples: Iterable[tuple[Mapping[str, str], float]]


def exposition(gauges: Iterable[Gauge]) -> str:
    """The whole text, with the mark of its end."""
    lines = []
    for gauge in gauges:
        lines += [f"# HELP {gauge.name} {_escaped(gauge.says)}", f"# TYPE {gauge.name} gauge"]
        for labels, value in gauge.samples:
            told = ",".join(f'{name}="{_escaped(text)}"' for name, text in labels.items())
            lines.append(
                f"{gauge.name}{{{told}}} {value:.15g}" if told else f"{gauge.name} {value:.15g}"
            )
    return "\n".join([*lines, "# EOF"]) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
