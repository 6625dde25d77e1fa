"""Results in a SQLite file: Store.

One transaction for each run, so that a process killed at any moment leaves whole runs behind; a
plan (a run, or an archive with several) counts as done only after its last run. Rows hold nothing
of the call that wrote them but its number, so that a call that was killed and goes on writes what
it would have written undisturbed.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from logdoctor.archive.judging import Known, PlanDone, Problem
from logdoctor.archive.records import RunRecord
from logdoctor.errors import LogdoctorError

FORMAT = 1
"""Number of the layout of the tables, kept as SQLite's `user_version`."""

MIGRATIONS: Mapping[int, Sequence[str]] = {}
"""What makes a store of a format one of the next; by the number of the older one."""

PATIENCE = 60.0
"""Seconds that a call waits for another one that writes to the same store."""

PAGE = 200
"""Runs read at once, so that a report does not keep another call from writing."""

_TABLES = """
CREATE TABLE plans (
    root TEXT NOT NULL, plan TEXT NOT NULL, rules TEXT NOT NULL,
    state TEXT NOT NULL, sizes TEXT NOT NULL, content TEXT NOT NULL, problems TEXT NOT NULL,
    PRIMARY KEY (root, plan)) WITHOUT ROWID;
CREATE TABLE runs (
    root TEXT NOT NULL, run TEXT NOT NULL, plan TEXT NOT NULL, rules TEXT NOT NULL, verdict TEXT,
    errors TEXT NOT NULL, hosts TEXT NOT NULL, problems TEXT NOT NULL, documents BLOB NOT NULL,
    PRIMARY KEY (root, run)) WITHOUT ROWID;
CREATE INDEX runs_by_plan ON runs (root, plan);
CREATE TABLE seen (
    root TEXT NOT NULL, error TEXT NOT NULL, call INTEGER NOT NULL,
    PRIMARY KEY (root, error)) WITHOUT ROWID;
CREATE TABLE calls (
    root TEXT NOT NULL, call INTEGER NOT NULL, PRIMARY KEY (root, call)) WITHOUT ROWID;
"""
_UNKNOWN = Known("", "", "")
"""Stands in the table for a plan that must be judged again."""


class StoreError(LogdoctorError):
    """The store cannot be used, or not be written further; what is in it is whole."""


