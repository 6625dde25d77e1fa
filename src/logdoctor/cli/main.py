"""The program: main, and program as a process has it."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence

from logdoctor.cli.defaults import user_defaults
from logdoctor.cli.expressions import use_kept_expressions
from logdoctor.cli.options import DEBUGGED
from logdoctor.cli.quick import plain_arguments
from logdoctor.cli.terminal import EXIT_INTERRUPTED, EXIT_UNREADABLE, note, report_as_asked

NEW_OBJECTS = 50_000
"""Objects that are there more than at the last look for unreachable ones, before the next look:
a start makes as many, all to stay.
"""


def program() -> None:
    """Runs the command line; after a scan the interpreter is not taken apart, which takes as
    long as reading a small log.
    """
    use_kept_expressions()
    main(os._exit)


def main(leave: Callable[[int], object] = sys.exit) -> None:
    """Runs the command line and exits with its code; `leave` ends the process after a scan, when
    all is written and closed.
    """
    words = sys.argv[1:]
    gc.set_threshold(NEW_OBJECTS)
    try:
        run = plain_arguments("run", words)
        if run is not None:
            # the command starts before anything else is imported
            from logdoctor.cli.running import run_command  # noqa: PLC0415

            sys.exit(run_command(run.over(_defaults_of_run(words))))
        _diagnose(words, leave)
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except Exception as error:  # noqa: BLE001  # the last net: words, and the code of a failure
        _tell_failure(error, words)
        sys.exit(EXIT_UNREADABLE)
    finally:
        gc.freeze()  # spares the interpreter two looks at everything before it ends


def _defaults_of_run(words: Sequence[str]) -> dict[str, object]:
    """None where they cannot be read: the command comes first."""
    try:
        return user_defaults("run", words)
    except Exception as error:
        from logdoctor.errors import LogdoctorError  # noqa: PLC0415

        if not isinstance(error, LogdoctorError):
            raise
        note(str(error))
        return {}


def _diagnose(words: Sequence[str], leave: Callable[[int], object]) -> None:
    from logdoctor.errors import LogdoctorError, SignatureError  # noqa: PLC0415

    try:
        check = plain_arguments("check", words)
        if check is not None and check.words:
            from logdoctor.cli.checking import run_check  # noqa: PLC0415

            report_as_asked(check)
            leave(run_check(check))
            return
        scan = plain_arguments("scan", words)
        if scan is not None:
            from logdoctor.cli.scanning import run_scan  # noqa: PLC0415

            scan = scan.over(user_defaults("scan", words))
            report_as_asked(scan)
            leave(run_scan(scan))
            return
        from logdoctor.cli.commands import run_commands  # noqa: PLC0415

        run_commands(words)
    except SignatureError as error:
        for fault in error.faults:
            note(str(fault))
        sys.exit(EXIT_UNREADABLE)
    except LogdoctorError as error:
        note(str(error))
        sys.exit(EXIT_UNREADABLE)


def _tell_failure(error: Exception, words: Sequence[str]) -> None:
    """What the user is told where nothing else caught an error; of the error only its kind,
    because its text may quote a log.
    """
    own = words[: words.index("--")] if "--" in words else words
    if "--debug" in own:
        import traceback  # noqa: PLC0415  # hardly ever asked

        for line in "".join(traceback.format_exception(error)).splitlines():
            note(line)
    on = f" on {' '.join(own[:1])}" if own and not own[0].startswith("-") else ""
    hint = " (--debug shows where)" if own and own[0] in DEBUGGED else ""
    note(f"failed{on} ({type(error).__name__}): please report this{hint}")
