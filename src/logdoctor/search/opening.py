"""Signatures to an automaton by the shortest way: open_automaton.

The database that comes with an installed logdoctor was compiled when it was built; any other is
compiled when it is first used and kept in the user's cache. Only where both fail YAML is read.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from mmap import ACCESS_READ, MADV_DONTNEED, mmap
from typing import TYPE_CHECKING

import hyperscan
import xxhash

from logdoctor.search.automaton import Automaton
from logdoctor.search.storage import CompiledError, dump_automaton, load_automaton
from logdoctor.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

SHIPPED = "signatures.compiled"
"""Name of the compiled database in the package's own folder."""

COMPILED_BY = ("formats", "model", "patterns", "search", "signatures", "sources", "texts")
"""The rooms whose code decides what a compiled database holds."""

_PACKAGE = os.path.dirname(os.path.dirname(__file__))


def _say_nothing() -> None:
    """Nobody is told."""


def open_automaton(
    more: Sequence[str], cache_folder: str, on_compile: Callable[[], None] = _say_nothing
) -> Automaton:
    """The automaton of the bundled signatures and those in these files and folders; `on_compile`
    is called before the bundled ones are compiled, which takes a quarter of a minute.

    Raises:
        SignatureError: signature files are broken.
    """
    try:
        bundled = _mapped(os.path.join(_PACKAGE, SHIPPED), shipped_key())
    except (OSError, ValueError):
        # a checkout, or built for another Hyperscan
        bundled = _kept_automaton(cache_folder, on_compile)
    return _with_others(bundled, more, cache_folder) if more else bundled


def _mapped(path: str, key: str) -> Automaton:
    with open(path, "rb") as file:
        data = mmap(file.fileno(), 0, access=ACCESS_READ)
    automaton = load_automaton(data, key)
    data.madvise(MADV_DONTNEED)  # the engines were copied; of the rest little is looked at again
    return automaton


def _with_others(bundled: Automaton, more: Sequence[str], cache_folder: str) -> Automaton:
    """Those in these files and folders are compiled by themselves, and joined to the bundled
    ones.
    """
    from pathlib import Path  # noqa: PLC0415  # most starts do without

    from logdoctor.search.compiling import compile_addition  # noqa: PLC0415
    from logdoctor.search.joining import joined  # noqa: PLC0415
    from logdoctor.signatures.files import bundled_path, content_version, signature_files  # noqa: PLC0415
    from logdoctor.signatures.reading import read_signatures  # noqa: PLC0415

    home = bundled_path().resolve()
    found = signature_files(map(Path, more))
    files = [each for each in found if home not in each.path.resolve().parents]
    if not files:
        return bundled
    version = content_version(files, bundled.database.version)
    key = f"{shipped_key()} beside {version} {_program_version()}"
    return joined(
        bundled,
        _kept(
            key,
            cache_folder,
            lambda: compile_addition(read_signatures(files, bundled.database)),
        ),
    )


def _kept_automaton(cache_folder: str, on_compile: Callable[[], None]) -> Automaton:
    """The bundled signatures, compiled here."""
    from logdoctor.signatures.files import bundled_path  # noqa: PLC0415

    folder = bundled_path()
    key = f"{shipped_key()} {_version_of([str(folder)])} {_program_version()}"
    return _kept(key, cache_folder, lambda: _compiled([folder]), on_compile)


def _kept(
    key: str,
    cache_folder: str,
    compile_it: Callable[[], Automaton],
    on_miss: Callable[[], None] = _say_nothing,
) -> Automaton:
    """What the cache has under this key; else what is compiled, which the cache has then. Of
    several processes that miss it one compiles, and the others wait for that.

    Imports what reads files only here: most starts do without.
    """
    from pathlib import Path  # noqa: PLC0415

    from logdoctor.search.cache import CompiledCache  # noqa: PLC0415

    cache = CompiledCache(Path(cache_folder))
    automaton = _loaded(cache.read(key), key)
    if automaton:
        return automaton
    on_miss()
    with cache.held_alone():
        automaton = _loaded(cache.read(key), key)
        if automaton is None:
            automaton = compile_it()
            cache.write(key, dump_automaton(automaton, key))
    return automaton


def _loaded(kept: bytes | None, key: str) -> Automaton | None:
    """None where nothing was kept, or it is broken or foreign: it is written anew then."""
    if kept is None:
        return None
    try:
        return load_automaton(kept, key)
    except CompiledError:
        return None


def shipped_key() -> str:
    """What a compiled database depends on besides the signatures."""
    engine = getattr(hyperscan, "__version__", "unknown")
    return f"{__version__} hyperscan-{engine} {sys.platform} {os.uname().machine}"


def compile_shipped() -> bytes:
    """The bundled signatures, compiled, as they are shipped."""
    from logdoctor.signatures.files import bundled_path  # noqa: PLC0415

    return dump_automaton(_compiled([bundled_path()]), shipped_key())


def _compiled(paths: Sequence[Path]) -> Automaton:
    from logdoctor.search.compiling import compile_automaton  # noqa: PLC0415
    from logdoctor.signatures.reading import load_signatures  # noqa: PLC0415

    return compile_automaton(load_signatures(paths))


def _program_version() -> str:
    """That of the program's own files that compile: while it is worked on, they change without its
    version.
    """
    return _version_of(os.path.join(_PACKAGE, room) for room in COMPILED_BY)


def _version_of(folders: Iterable[str]) -> str:
    """Of all files below these folders a hash of paths, sizes and times: a start reads none of
    them. What leads nowhere, or goes while it looks, is none.
    """
    paths = [
        os.path.join(folder, name)
        for each in folders
        for folder, _, names in os.walk(each)
        for name in names
        if not name.endswith(".pyc")
    ]
    told = []
    for path in sorted(paths):
        with suppress(OSError):
            status = os.stat(path)
            told.append((path, status.st_size, status.st_mtime_ns))
    return xxhash.xxh3_64_hexdigest(repr(told).encode())
