"""Tasks on all cores of this machine: LocalEngine.

Each core has a process that loads the compiled database once and takes one task after the other. A
process that dies takes down its task alone: the task is tried again, and given up when it has
killed a second process.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Generator, Iterator
from itertools import chain, islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import NamedTuple, Protocol

from logdoctor.archive.judging import JudgedRun, PlanDone, Problem, Task, judge_plan
from logdoctor.archive.records import RunRecord, make_record
from logdoctor.errors import unforeseen
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
        first = list(islice(tasks, self._jobs))
        # where there are fewer tasks than cores, their large logs are read together
        readers = self._jobs // max(1, len(first))
        crew = _Crew(chain(first, tasks), lambda: _Worker(self._rules, readers))
        try:
            while crew.fill(self._jobs):
                yield from crew.events()
        finally:
            crew.end()


class _Crew:
    """The processes at work; a task whose process died is begun again before others."""

    def __init__(self, tasks: Iterator[Task], new: Callable[[], _Worker]) -> None:
        self._tasks, self._new = tasks, new
        self._workers: dict[Connection, _Worker] = {}
        self._again: list[tuple[Task, int]] = []

    def fill(self, jobs: int) -> bool:
        """Begins tasks while there are fewer processes; whether any is at work."""
        while len(self._workers) < jobs and (begun := self._next()):
            worker = self._new()
            worker.begin(*begun)
            self._workers[worker.connection] = worker
        return bool(self._workers)

    def events(self) -> Events:
        """What the processes have sent, at least one thing."""
        for connection in wait(list(self._workers)):
            assert isinstance(connection, Connection)
            worker = self._workers[connection]
            try:
                event: Event = connection.recv()
            except (EOFError, OSError):
                yield from self._after_death(worker)
                continue
            yield worker.task, event
            if isinstance(event, PlanDone):
                self._go_on(worker)

    def end(self) -> None:
        """Ends all processes at once."""
        for worker in self._workers.values():
            worker.end(at_once=True)

    def _next(self) -> tuple[Task, int] | None:
        return self._again.pop() if self._again else _first(self._tasks)

    def _go_on(self, worker: _Worker) -> None:
        """Gives a process its next task; one that has died, or has none left, goes."""
        begun = self._next()
        if begun is None or not worker.begin(*begun):
            self._again += [begun] if begun else []
            del self._workers[worker.connection]
            worker.end()

    def _after_death(self, worker: _Worker) -> Events:
        del self._workers[worker.connection]
        code = worker.end()
        if worker.tries < TRIES:
            self._again.append((worker.task, worker.tries + 1))
        else:
            yield worker.task, _given_up(worker.task, code)


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
    except Exception as error:  # thousands of runs must not be lost for one
        if not rules.options.is_isolated:
            raise
        told = unforeseen(shown_plan(task), error)
        yield PlanDone(None, True, (Problem(told.source, told.what),), 0)


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
