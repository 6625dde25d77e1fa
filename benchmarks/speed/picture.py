"""Pictures as SVG, legible on light and dark ground: bar_chart and line_chart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

STYLE = """<style>
text{font:13px system-ui,sans-serif;fill:#57606a}
.title{font-size:15px;font-weight:600;fill:#24292f}
.axis{stroke:#8c959f;stroke-width:1}
.grid{stroke:#8c959f;stroke-opacity:.25}
.own{fill:#1a7f37}.peer{fill:#8c959f}.whisker{stroke:#57606a;stroke-width:1.5}
.c0{stroke:#0969da}.c1{stroke:#1a7f37}.c2{stroke:#9a6700}.c3{stroke:#cf222e}.c4{stroke:#8250df}.c5{stroke:#0e8a8a}.c6{stroke:#bf3989}.c7{stroke:#6e7781}
.curve{fill:none;stroke-width:2}
@media (prefers-color-scheme:dark){text{fill:#9da7b3}.title{fill:#e6edf3}.own{fill:#3fb950}
.whisker{stroke:#c9d1d9}
.c0{stroke:#58a6ff}.c1{stroke:#3fb950}.c2{stroke:#d29922}.c3{stroke:#f85149}.c4{stroke:#bc8cff}.c5{stroke:#39c5cf}.c6{stroke:#f778ba}.c7{stroke:#9da7b3}}
</style>
"""
WIDTH, LABELS, ROW = 860, 330, 26
LABEL_ROOM = 30
"""Least distance of two labels on the horizontal axis."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar with its whisker from least to greatest; `is_own` for this repository's program."""

    label: str
    median: float
    least: float
    greatest: float
    text: str
    is_own: bool


def bar_chart(panels: Sequence[tuple[str, Sequence[Bar], float | None]]) -> str:
    """Panels of horizontal bars on logarithmic axes: title, bars, a line at a value or None."""
    body, top = "", 24
    for title, bars, line in panels:
        if bars:
            body += f'<text class="title" x="8" y="{top}">{escape(title)}</text>\n' + "".join(
                _panel(bars, line, top + 12)
            )
            top += 12 + ROW * len(bars) + 44
    return _document(body, top - 10)


def _panel(bars: Sequence[Bar], line: float | None, top: float) -> Iterator[str]:
    values = [value for bar in bars for value in (bar.least, bar.greatest)] + (
        [line] if line else []
    )
    low, high = math.floor(math.log10(min(values) * 0.7)), math.log10(max(values) * 1.1)
    room = WIDTH - LABELS - 170

    def place(value: float) -> float:
        return LABELS + (math.log10(max(value, 10.0**low)) - low) / (high - low) * room

    bottom = top + ROW * len(bars)
    for power in range(low, math.floor(high) + 1):
        x = place(10.0**power)
        yield (
            f'<line class="grid" x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}"/><text '
            f'x="{x:.1f}" y="{bottom + 15}" text-anchor="middle">{10.0**power:g}</text>\n'
        )
    for i, bar in enumerate(bars):
        middle = top + ROW * i + ROW / 2
        length = max(1.0, place(bar.median) - LABELS)
        yield (
            f'<text x="{LABELS - 8}" y="{middle + 4:.1f}" text-anchor="end">'
            f"{escape(bar.label)}</text>"
        )
        yield (
            f'<rect class="{"own" if bar.is_own else "peer"}" x="{LABELS}" y="{middle - 8:.1f}" '
            f'width="{length:.1f}" height="16" rx="2"/>'
        )
        yield (
            f'<line class="whisker" x1="{place(bar.least):.1f}" y1="{middle:.1f}" '
            f'x2="{place(bar.greatest):.1f}" y2="{middle:.1f}"/>'
        )
        yield (
            f'<text x="{place(bar.greatest) + 8:.1f}" y="{middle + 4:.1f}">'
            f"{escape(bar.text)}</text>\n"
        )
    if line:
        yield (
            f'<line class="whisker" stroke-dasharray="4 3" x1="{place(line):.1f}" y1="{top - 4}" '
            f'x2="{place(line):.1f}" y2="{bottom}"/>\n'
        )


@dataclass(frozen=True, slots=True)
class Plot:
    """Curves over common places on the horizontal axis.

    Values are from 0 to 1 unless `top` says more.
    """

    title: str
    horizontal: str
    places: Sequence[float]
    curves: Mapping[str, Sequence[float]]
    top: float = 1.0


def line_chart(plots: Sequence[Plot]) -> str:
    """Two plots a row, all with the same curves' names, which stand in a legend at the foot."""
    width, height = WIDTH / 2, 250
    body = "".join(
        "".join(_plot(plot, i % 2 * width, i // 2 * (height + 40))) for i, plot in enumerate(plots)
    )
    foot = math.ceil(len(plots) / 2) * (height + 40) + 16
    names = list(dict.fromkeys(name for plot in plots for name in plot.curves))
    for i, name in enumerate(names):
        x, y = 20 + i % 5 * 168, foot + i // 5 * 22
        body += (
            f'<line class="curve c{i % 8}" x1="{x}" y1="{y - 4}" x2="{x + 22}" y2="{y - 4}"/>'
            f'<text x="{x + 28}" y="{y}">{escape(name)}</text>\n'
        )
    return _document(body, foot + math.ceil(len(names) / 5) * 22)


def _plot(plot: Plot, left: float, top: float) -> Iterator[str]:
    x0, x1, y0, y1 = left + 48, left + WIDTH / 2 - 16, top + 250.0, top + 36
    low, high = plot.places[0], plot.places[-1]

    def place(x: float, y: float) -> tuple[float, float]:
        return x0 + (x - low) / ((high - low) or 1) * (x1 - x0), y0 - min(
            y, plot.top
        ) / plot.top * (y0 - y1)

    yield f'<text class="title" x="{left + 8}" y="{top + 20}">{escape(plot.title)}</text>\n'
    for i in range(5):
        value = plot.top * i / 4
        y = place(low, value)[1]
        label = f"{value:.0%}" if plot.top <= 1 else f"{value:g}"
        yield (
            f'<line class="grid" x1="{x0}" y1="{y:.1f}" x2="{x1}" y2="{y:.1f}"/><text '
            f'x="{x0 - 6}" y="{y + 4:.1f}" text-anchor="end">{label}</text>\n'
        )
    last = -math.inf
    for each in plot.places:
        if place(each, 0)[0] - last < LABEL_ROOM:
            continue
        last = place(each, 0)[0]
        yield (
            f'<text x="{place(each, 0)[0]:.1f}" y="{y0 + 17}" text-anchor="middle">{each:g}</text>'
        )
    yield (
        f'<text x="{(x0 + x1) / 2:.1f}" y="{y0 + 34}" text-anchor="middle">'
        f"{escape(plot.horizontal)}</text>\n"
    )
    for i, values in enumerate(plot.curves.values()):
        points = " ".join(
            "{:.1f},{:.1f}".format(*place(x, y)) for x, y in zip(plot.places, values, strict=True)
        )
        yield f'<polyline class="curve c{i % 8}" points="{points}"/>\n'


def _document(body: str, height: float) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" '
        f'width="{WIDTH}" height="{height:.0f}">\n{STYLE}{body}</svg>\n'
    )
