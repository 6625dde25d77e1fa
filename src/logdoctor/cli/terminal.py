"""What the commands share of the terminal: reports to stdout, notes to stderr, exit codes."""

from __future__ import annotations

import io
import os
import signal
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, TextIO

from logdoctor.cli.options import Arguments

EXIT_FOUND, EXIT_UNREADABLE, EXIT_INTERRUPTED = 1, 2, 130

_NARROWEST, _WIDEST = 40, 120


def width() -> int:
    """Columns to write to."""
    import shutil  # noqa: PLC0415  # for the text report only

    return min(max(shutil.get_terminal_size((100, 24)).columns, _NARROWEST), _WIDEST)


def height() -> int | None:
    """Lines of the terminal that the report goes to; None where it goes elsewhere."""
    import shutil  # noqa: PLC0415  # for the text report only

    if not sys.stdout or not sys.stdout.isatty():
        return None
    return shutil.get_terminal_size((100, 24)).lines


def wants_colour(choice: str) -> bool:
    """Whether the report is coloured, where the user chose `auto`, `always` or `never`; by the
    conventions of no-color.org, force-color.org and bixense.com/clicolors, where an empty variable
    is none.
    """
    if choice != "auto":
        return choice == "always"
    asked = os.environ.get
    if asked("NO_COLOR"):
        return False
    if any(asked(name, "0") not in {"", "0"} for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    is_watched = bool(sys.stdout) and sys.stdout.isatty() and asked("TERM") != "dumb"
    return is_watched and asked("CLICOLOR") != "0"


def link_targets(names: Iterable[str]) -> dict[str, str]:
    """Where links to these sources lead in a terminal, `{line}` for the number of a line; empty
    where the report goes elsewhere, or the terminal is known to print such links as they are.

    Kitty takes a line as the fragment, VS Code in an address of its own; others open the file.
    """
    asked = os.environ.get
    kind = asked("TERM", "")
    if not sys.stdout or not sys.stdout.isatty() or kind in {"", "dumb", "linux"}:
        return {}
    import socket  # noqa: PLC0415  # for reports on a terminal only
    from urllib.parse import quote  # noqa: PLC0415

    form = f"file://{socket.gethostname()}{{path}}" + ("#{line}" if "kitty" in kind else "")
    if asked("TERM_PROGRAM") == "vscode":
        form = "vscode://file{path}:{line}"
    return {
        name: form.replace("{path}", quote(os.path.abspath(name)))
        for name in names
        if os.path.isfile(name)
    }


def shows_progress(choice: str) -> bool:
    """Whether progress is shown, where the user chose `auto`, `always` or `never`."""
    if sys.stderr is None or choice != "auto":
        return sys.stderr is not None and choice == "always"
    return sys.stderr.isatty()


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cache_folder() -> str:
    """Where compiled databases are kept: by the XDG base directory specification, or, where that
    cannot be written (a container without a home), in the user's own folder of temporary files.
    """
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = os.path.join(home, "logdoctor")
    if _takes_files(folder):
        return folder
    # the cache trusts files of this user only, whoever made the folder
    return os.path.join(os.environ.get("TMPDIR") or "/tmp", f"logdoctor-{os.getuid()}")  # noqa: S108


def _takes_files(folder: str) -> bool:
    """Whether files can be written there, once the folder is made."""
    folder = os.path.abspath(folder)
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    return os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)


def say_compiling() -> None:
    """Tells why nothing else is seen for a while."""
    note(
        "compiling the signatures, which takes a quarter of a minute;"
        f" later starts find them in {cache_folder()}"
    )


def report_as_asked(arguments: Arguments) -> None:
    """Sends what is printed from now on to the file that the user named, if any.

    Raises:
        LogdoctorError: it cannot be written, or is one of the sources.
    """
    if arguments.output is None:
        return
    from logdoctor.errors import LogdoctorError  # noqa: PLC0415  # hardly ever asked

    file = arguments.output
    try:
        target = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
        if any(os.path.exists(word) and os.path.samefile(word, file) for word in arguments.words):
            raise LogdoctorError(f"-o {file}: is a source; the report would overwrite it")
        is_file = stat.S_ISREG(os.fstat(target).st_mode)
        if is_file and arguments.metrics_file:
            os.close(target)
            return
        if is_file:
            os.ftruncate(target, 0)
    except OSError as error:
        raise LogdoctorError(f"-o {file}: {(error.strerror or str(error)).lower()}") from error
    if sys.stdout is None:
        sys.stdout = os.fdopen(target, "w", encoding="utf-8")
    else:
        os.dup2(target, sys.stdout.fileno())


def write_metrics(text: str, file: str | None) -> None:
    """Prints metrics, or puts them into the place of that file.

    Raises:
        LogdoctorError: it cannot be written.
    """
    if file is None or not os.path.isfile(file):  # a device has been taken for stdout
        write(text)
        return
    from logdoctor.errors import LogdoctorError  # noqa: PLC0415  # hardly ever asked
    from logdoctor.texts.replacing import replace_file  # noqa: PLC0415

    try:
        replace_file(file, text)
    except OSError as error:
        raise LogdoctorError(f"-o {file}: {(error.strerror or str(error)).lower()}") from error


def write(text: str) -> None:
    """Prints a report; exits with 0 where its reader has gone, with 2 where it cannot be
    written.
    """
    if sys.stdout is None:
        note("stdout is closed; there is nowhere to print to")
        sys.exit(EXIT_UNREADABLE)
    try:
        with whole_writes(sys.stdout) as out:
            out.write(text.encode("utf-8", "replace"))
    except BrokenPipeError:  # the reader has seen enough
        _drop_output()
        sys.exit(0)
    except OSError as error:
        _drop_output()
        note(f"the report could not be written: {(error.strerror or str(error)).lower()}")
        sys.exit(EXIT_UNREADABLE)


@contextmanager
def whole_writes(stream: TextIO) -> Iterator[BinaryIO]:
    """The bytes of a stream, where a write takes all that it is given, or fails; it is flushed at
    the end.

    Without a buffer (`PYTHONUNBUFFERED`) a write to a disk that gets full takes a part, and that
    is all that is heard of it.
    """
    out = stream.buffer
    if isinstance(out, io.RawIOBase):
        out = io.BufferedWriter(io.FileIO(stream.fileno(), "wb", closefd=False))
    yield out
    out.flush()


def note(text: str) -> None:
    """Prints a line for the user beside the report."""
    # most scans have nothing to note
    from logdoctor.texts.masking import printable  # noqa: PLC0415

    if sys.stderr is None:
        return
    try:
        with whole_writes(sys.stderr) as out:
            out.write(with_margins(f"logdoctor: {printable(text)}\n").encode("utf-8", "replace"))
    except OSError:
        pass  # nobody is there to be told


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """SIGTERM ends what is done within as Ctrl-C does: with what was found until then, and with
    everything closed.
    """

    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def with_margins(text: str) -> str:
    """Text for stderr: where that is a terminal that a command has for itself, each line is
    brought back to the margin.
    """
    if not sys.stderr.isatty():
        return text
    import termios  # noqa: PLC0415  # hardly ever asked

    is_raw = not termios.tcgetattr(sys.stderr.fileno())[1] & termios.OPOST
    return text.replace("\n", "\r\n") if is_raw else text


def _drop_output() -> None:
    """Keeps the interpreter from complaining when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
