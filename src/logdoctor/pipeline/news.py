"""What is new between one result and the next: News, NewsDesk."""

from collections.abc import Iterable
from typing import NamedTuple

from logdoctor.model import HARMLESS, Diagnosis, ScanResult, UnknownError

UNKNOWN_TOLD = 50
"""Errors without a signature that are told one by one; more are only counted, until the whole
verdict.
"""

Finding = Diagnosis | UnknownError


class News(NamedTuple):
    """What a result holds that was not told.

    Attributes:
        diagnoses, unknown_errors: those not told before.
        root: what is held for the root cause now, where that has changed from something that was
            told to be it.
        instead_of: what was held for it until then.
        recovered: those told before that the run has survived meanwhile, and numbers that are no
            longer out of order.
    """

    diagnoses: tuple[Diagnosis, ...] = ()
    unknown_errors: tuple[UnknownError, ...] = ()
    root: Finding | None = None
    instead_of: Finding | None = None
    recovered: tuple[Finding, ...] = ()

    def __bool__(self) -> bool:
        return any(self)


class NewsDesk:
    """Remembers what was told of a run, by the keys of the findings."""

    nothing = News()

    def __init__(self, told: Iterable[str] = ()) -> None:
        """`told` are keys that need not be told again."""
        self._told = dict.fromkeys(told)
        self._harmful: dict[str, Finding] = {}  # of those told, as of the last result
        self._root: Finding | None = None
        self._unknown_told = 0

    @property
    def told(self) -> tuple[str, ...]:
        """Keys of what was told."""
        return tuple(self._told)

    @property
    def may_recover(self) -> bool:
        """Whether something was told of which the run may yet turn out to have survived it."""
        return bool(self._harmful)

    def news(self, result: ScanResult, *, is_last: bool = False) -> News:
        """What of a result is told now: what does harm, and of the last one everything."""
        diagnoses = [each for each in result.diagnoses if self._is_new(each, is_last=is_last)]
        unknown = [each for each in result.unknown_errors if self._is_new(each, is_last=is_last)]
        shown = unknown if is_last else unknown[: max(0, UNKNOWN_TOLD - self._unknown_told)]
        found = result.findings
        harmless = {each.key for each in found if each.verdict in HARMLESS}
        recovered = [each for each in found if each.key in harmless & self._harmful.keys()]
        there = {each.key for each in found}
        over = [
            each for key, each in self._harmful.items() if key not in there and _of_numbers(each)
        ]
        root, before = result.root, self._root
        has_changed = root is not None and before is not None and root.key != before.key
        news = News(
            tuple(diagnoses),
            tuple(shown),
            root if has_changed else None,
            before if has_changed else None,
            (*recovered, *over),
        )
        self._unknown_told += len(unknown)
        self._root = root or before
        self._told.update({each.key: None for each in diagnoses})
        self._told.update({each.key: None for each in unknown})
        self._harmful = {
            each.key: each for each in found if each.key in self._told and each.key not in harmless
        }
        return news

    def _is_new(self, finding: Finding, *, is_last: bool) -> bool:
        return finding.key not in self._told and (is_last or finding.verdict not in HARMLESS)


def _of_numbers(finding: Finding) -> bool:
    """Whether it is about a metric, so that it is there as long as this is out of order."""
    return isinstance(finding, Diagnosis) and bool(finding.signature.metrics)
