"""Roots to records in a store: judge_roots, which knows the order of things in an archive.

roots ─▶ find_runs ─Plan▶ store: is it known? ─Task▶ engine ─RunRecord▶ store ─▶ overview, reports
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

from logdoctor.archive.judging import PlanDone, Problem, Task
from logdoctor.archive.layouts import Plan, find_runs
from logdoctor.archive.records import RunRecord
from logdoctor.archive.store import Store
from logdoctor.archive.trees import Tree
from logdoctor.archive.workers import Engine, Rules, shown_plan
from logdoctor.relations.naming import digest_of


class Root(NamedTuple):
    """A root as it was given, and opened."""

    argument: str
    tree: Tree


class Progress(NamedTuple):
    """How far a batch has come: plans done, those of them that had to be judged, runs judged,
    bytes of what was judged.
    """

    plans: int = 0
    judged_plans: int = 0
    runs: int = 0
    bytes: int = 0


class Call(NamedTuple):
    """One call of batch for one root: its number in the store, from 1."""

    root: str
    number: int


def judge_roots(
    roots: Sequence[Root],
    store: Store,
    engine: Engine,
    *,
    rules: str,
    run_glob: str | None,
    on_progress: Callable[[Progress], None],
) -> tuple[Problem, ...]:
    """Judges what is new or changed under the roots; returns what could not be listed.

    Whatever interrupts it, the store has all runs that were judged until then. `rules` names what
    they are judged by (see `rules_key`), `run_glob` is as for `find_runs`, `on_progress` is called
    after each plan.

    Raises:
        StoreError: the store cannot be written.
    """
    calls = tuple(Call(root.tree.key, store.begin(root.tree.key)) for root in roots)
    numbers = dict(calls)
    keys = {root.argument: root.tree.key for root in roots}
    runs: dict[tuple[str, str], list[str]] = {}
    progress = Progress()
    with closing(engine.judge(_tasks(roots, store, rules, run_glob))) as events:
        for task, event in events:
            key, plan = keys[task.root], shown_plan(task)
            if isinstance(event, RunRecord):
                store.add_run(key, event, rules, numbers[key])
                # more than once where its process died and it was begun again
                runs.setdefault((key, plan), []).append(event.run)
                progress = progress._replace(runs=progress.runs + 1)
            else:
                store.end_plan(key, plan, rules, event, runs.pop((key, plan), []))
                progress = _after_plan(progress, event)
                on_progress(progress)
    for call in calls:
        store.end(*call)
    return _unlisted(roots)


def _unlisted(roots: Sequence[Root]) -> tuple[Problem, ...]:
    failures = (error for root in roots for error in root.tree.failures)
    return tuple(dict.fromkeys(Problem(error.source, error.what) for error in failures))


def _after_plan(progress: Progress, done: PlanDone) -> Progress:
    progress = progress._replace(plans=progress.plans + 1)
    return (
        progress._replace(judged_plans=progress.judged_plans + 1, bytes=progress.bytes + done.bytes)
        if done.is_judged
        else progress
    )


def count_plans(roots: Sequence[Root], run_glob: str | None) -> int:
    """How many plans there are, for a progress bar."""
    return sum(1 for root in roots for _ in _plans(root.tree, run_glob))


def _tasks(roots: Sequence[Root], store: Store, rules: str, run_glob: str | None) -> Iterator[Task]:
    for root in roots:
        for plan in _plans(root.tree, run_glob):
            name = shown_plan(Task(root.argument, plan))
            store.note_found(root.tree.key, name)
            yield Task(root.argument, plan, store.known(root.tree.key, name, rules))


def _plans(tree: Tree, run_glob: str | None) -> Iterator[Plan]:
    whole = tree.plan()
    yield from find_runs(tree.list_folder, run_glob) if whole is None else [whole]


def rules_key(rules: Rules, database: str, relations: str | None = None) -> str:
    """Equal for two calls only where they judge the same log alike; `database` is the hash of
    the signatures, `relations` the folder of relations (None: the bundled one).
    """
    options = rules.options._replace(
        config=dict(sorted(rules.options.config.items())),
        config_places=dict(sorted(rules.options.config_places.items())),
    )
    digest = hashlib.sha256(f"{options!r} {digest_of(relations)}".encode())
    return f"{rules.version} {database} {digest.hexdigest()[:12]}"
