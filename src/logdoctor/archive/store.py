"""Results in a SQLite file: Store.

One transaction for each run, so that a process killed at any moment leaves whole runs behind; a
plan (a run, or an archive with several) counts as done only after its last run. Rows hold nothing
of the call that wrote them but its number, so that a call that was killed and goes on writes what
it would have written undisturbed.

Each row carries a checksum. A plan one of whose rows is not what was written is judged anew; a
file that SQLite cannot read, or whose history of calls is damaged, is set aside under another name
and begun anew. Both are said (`notes`).
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple
from urllib.parse import quote

import xxhash

from logdoctor.archive.judging import Known, PlanDone, Problem
from logdoctor.archive.records import RunRecord
from logdoctor.errors import LogdoctorError

FORMAT = 3
"""Number of the layout of the tables, kept as SQLite's `user_version`."""

MIGRATIONS: Mapping[int, Sequence[str]] = {
    1: ["ALTER TABLE plans ADD COLUMN runs INTEGER NOT NULL DEFAULT 0"]
    + [
        f"ALTER TABLE {table} ADD COLUMN checksum TEXT NOT NULL DEFAULT ''"
        for table in ("plans", "runs")
    ]
    + [
        "DELETE FROM seen",
        "DELETE FROM calls",
        "ALTER TABLE seen ADD COLUMN checksum TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE calls ADD COLUMN checksum TEXT NOT NULL DEFAULT ''",
    ],
    2: [
        """CREATE TABLE notes (
        error TEXT NOT NULL, at TEXT NOT NULL, text TEXT NOT NULL, checksum TEXT NOT NULL,
        PRIMARY KEY (error, at, text)) WITHOUT ROWID"""
    ],
}
"""What makes a store of a format one of the next; by the number of the older one."""

PATIENCE = 60.0
"""Seconds that a call waits for another one that writes to the same store."""

PAGE = 200
"""Runs read at once, so that a report does not keep another call from writing."""

_TABLES = """
CREATE TABLE plans (
    root TEXT NOT NULL, plan TEXT NOT NULL, rules TEXT NOT NULL,
    state TEXT NOT NULL, sizes TEXT NOT NULL, content TEXT NOT NULL, problems TEXT NOT NULL,
    runs INTEGER NOT NULL, checksum TEXT NOT NULL, PRIMARY KEY (root, plan)) WITHOUT ROWID;
CREATE TABLE runs (
    root TEXT NOT NULL, run TEXT NOT NULL, plan TEXT NOT NULL, rules TEXT NOT NULL, verdict TEXT,
    errors TEXT NOT NULL, hosts TEXT NOT NULL, problems TEXT NOT NULL, documents BLOB NOT NULL,
    checksum TEXT NOT NULL, PRIMARY KEY (root, run)) WITHOUT ROWID;
CREATE INDEX runs_by_plan ON runs (root, plan);
CREATE TABLE seen (
    root TEXT NOT NULL, error TEXT NOT NULL, call INTEGER NOT NULL,
    checksum TEXT NOT NULL, PRIMARY KEY (root, error)) WITHOUT ROWID;
CREATE TABLE calls (
    root TEXT NOT NULL, call INTEGER NOT NULL, checksum TEXT NOT NULL,
    PRIMARY KEY (root, call)) WITHOUT ROWID;
CREATE TABLE notes (
    error TEXT NOT NULL, at TEXT NOT NULL, text TEXT NOT NULL, checksum TEXT NOT NULL,
    PRIMARY KEY (error, at, text)) WITHOUT ROWID;
"""
_REFUSALS = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite raises; the second where its message quotes a damaged file."""

_COLUMNS = {"plans": 9, "runs": 10, "seen": 4, "calls": 3, "notes": 4}
"""Columns of the tables, with the checksum."""

_KEYS = {"notes": 3}
"""Columns of a table's key, where they are not two."""

