"""Sections read by other processes of this machine: ProcessReaders."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from functools import lru_cache, partial

from logdoctor.automaton import Automaton
from logdoctor.databases import open_automaton
from logdoctor.screen import Screen
from logdoctor.section_reading import ReaderLostError, dump_section
from logdoctor.sections import Section


class ProcessReaders:
    """Reads sections in so many processes, which are started when the first section is there."""

    def __init__(self, jobs: int, signatures: tuple[str, ...], cache_folder: str) -> None:
        """`signatures` and `cache_folder` are as for `open_automaton`."""
        self.ahead = 2 * jobs
        self._jobs, self._signatures, self._cache_folder = jobs, signatures, cache_folder
        self._processes: ProcessPoolExecutor | None = None

    def begin(self, section: Section) -> Callable[[], bytes]:
        """See Readers."""
        try:
            if self._processes is None:
                spawned = multiprocessing.get_context("spawn")
                self._processes = ProcessPoolExecutor(self._jobs, spawned, signal.signal, (signal.SIGINT, signal.SIG_IGN))  # who asked minds Ctrl-C
            return partial(_asked, self._processes.submit(_read, section, self._signatures, self._cache_folder))
        except (RuntimeError, OSError):  # a pool that is broken, or no process more
            return _lost

    def close(self) -> None:
        """Ends the processes, as soon as they have read what they have begun."""
        if self._processes:
            self._processes.shutdown(wait=False, cancel_futures=True)


def _asked(future: Future[bytes]) -> bytes:
    try:
        return future.result()
    except (Exception, CancelledError) as error:  # what is wrong with the section itself shows again where it is read next
        raise ReaderLostError from error


def _lost() -> bytes:
    raise ReaderLostError


def _read(section: Section, signatures: tuple[str, ...], cache_folder: str) -> bytes:
    return dump_section(*_database(signatures, cache_folder), section)


@lru_cache(maxsize=1)
def _database(signatures: tuple[str, ...], cache_folder: str) -> tuple[Automaton, Screen]:
    """Loaded once in each process."""
    automaton = open_automaton(signatures, cache_folder)
    return automaton, Screen(automaton)
