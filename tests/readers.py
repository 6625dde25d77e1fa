"""The ways in which a text is read: by a scan, in sections that others read, and live."""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import BinaryIO, cast

import pytest

from logdoctor.document.document import render_json
from logdoctor.model import Language, ScanOptions, ScanResult
from logdoctor.pipeline import scan
from logdoctor.pipeline.scan import Scan
from logdoctor.pipeline.section_reading import ReaderLostError, dump_section
from logdoctor.scanning import cutting
from logdoctor.scanning.cutting import Section
from logdoctor.scanning.relevance import Screen
from logdoctor.search.automaton import Automaton
from tests.thoroughness import drawn

SOURCE = "<text>"

QUICK = 16_000
"""Bytes of a log that is read in many pieces within a second."""


class ReadersHere:
    """Reads when asked for, in this process; every so many readers get lost."""

    def __init__(self, automaton: Automaton, lose: int = 0) -> None:
        self.ahead = 3
        self.begun = 0
        self._automaton, self._lose = automaton, lose

    def begin(self, section: Section) -> Callable[[], bytes]:
        self.begun += 1
        is_lost = self._lose and self.begun % self._lose == 0
        return partial(self._read, section._replace(start=-1) if is_lost else section)

    def _read(self, section: Section) -> bytes:
        if section.start < 0:
            raise ReaderLostError
        try:
            return dump_section(self._automaton, Screen(self._automaton), section)
        except OSError as error:
            raise ReaderLostError from error


def read_whole(automaton: Automaton, data: bytes, options: ScanOptions | None = None) -> ScanResult:
    run = Scan(automaton, options)
    run.read(SOURCE, [data])
    return run.result()


def read_in_sections(
    automaton: Automaton, data: bytes, options: ScanOptions | None = None
) -> ScanResult:
    """Small ones, of which others read all but the first."""
    run = Scan(automaton, options, ReadersHere(automaton))
    with pytest.MonkeyPatch.context() as patch:
        for name, size in (("FIRST", 3000), ("SECTION", 5000), ("WINDOW", 1500)):
            patch.setattr(cutting, name, size)
        patch.setattr(scan, "WORTH_SHARING", 0)
        run.read(SOURCE, [data], partial(cast(Callable[[bytes], BinaryIO], io.BytesIO), data))
    return run.result()


def read_live(
    automaton: Automaton, data: bytes, rng: random.Random, options: ScanOptions | None = None
) -> ScanResult:
    """In pieces of any size, with pauses of any length between them: behind three of five, where
    all is drawn.
    """
    run = Scan(automaton, options)
    run.feed(SOURCE, b"")
    for piece in pieces_of(data, rng):
        run.feed(SOURCE, piece)
        pauses = rng.choice((0, 0, 1, 2, 3))
        for _ in range(pauses if rng.randrange(100) < drawn(100) else 0):
            run.settle()
    run.end()
    return run.result()


def pieces_of(data: bytes, rng: random.Random) -> Iterator[bytes]:
    """Some tens of them, short and long; most end in the middle of a line."""
    position = 0
    while position < len(data):
        size = rng.randint(1, max(rng.choice((1, 7, 60, 900)), len(data) // 40))
        yield data[position : position + size]
        position += size


def document(result: ScanResult) -> str:
    return render_json(result, Language.EN, "0")


def read_each_way(
    automaton: Automaton, text: str, options: ScanOptions | None = None
) -> ScanResult:
    """What a scan finds, where all other ways find the same."""
    data = text.encode()
    whole = read_whole(automaton, data, options)
    told = document(whole)
    assert document(read_live(automaton, data, random.Random(len(data)), options)) == told
    assert document(read_in_sections(automaton, data, options)) == told
    return whole
