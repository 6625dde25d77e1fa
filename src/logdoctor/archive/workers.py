"""Tasks on all cores of this machine: LocalEngine.

Each core has a process that loads the compiled database once and takes one task after the other. A
process that dies takes down its task alone: the task is tried again, and given up when it has
killed a second process.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Generator, Iterator
from itertools import chain, islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import NamedTuple, Protocol

from logdoctor.archive.judging import JudgedRun, PlanDone, Problem, Task, judge_plan
from logdoctor.archive.records import RunRecord, make_record
from logdoctor.model import ScanOptions
from logdoctor.pipeline.processes import ProcessReaders
from logdoctor.pipeline.section_reading import Readers
from logdoctor.search.automaton import Automaton
from logdoctor.search.opening import open_automaton

TRIES = 2
"""How often a task is begun whose process dies."""


class Rules(NamedTuple):
    """By what all runs are judged.

    Attributes:
        signatures: files and folders beside the bundled ones.
        cache_folder: where compiled databases are kept.
        options: as of a scan; its mappings are plain dictionaries, so that another process can be
            given them.
        version: the program's.
    """

    signatures: tuple[str, ...]
    cache_folder: str
    options: ScanOptions
    version: str


Event = RunRecord | PlanDone
"""A run of a task, or the task's end, which comes last."""
Events = Generator[tuple[Task, Event], None, None]


class Engine(Protocol):
    """What judges tasks."""

    def judge(self, tasks: Iterator[Task]) -> Events:
        """The events of all tasks, those of one task in order; takes a task only when it can be
        begun.
        """


class InlineEngine:
    """Judges one task after the other in the calling process."""

    def __init__(self, automaton: Automaton, rules: Rules) -> None:
        self._automaton, self._rules = automaton, rules

    def judge(self, tasks: Iterator[Task]) -> Events:
        """In the order of the tasks."""
        for task in tasks:
            for event in task_events(self._automaton, self._rules, task):
                yield task, event


class LocalEngine:
    """Judges tasks in processes; its iterator, closed early, ends them at once."""

    def __init__(self, rules: Rules, jobs: int) -> None:
        self._rules, self._jobs = rules, jobs

    def judge(self, tasks: Iterator[Task]) -> Events:
        """In the order in which they are done."""
        workers: dict[Connection, _Worker] = {}
        again: list[tuple[Task, int]] = []
        first = list(islice(tasks, self._jobs))
        tasks = chain(first, tasks)
        # where there are fewer tasks than cores, their large logs are read together
        readers = self._jobs // max(1, len(first))
        try:
            while True:
                while len(workers) < self._jobs and (
                    begun := again.pop() if again else _first(tasks)
                ):
                    worker = _Worker(self._rules, readers)
                    worker.begin(*begun)
                    workers[worker.connection] = worker
                if not workers:
                    return
                for connection in wait(list(workers)):
                    assert isinstance(connection, Connection)
                    worker = workers[connection]
                    try:
                        event: Event = connection.recv()
                    except (EOFError, OSError):
                        del workers[connection]
                        code = worker.end()
                        if worker.tries < TRIES:
                            again.append((worker.task, worker.tries + 1))
                        else:
                            yield worker.task, _given_up(worker.task, code)
                        continue
                    yield worker.task, event
                    if isinstance(event, PlanDone):
                        begun = again.pop() if again else _first(tasks)
                        if begun is None or not worker.begin(*begun):
                            again += [begun] if begun else []
                            del workers[connection]
                            worker.end()
        finally:
            for worker in workers.values():
                worker.end(at_once=True)


class _Worker:
    task: Task
    tries: int

    def __init__(self, rules: Rules, readers: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        # a daemon may start no others
        self._process: BaseProcess = context.Process(
            target=_work, args=(other, rules, readers), daemon=readers == 1
        )
        self._process.start()
        other.close()

    def begin(self, task: Task, tries: int) -> bool:
        """False where the process has died meanwhile."""
        self.task, self.tries = task, tries
        try:
            self.connection.send(task)
        except OSError:
            return False
        return True

    def end(self, *, at_once: bool = False) -> int | None:
        """Ends the process; returns its exit code, negative for a signal."""
        self.connection.close()
        if at_once:
            self._process.terminate()
        self._process.join()
        return self._process.exitcode


def _work(connection: Connection, rules: Rules, jobs: int) -> None:
    """The life of a process: it ends when the other end of its pipe is closed. Ctrl-C is the
    business of the one that asked.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    automaton = open_automaton(rules.signatures, rules.cache_folder)
    readers = ProcessReaders(jobs, rules.signatures, rules.cache_folder) if jobs > 1 else None
    try:
        while True:
            for event in task_events(automaton, rules, connection.recv(), readers):
                connection.send(event)
    except (EOFError, OSError):
        return
    finally:
        if readers:
            readers.close()


def task_events(
    automaton: Automaton, rules: Rules, task: Task, readers: Readers | None = None
) -> Iterator[Event]:
    """The events of a task; what goes wrong in the program itself ends this task, and no other."""
    try:
        for judged in judge_plan(automaton, rules.options, task, readers):
            yield (
                make_record(judged, shown_plan(task), rules.version)
                if isinstance(judged, JudgedRun)
                else judged
            )
    except Exception as error:  # noqa: BLE001  # thousands of runs must not be lost for one
        yield PlanDone(
            None,
            True,
            (
                Problem(
                    shown_plan(task),
                    f"logdoctor failed on it ({type(error).__name__}: {error}); please report this",
                ),
            ),
            0,
        )


def shown_plan(task: Task) -> str:
    """What a store calls the task's plan: text in which every byte of its path can be seen."""
    return task.plan.path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _first(tasks: Iterator[Task]) -> tuple[Task, int] | None:
    task = next(tasks, None)
    return (task, 1) if task else None


def _given_up(task: Task, code: int | None) -> PlanDone:
    how = f"by signal {-code}" if code and code < 0 else f"with code {code}"
    return PlanDone(
        None,
        True,
        (
            Problem(
                shown_plan(task),
                f"the process that read it ended {how}, {TRIES} times; not enough memory?",
            ),
        ),
        0,
    )
