"""The program: main."""

from __future__ import annotations

import sys

from logdoctor.cli.quick import plain_scan
from logdoctor.cli.scanning import run_scan
from logdoctor.cli.terminal import EXIT_INTERRUPTED, EXIT_UNREADABLE, note
from logdoctor.errors import LogdoctorError, SignatureError


def main() -> None:
    """Runs the command line and exits with its code."""
    try:
        arguments = plain_scan(sys.argv[1:])
        if arguments is not None:
            sys.exit(run_scan(arguments))
        from logdoctor.cli.commands import run_commands  # noqa: PLC0415

        run_commands()
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except SignatureError as error:
        for fault in error.faults:
            note(str(fault))
        sys.exit(EXIT_UNREADABLE)
    except LogdoctorError as error:
        note(str(error))
        sys.exit(EXIT_UNREADABLE)
