"""`logdoctor note`: what a team knows of errors, kept in a store."""

from __future__ import annotations

import os
from datetime import datetime

import click

from logdoctor.archive.store import Store, TeamNote
from logdoctor.cli.options import Arguments
from logdoctor.cli.terminal import EXIT_UNREADABLE, note, write
from logdoctor.errors import LogdoctorError
from logdoctor.texts.masking import printable


def note_in_store(arguments: Arguments) -> int:
    """Keeps a note, or shows what was noted; returns the exit code.

    Raises:
        LogdoctorError: the store cannot be used.
    """
    if arguments.known_in is None:
        raise click.UsageError("Missing option '--store'.")
    store = Store(arguments.known_in)
    if arguments.joined_store is not None:
        if not os.path.isfile(arguments.joined_store):
            raise LogdoctorError(f"{arguments.joined_store}: no such file")
        runs, notes = store.join(arguments.joined_store)
        note(f"{arguments.known_in}: taken over: {runs} runs, {notes} notes")
    name, *text = arguments.words or ("",)
    if text:
        now = datetime.now().astimezone().isoformat(timespec="seconds")
        store.note(name, now, " ".join(" ".join(text).split()))
    elif name or arguments.joined_store is None:
        for each in store.team_notes(name or None):
            write(_told(each))
    for said in store.notes:
        note(said)
    store.close()
    return EXIT_UNREADABLE if store.notes else 0


def _told(each: TeamNote) -> str:
    return printable(f"{each.at[:10]}  {each.error}  {each.text}") + "\n"
