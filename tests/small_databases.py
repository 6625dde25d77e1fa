"""Databases of a few signatures, without the bundled ones: compiled."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from logdoctor.model import SignatureDatabase
from logdoctor.search.automaton import Automaton
from logdoctor.search.compiling import compile_addition, compile_automaton
from logdoctor.search.joining import joined
from logdoctor.signatures.reading import load_signatures


def small_automaton(folder: Path) -> Automaton:
    """The automaton of the signatures in a folder; what all databases share is compiled once."""
    return joined(_formats(), compile_addition(load_signatures([folder])))


@cache
def _formats() -> Automaton:
    return compile_automaton(SignatureDatabase((), ""))
