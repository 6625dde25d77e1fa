"""Tasks on a Ray cluster: RayEngine. Needs `logdoctor[ray]` on every node, and roots that every
node can read.

One Ray task for each plan, and one more for each section of a large log, which any node may read;
the compiled database travels through Ray's object store, so that no node needs the signatures'
files. A task that is lost with its node is begun again, by Ray or here; what it told before is the
same.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any

from logdoctor.archive.judging import PlanDone, Problem, Task
from logdoctor.archive.workers import Event, Events, Rules, shown_plan, task_events
from logdoctor.errors import LogdoctorError
from logdoctor.pipeline.section_reading import ReaderLostError, dump_section
from logdoctor.scanning.cutting import Section
from logdoctor.scanning.relevance import Screen
from logdoctor.search.automaton import Automaton
from logdoctor.search.opening import open_automaton
from logdoctor.search.storage import dump_automaton, load_automaton

try:
    import ray
except ImportError as missing:
    raise LogdoctorError("--engine ray needs Ray: pip install 'logdoctor[ray]'") from missing

AHEAD = 2
"""Tasks in flight for each core of the cluster; bounds what the driver and the object store
hold.
"""

RETRIES = 3
"""How often Ray begins a task again whose worker or node died, and how often we do so after Ray."""

CONNECT_SECONDS = 10.0
"""How long a cluster's address is waited for."""

_KEY = "ray"


class RayEngine:
    """Judges tasks on a cluster: the one at `address`, else the one that this process is
    connected to or that Ray finds.
    """

    def __init__(self, rules: Rules, address: str | None) -> None:
        """Connects.

        Raises:
            LogdoctorError: there is no such cluster.
        """
        self._rules = rules
        if not ray.is_initialized():
            try:
                _ring(address)
                ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
            except (OSError, ValueError, RuntimeError) as error:
                raise LogdoctorError(
                    f"Ray at {address or 'this machine'} cannot be reached: "
                    f"{str(error).splitlines()[0]}"
                ) from error
        self._judge = ray.remote(num_cpus=1, max_retries=RETRIES)(_judged)

    def judge(self, tasks: Iterator[Task]) -> Events:
        """In the order in which they are done; closed early, it cancels what has not begun."""
        database = [
            ray.put(
                dump_automaton(
                    open_automaton(self._rules.signatures, self._rules.cache_folder), _KEY
                )
            )
        ]  # in a list, it is not fetched for each task
        in_flight: dict[Any, tuple[Task, int]] = {}
        try:
            while True:
                while len(in_flight) < _cores() * AHEAD and (task := next(tasks, None)):
                    in_flight[self._judge.remote(database, self._rules, task)] = task, 1
                if not in_flight:
                    return
                done, _ = ray.wait(list(in_flight), num_returns=1)
                for reference in done:
                    task, tries = in_flight.pop(reference)
                    try:
                        events: list[Event] = ray.get(reference)
                    except ray.exceptions.RayError as error:
                        if tries <= RETRIES:
                            in_flight[self._judge.remote(database, self._rules, task)] = (
                                task,
                                tries + 1,
                            )
                            continue
                        events = [_given_up(task, error)]
                    for event in events:
                        yield task, event
        finally:
            for reference in in_flight:
                ray.cancel(reference)


def _ring(address: str | None) -> None:
    """Raises OSError where nobody listens: Ray itself would try for minutes."""
    host, colon, port = (address or "").rpartition("://")[2].rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()


def _cores() -> int:
    """Of the nodes that live now."""
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return max(1, int(resources.get("CPU", 1)))


def _judged(database: list[Any], rules: Rules, task: Task) -> list[Event]:
    return list(task_events(_automaton(database[0]), rules, task, RayReaders(database)))


class RayReaders:
    """Reads sections in Ray tasks; for a task, whose core is free for others while it waits for
    them.
    """

    def __init__(self, database: list[Any]) -> None:
        """`database` is the compiled one in Ray's object store."""
        self.ahead = _cores() * AHEAD
        self._database = database
        self._read = ray.remote(num_cpus=1, max_retries=RETRIES)(_read_section)

    def begin(self, section: Section) -> Callable[[], bytes]:
        """See Readers."""
        return partial(_asked, self._read.remote(self._database, section))


def _asked(reference: Any) -> bytes:
    try:
        read: bytes = ray.get(reference)
    except ray.exceptions.RayError as error:
        raise ReaderLostError from error
    return read


def _read_section(database: list[Any], section: Section) -> bytes:
    automaton = _automaton(database[0])
    return dump_section(automaton, Screen(automaton), section)


@lru_cache(maxsize=1)
def _automaton(database: Any) -> Automaton:
    """Fetched and loaded once in each of Ray's processes."""
    return load_automaton(ray.get(database), _KEY)


def _given_up(task: Task, error: Exception) -> PlanDone:
    lines = str(error).splitlines() or [type(error).__name__]
    return PlanDone(
        None,
        True,
        (Problem(shown_plan(task), f"Ray gave it up after {RETRIES + 1} times: {lines[0]}"),),
        0,
    )
