"""Sections read by other processes of this machine: ProcessReaders."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from logdoctor.pipeline.section_reading import ReaderLostError, dump_section
from logdoctor.scanning.cutting import Section
from logdoctor.scanning.relevance import Screen
from logdoctor.search.automaton import Automaton
from logdoctor.search.opening import open_automaton

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor


class ProcessReaders:
    """Reads sections in so many processes, which are started when the first section is there."""

    def __init__(
        self,
        jobs: int,
        signatures: tuple[str, ...],
        cache_folder: str,
        on_read: Callable[[str, int], None] = lambda _name, _bytes: None,
    ) -> None:
        """`signatures` and `cache_folder` are as for `open_automaton`; `on_read` is told of each
        section its source and its bytes.
        """
        self.ahead = 2 * jobs
        self._on_read = on_read
        self._jobs, self._signatures, self._cache_folder = jobs, signatures, cache_folder
        self._processes: ProcessPoolExecutor | None = None

    def begin(self, section: Section) -> Callable[[], bytes]:
        """See Readers."""
        try:
            if self._processes is None:
                import multiprocessing  # noqa: PLC0415  # a folder may hold no large file
                from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415

                spawned = multiprocessing.get_context("spawn")
                self._processes = ProcessPoolExecutor(self._jobs, spawned, _begin)
            return partial(
                self._asked,
                section,
                self._processes.submit(_read, section, self._signatures, self._cache_folder),
            )
        except (RuntimeError, OSError):  # a pool that is broken, or no process more
            return _lost

    def close(self) -> None:
        """Ends the processes, as soon as they have read what they have begun."""
        if self._processes:
            self._processes.shutdown(cancel_futures=True)

    def _asked(self, section: Section, future: Future[bytes]) -> bytes:
        try:
            read = future.result()
        # what is wrong with the section itself shows again where it is read next
        except Exception as error:
            raise ReaderLostError from error
        self._on_read(section.source, (section.end or section.start) - section.start)
        return read


def _begin() -> None:
    """Ctrl-C is the business of the one that asked; where that one is killed, so is this."""
    from threading import Thread  # noqa: PLC0415

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    from multiprocessing import parent_process  # noqa: PLC0415

    parent = parent_process()
    if parent:
        parent.join()
        os._exit(1)


def _lost() -> bytes:
    raise ReaderLostError


def _read(section: Section, signatures: tuple[str, ...], cache_folder: str) -> bytes:
    return dump_section(*_database(signatures, cache_folder), section)


@lru_cache(maxsize=1)
def _database(signatures: tuple[str, ...], cache_folder: str) -> tuple[Automaton, Screen]:
    """Loaded once in each process."""
    automaton = open_automaton(signatures, cache_folder)
    return automaton, Screen(automaton)