class Store:
    """The results of all calls; roots are named by `Tree.key`."""

    def __init__(self, file: str | None) -> None:
        """Opens or makes it; None for one that is gone with the object.

        Raises:
            StoreError: it is no store, is of a newer version, or cannot be written.
        """
        self._name = file or "the temporary store"
        with self._in_words():
            self._connection = sqlite3.connect(file or "", timeout=PATIENCE, isolation_level=None)
            self._connection.execute(f"PRAGMA synchronous = {'NORMAL' if file else 'OFF'}")
            self._connection.execute(
                "CREATE TEMP TABLE found (root TEXT NOT NULL, plan TEXT NOT NULL, PRIMARY "
                "KEY (root, plan)) WITHOUT ROWID"
            )
            self._prepare()

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()

    def __del__(self) -> None:
        if hasattr(self, "_connection"):
            self._connection.close()

    def _prepare(self) -> None:
        with self._transaction():
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            (tables,) = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if not version and tables:
                raise StoreError(
                    f"{self._name}: a SQLite file of something else; give another name to --store"
                )
            if version > FORMAT:
                raise StoreError(
                    f"{self._name}: written by a newer logdoctor (format {version}, this one "
                    f"knows {FORMAT}); update logdoctor"
                )
            statements = (
                _TABLES.split(";\n")
                if not version
                else [each for number in range(version, FORMAT) for each in MIGRATIONS[number]]
            )
            for statement in statements:
                self._connection.execute(statement)
            self._connection.execute(f"PRAGMA user_version = {FORMAT}")

    def begin(self, root: str) -> int:
        """The number of this call for this root, from 1; the same again until one has ended."""
        with self._in_words():
            (last,) = self._connection.execute(
                "SELECT max(call) FROM calls WHERE root = ?", (root,)
            ).fetchone()
        return (last or 0) + 1

    def end(self, root: str, call: int) -> None:
        """Says that everything under the root was judged."""
        with self._in_words(), self._transaction():
            self._connection.execute("INSERT OR IGNORE INTO calls VALUES (?, ?)", (root, call))

    def note_found(self, root: str, plan: str) -> None:
        """Says that a plan exists, so that `records` shows its runs."""
        with self._in_words():
            self._connection.execute("INSERT OR IGNORE INTO temp.found VALUES (?, ?)", (root, plan))

    def known(self, root: str, plan: str, rules: str) -> Known | None:
        """What was known of a plan when it was last judged, if that was by these rules."""
        with self._in_words():
            query = (
                "SELECT state, sizes, content FROM plans WHERE root = ? AND plan = ? AND rules = ?"
            )
            row = self._connection.execute(query, (root, plan, rules)).fetchone()
        return Known(*row) if row and row != _UNKNOWN else None

    def add_run(self, root: str, record: RunRecord, rules: str, call: int) -> None:
        """Keeps a run in place of what was known of it.

        Raises:
            StoreError: it cannot be written; what was there before is still there.
        """
        lists = [
            json.dumps(each, ensure_ascii=True)
            for each in (record.errors, record.hosts, record.problems)
        ]
        row = (root, record.run, record.plan, rules, record.verdict, *lists, record.documents)
        with self._in_words(), self._transaction():
            before = self._connection.execute(
                "SELECT rules FROM runs WHERE root = ? AND run = ?", (root, record.run)
            ).fetchone()
            # newer signatures make no error new
            since = call if not before or before[0] == rules else 0
            self._connection.execute(
                "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row
            )
            self._connection.executemany(
                (
                    "INSERT INTO seen VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET call = "
                    "min(call, excluded.call)"
                ),
                [(root, error, since) for error in record.errors],
            )

    def end_plan(
        self, root: str, plan: str, rules: str, done: PlanDone, runs: Sequence[str]
    ) -> None:
        """Keeps what is to be known of a plan that was judged, and forgets runs that are no
        longer in it.
        """
        names = json.dumps(list(runs), ensure_ascii=True)
        with self._in_words(), self._transaction():
            if done.is_judged:
                gone = (
                    "DELETE FROM runs WHERE root = ? AND plan = ? AND run NOT IN (SELECT value "
                    "FROM json_each(?))"
                )
                self._connection.execute(gone, (root, plan, names))
            if done.is_judged:
                row = (
                    root,
                    plan,
                    rules,
                    *(done.known or _UNKNOWN),
                    json.dumps(done.problems, ensure_ascii=True),
                )
                self._connection.execute(
                    "INSERT OR REPLACE INTO plans VALUES (?, ?, ?, ?, ?, ?, ?)", row
                )
            elif done.known:
                self._connection.execute(
                    "UPDATE plans SET state = ? WHERE root = ? AND plan = ?",
                    (done.known.state, root, plan),
                )

    def records(self) -> Iterator[tuple[str, RunRecord]]:
        """Roots and records of the runs that were found in this call, sorted by name, then root."""
        query = (
            "SELECT root, run, plan, verdict, errors, hosts, problems, documents FROM runs "
            "JOIN temp.found USING (root, plan) "
            "WHERE (run, root) > (?, ?) ORDER BY run, root LIMIT ?"
        )
        last = ("", "")
        while True:
            with self._in_words():
                rows = self._connection.execute(query, (*last, PAGE)).fetchall()
            for root, run, plan, verdict, errors, hosts, problems, documents in rows:
                named = tuple(Problem(*each) for each in json.loads(problems))
                yield (
                    root,
                    RunRecord(
                        run,
                        plan,
                        verdict,
                        tuple(json.loads(errors)),
                        tuple(json.loads(hosts)),
                        named,
                        documents,
                    ),
                )
                last = (run, root)
            if len(rows) < PAGE:
                return

    def plan_problems(self) -> Iterator[Problem]:
        """What concerns no run in particular, of the plans found in this call, sorted by plan."""
        with self._in_words():
            query = (
                "SELECT problems FROM plans JOIN temp.found USING (root, plan) WHERE problems != "
                "'[]' ORDER BY plan, root"
            )
            rows = self._connection.execute(query).fetchall()
        for (problems,) in rows:
            yield from (Problem(*each) for each in json.loads(problems))

    def new_errors(self, root: str, call: int) -> frozenset[str]:
        """Signature ids and fingerprints that no earlier call has seen under this root."""
        with self._in_words():
            return frozenset(
                error
                for (error,) in self._connection.execute(
                    "SELECT error FROM seen WHERE root = ? AND call = ?", (root, call)
                )
            )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # SQLite has rolled back by itself where the disk is full
                self._connection.execute("ROLLBACK")
            raise

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            what = str(error)
            hint = {
                "database or disk is full": (
                    "the disk is full; what was judged until now is kept, and the next call goes "
                    "on from there"
                ),
                "database is locked": (
                    f"another call has been writing for more than {PATIENCE:.0f} s; try again "
                    f"when it has ended"
                ),
                "file is not a database": "not a SQLite file; give another name to --store",
                "unable to open database file": (
                    "cannot be opened or made; expected a file in a folder that exists and can "
                    "be written"
                ),
                "attempt to write a readonly database": (
                    "cannot be written; mind the permissions of the file and its folder"
                ),
            }.get(what, what)
            raise StoreError(f"{self._name}: {hint}") from error