_OWN = b"CREATE TABLE plans"
"""What the first page of a store says, and no other file."""

_UNKNOWN = Known("", "", "")
"""Stands in the table for a plan that must be judged again."""


class TeamNote(NamedTuple):
    """What somebody noted of a signature or fingerprint, and when (ISO 8601)."""

    error: str
    at: str
    text: str


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
        self._damaged = 0
        self._left_out: set[tuple[object, ...]] = set()  # the beginnings of rows
        self._told_of_others: tuple[str, ...] = ()  # stores that were joined
        self._set_aside = _set_aside(file) if file and _is_damaged(file) else None
        with self._in_words():
            self._connection = sqlite3.connect(file or "", timeout=PATIENCE, isolation_level=None)
            self._connection.text_factory = _text
            self._connection.execute(f"PRAGMA synchronous = {'NORMAL' if file else 'OFF'}")
            self._connection.execute(
                "CREATE TEMP TABLE found (root TEXT NOT NULL, plan TEXT NOT NULL, PRIMARY "
                "KEY (root, plan)) WITHOUT ROWID"
            )
            self._prepare()
        if self._set_aside:
            for each in _salvaged(self._set_aside):
                self.note(*each)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found damaged, and what became of it."""
        notes = list(self._told_of_others)
        if self._set_aside:
            notes.append(
                f"{self._name}: damaged; it is kept as {self._set_aside}, a new one has what could "
                f"be read of its notes, and all runs are judged anew"
            )
        if self._damaged:
            notes.append(
                f"{self._name}: {self._damaged} of its results were damaged; their runs are "
                f"judged anew"
            )
        if self._left_out:
            notes.append(
                f"{self._name}: {len(self._left_out)} of its rows are damaged, and left out"
            )
        return tuple(notes)

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
            self._connection.execute(
                "INSERT OR IGNORE INTO calls VALUES (?, ?, ?)", _checked(root, call)
            )

    def note_found(self, root: str, plan: str) -> None:
        """Says that a plan exists, so that `records` shows its runs."""
        with self._in_words():
            self._connection.execute("INSERT OR IGNORE INTO temp.found VALUES (?, ?)", (root, plan))

    def known(self, root: str, plan: str, rules: str) -> Known | None:
        """What was known of a plan when it was last judged, if that was by these rules."""
        with self._in_words():
            if not self._is_whole(root, plan):
                self._damaged += 1
                return None
            query = (
                "SELECT state, sizes, content FROM plans WHERE root = ? AND plan = ? AND rules = ?"
            )
            row = self._connection.execute(query, (root, plan, rules)).fetchone()
        return Known(*row) if row and row != _UNKNOWN else None

    def _is_whole(self, root: str, plan: str) -> bool:
        """Whether the rows of a plan are what was written; a call that was killed may have left
        runs that the plan does not yet know.
        """
        plans, runs = (
            f"SELECT * FROM {table} WHERE root = ? AND plan = ?"  # noqa: S608  # ours
            for table in ("plans", "runs")
        )
        try:
            row = self._connection.execute(plans, (root, plan)).fetchone()
            checked = [*map(_is_checked, self._connection.execute(runs, (root, plan)))]
        except (sqlite3.OperationalError, ValueError):  # no text
            return False
        return all(checked) and (row is None or (_is_checked(row) and len(checked) >= row[-2]))

    def add_run(self, root: str, record: RunRecord, rules: str, call: int) -> None:
        """Keeps a run in place of what was known of it.

        Raises:
            StoreError: it cannot be written; what was there before is still there.
        """
        lists = [
            json.dumps(each, ensure_ascii=True)
            for each in (record.errors, record.hosts, record.problems)
        ]
        row = _checked(
            root, record.run, record.plan, rules, record.verdict, *lists, record.documents
        )
        with self._in_words(), self._transaction():
            before = self._connection.execute(
                "SELECT rules FROM runs WHERE root = ? AND run = ?", (root, record.run)
            ).fetchone()
            # newer signatures make no error new
            since = call if not before or before[0] == rules else 0
            self._connection.execute(
                "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row
            )
            self._connection.executemany(
                (
                    "INSERT INTO seen VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                    "(call, checksum) = (excluded.call, excluded.checksum) "
                    "WHERE excluded.call < call"
                ),
                [_checked(root, error, since) for error in record.errors],
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
                row = _checked(
                    root,
                    plan,
                    rules,
                    *(done.known or _UNKNOWN),
                    json.dumps(done.problems, ensure_ascii=True),
                    len(set(runs)),
                )
                self._connection.execute(
                    "INSERT OR REPLACE INTO plans VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row
                )
            elif done.known:
                self._change_state(root, plan, done.known.state)

    def _change_state(self, root: str, plan: str, state: str) -> None:
        before = self._connection.execute(
            "SELECT * FROM plans WHERE root = ? AND plan = ?", (root, plan)
        ).fetchone()
        if before:
            row = _checked(*before[:3], state, *before[4:-1])
            self._connection.execute(
                "INSERT OR REPLACE INTO plans VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row
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

    def runs_with(self, error: str | None = None) -> Iterator[RunRecord]:
        """The records of all runs, whatever call found them, sorted by name; those in which this
        signature or fingerprint did harm, where one is given. Rows that are not what was written
        are left out.
        """
        query = (
            "SELECT * FROM runs WHERE ? IS NULL OR CASE WHEN json_valid(errors) THEN EXISTS "
            "(SELECT 1 FROM json_each(runs.errors) WHERE value = ?) ELSE 1 END ORDER BY run, root"
        )
        with self._in_words():
            rows = self._connection.execute(query, (error, error)).fetchall()
        for _, run, plan, _, verdict, errors, hosts, problems, documents, _ in self._whole(rows):
            named = tuple(Problem(*each) for each in json.loads(problems))
            told = tuple(json.loads(errors)), tuple(json.loads(hosts))
            yield RunRecord(run, plan, verdict, *told, named, documents)

    def _whole(self, rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
        """The rows that are what was written; the others are counted."""
        for row in rows:
            if _is_checked(row):
                yield row
            else:
                self._left_out.add(row[:2])

    def note(self, error: str, at: str, text: str) -> None:
        """Keeps what somebody says of a signature or fingerprint; `at` is a time, ISO 8601."""
        with self._in_words(), self._transaction():
            self._connection.execute(
                "INSERT OR REPLACE INTO notes VALUES (?, ?, ?, ?)", _checked(error, at, text)
            )

    def team_notes(self, error: str | None = None) -> tuple[TeamNote, ...]:
        """What was noted of a signature or fingerprint, or of all, the latest first; rows that are
        not what was written are left out.
        """
        with self._in_words():
            rows = self._connection.execute(
                "SELECT * FROM notes WHERE ? IS NULL OR error = ? ORDER BY at DESC, error, text",
                (error, error),
            ).fetchall()
        return tuple(TeamNote(*row[:-1]) for row in self._whole(rows))

    def join(self, other: str) -> tuple[int, int]:
        """Takes over the runs of another store that this one has not, and its notes; how many of
        both.

        Raises:
            StoreError: it is no store, or of another format.
        """
        taken = Store(other)  # of today's format
        try:
            with self._in_words(), self._transaction():
                self._forget_damaged()
                counts = [
                    self._connection.executemany(
                        # the names are ours
                        f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * columns)})",  # noqa: S608
                        taken._rows_of(table),
                    ).rowcount
                    for table, columns in _COLUMNS.items()
                ]
            self._told_of_others = taken.notes
        finally:
            taken.close()
        return counts[1], counts[-1]

    def _forget_damaged(self) -> None:
        """Rows that are not what was written make room for whole ones of the same key; whatever
        they belonged to is judged anew.
        """
        for table in _COLUMNS:
            rows = self._connection.execute(f"SELECT * FROM {table}")  # noqa: S608  # ours
            size = _KEYS.get(table, 2)
            keys = [row[:size] for row in rows if not _is_checked(row) and _is_text(row[:size])]
            names = [row[1] for row in self._connection.execute(f"PRAGMA table_info({table})")]
            same = " AND ".join(f"{name} IS ?" for name in names[:size])
            self._connection.executemany(f"DELETE FROM {table} WHERE {same}", keys)  # noqa: S608

    def _rows_of(self, table: str) -> Iterator[tuple[Any, ...]]:
        return self._whole(self._connection.execute(f"SELECT * FROM {table}"))  # noqa: S608  # ours

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
            with suppress(*_REFUSALS):  # SQLite has rolled back by itself where the disk is full
                self._connection.execute("ROLLBACK")
            raise

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except _REFUSALS as error:
            what = "it is damaged" if isinstance(error, UnicodeError) else str(error)
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


def _checked(*row: object) -> tuple[object, ...]:
    """A row with its checksum behind it."""
    return (*row, xxhash.xxh3_64_hexdigest(repr(row).encode("utf-8", "surrogatepass")))


def _is_checked(row: tuple[object, ...]) -> bool:
    return _checked(*row[:-1]) == row


def _text(data: bytes) -> str:
    """Damaged text is some text: the checksum tells."""
    return data.decode("utf-8", "surrogateescape")


def _is_text(key: tuple[object, ...]) -> bool:
    """Whether the key of a whole row may be the same."""
    return not any("\udc80" <= each <= "\udcff" for value in key for each in str(value))


def _salvaged(file: str) -> list[TeamNote]:
    """The notes that can still be read in a damaged store: runs can be judged again, but what
    people wrote is nowhere else.
    """
    found: list[TeamNote] = []
    with suppress(*_REFUSALS, OSError):
        connection = sqlite3.connect(f"file:{quote(file)}?mode=ro", uri=True)
        connection.text_factory = _text
        try:
            rows = connection.execute("SELECT * FROM notes")
            found.extend(TeamNote(*row[:-1]) for row in rows if _is_checked(row))  # until it breaks
        finally:
            connection.close()
    return found


def _is_damaged(file: str) -> bool:
    """Whether a store is there that SQLite cannot read whole, or whose history of calls is not
    what was written; what is no store of ours is left to others to say.
    """
    try:
        with open(file, "rb") as stream:  # noqa: PTH123
            if _OWN not in stream.read(1 << 16):
                return False
        connection = sqlite3.connect(f"file:{quote(file)}?mode=rw", timeout=PATIENCE, uri=True)
    except (OSError, *_REFUSALS):
        return False
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version != FORMAT:
            return version < 0 or (not 0 < version < FORMAT and _is_cut(connection))
        rows = (
            row
            for table in ("seen", "calls")
            for row in connection.execute(f"SELECT * FROM {table}")  # noqa: S608  # ours
        )
        return _is_cut(connection) or not all(map(_is_checked, rows))
    except sqlite3.OperationalError as error:
        return "locked" not in str(error) and "readonly" not in str(error)
    except (sqlite3.DatabaseError, ValueError):
        return True
    finally:
        connection.close()


def _is_cut(connection: sqlite3.Connection) -> bool:
    (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    return bool(found != "ok")


def _set_aside(file: str) -> str:
    """Gives a damaged store another name; returns that."""
    number = 1
    while os.path.exists(f"{file}.damaged-{number}"):  # noqa: PTH110
        number += 1
    aside = f"{file}.damaged-{number}"
    try:
        os.rename(file, aside)  # noqa: PTH104
        for more in ("-journal", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.rename(file + more, aside + more)  # noqa: PTH104
    except OSError as error:
        raise StoreError(
            f"{file}: damaged, and it cannot be set aside: {(error.strerror or '').lower()}"
        ) from error
    return aside
