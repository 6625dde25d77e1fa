"""One target under atheris: `python -m fuzzing.one TARGET [options and folders of libFuzzer]`."""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["logdoctor"]):
    from fuzzing.targets import TARGETS, automaton


def main() -> None:
    """Runs until libFuzzer ends it: 0, or 77 where a law is broken."""
    target, *options = sys.argv[1:]
    automaton()  # no input's time
    atheris.Setup([sys.argv[0], *options], TARGETS[target].check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
