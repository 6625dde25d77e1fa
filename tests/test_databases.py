"""Compiled databases: the same answers as from YAML, and nothing that is broken or foreign is trusted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from logdoctor.cli.options import Arguments
from logdoctor.cli.quick import plain_arguments
from logdoctor.cli.terminal import cache_folder
from logdoctor.document.document import render_json
from logdoctor.model import Language, SignatureDatabase
from logdoctor.pipeline.scan import scan_text
from logdoctor.search import cache, opening
from logdoctor.search.automaton import Automaton
from logdoctor.search.cache import FILES_KEPT, CompiledCache
from logdoctor.search.compiling import compile_automaton
from logdoctor.search.opening import open_automaton
from logdoctor.search.storage import CompiledError, dump_automaton, load_automaton
from logdoctor.signatures import files
from logdoctor.signatures.nearest import wording_of
from logdoctor.signatures.reading import bundled_path, load_signatures
from logdoctor.signatures.skeleton import signature_skeleton

KEY = "a key"


@pytest.fixture(scope="module")
def dumped(automaton: Automaton) -> bytes:
    return dump_automaton(automaton, KEY)


@pytest.fixture(scope="module")
def from_yaml() -> Automaton:
    """Compiled here and now, from no cache."""
    return compile_automaton(load_signatures([bundled_path()]))


@pytest.mark.slow
def test_a_loaded_database_has_the_same_signatures(
    from_yaml: Automaton, automaton: Automaton
) -> None:
    """Every field of every signature, and where they are found; so has the one of all tests."""
    for loaded in (load_automaton(dump_automaton(from_yaml, KEY), KEY), automaton):
        assert list(loaded.database.signatures) == list(from_yaml.database.signatures)
        assert (loaded.database.version, loaded.database.directory) == (
            from_yaml.database.version,
            from_yaml.database.directory,
        )
        assert (list(map(list, loaded.codes)), list(loaded.parts), list(loaded.settings)) == (
            list(map(list, from_yaml.codes)),
            list(from_yaml.parts),
            list(from_yaml.settings),
        )
        assert list(loaded.traits) == list(from_yaml.traits)


def test_a_loaded_database_knows_what_each_signature_says(automaton: Automaton) -> None:
    """Without its being decoded; and which component it is of."""
    database = load_automaton(dump_automaton(automaton, KEY), KEY).database
    assert list(database.wordings) == list(map(wording_of, database.signatures))
    assert database.directory == SignatureDatabase(database.signatures, "").directory


@pytest.mark.slow
def test_a_loaded_database_gives_the_same_document(from_yaml: Automaton, repository: Path) -> None:
    """For every sample log."""
    loaded = load_automaton(dump_automaton(from_yaml, KEY), KEY)
    for log in sorted((repository / "sample_logs").glob("*.log")):
        text = log.read_text(encoding="utf-8", errors="replace")
        documents = [
            render_json(scan_text(each, text), Language.EN, "0") for each in (from_yaml, loaded)
        ]
        assert documents[0] == documents[1]


def test_another_key_is_refused(dumped: bytes) -> None:
    """Of another version, Hyperscan or content."""
    with pytest.raises(CompiledError):
        load_automaton(dumped, "another key")


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.6, 0.9999])
def test_a_cut_off_database_is_refused(dumped: bytes, share: float) -> None:
    """Wherever it ends."""
    with pytest.raises(CompiledError):
        load_automaton(dumped[: int(len(dumped) * share)], KEY)


@pytest.mark.parametrize("share", [0.002, 0.2, 0.5, 0.8, 0.999])
def test_a_damaged_database_is_refused(dumped: bytes, share: float) -> None:
    """One byte is enough."""
    place = int(len(dumped) * share)
    with pytest.raises(CompiledError):
        load_automaton(dumped[:place] + bytes([dumped[place] ^ 1]) + dumped[place + 1 :], KEY)


def test_a_cache_gives_back_what_was_written(tmp_path: Path) -> None:
    """And nothing for another key."""
    cache = CompiledCache(tmp_path / "new" / "folder")
    assert (cache.read("a"), cache.write("a", b"data"), cache.read("a"), cache.read("b")) == (
        None,
        True,
        b"data",
        None,
    )


def test_a_cache_that_others_may_write_is_not_trusted(tmp_path: Path) -> None:
    """Somebody could have put anything there."""
    cache = CompiledCache(tmp_path)
    cache.write("a", b"data")
    (file,) = tmp_path.iterdir()
    file.chmod(0o666)
    assert cache.read("a") is None


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    """A file stands where the folder should be."""
    (tmp_path / "file").write_text("in the way")
    assert CompiledCache(tmp_path / "file").write("a", b"data") is False


def test_without_a_home_that_takes_files_the_cache_is_among_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file stands where the home should be; a home that can still be made is one."""
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file" / "home"))
    assert cache_folder() == str(tmp_path / f"logdoctor-{os.getuid()}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "new" / "home"))
    assert cache_folder() == str(tmp_path / "new" / "home" / "logdoctor")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == "relative/logdoctor"


def test_a_cache_does_not_grow_for_ever(tmp_path: Path) -> None:
    """The oldest go first."""
    cache = CompiledCache(tmp_path)
    for number in range(FILES_KEPT + 3):
        cache.write(str(number), b"data")
        (newest,) = (
            file for file in tmp_path.iterdir() if file.stat().st_mtime > 1_000_000 + number
        )
        os.utime(newest, (number, number))
    assert [cache.read(str(number)) for number in (0, 2, 3, FILES_KEPT + 2)] == [
        None,
        None,
        b"data",
        b"data",
    ]


def test_broken_cache_is_written_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the answer is the same; with a database of one signature, which is soon compiled. Who
    waits for it is told.
    """
    told: list[str] = []
    (tmp_path / "signatures").mkdir()
    (tmp_path / "signatures" / "lost.yaml").write_text(signature_skeleton("lost", "demo"))
    monkeypatch.setattr(files, "bundled_path", lambda: tmp_path / "signatures")
    monkeypatch.setattr(opening, "SHIPPED", "none is shipped")
    first = open_automaton([], str(tmp_path / "cache"))
    (file,) = (tmp_path / "cache").glob("*.compiled")
    whole = file.read_bytes()
    file.write_bytes(whole[:-50])
    second = open_automaton([], str(tmp_path / "cache"), lambda: told.append("compiling"))
    open_automaton([], str(tmp_path / "cache"), lambda: told.append("again"))
    assert told == ["compiling"]
    assert list(first.database.signatures) == list(second.database.signatures)
    assert ([each.id for each in second.database.signatures], file.stat().st_size) == (
        ["lost"],
        len(whole),
    )


def test_of_several_that_start_at_once_one_compiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others wait, and take what it has made."""
    (tmp_path / "lost.yaml").write_text(signature_skeleton("lost", "demo"))
    made: list[int] = []

    def compiled(paths: Sequence[Path]) -> Automaton:
        made.append(1)
        time.sleep(0.2)  # until all of them have missed it
        return compile_automaton(load_signatures(paths))

    monkeypatch.setattr(files, "bundled_path", lambda: tmp_path / "lost.yaml")
    monkeypatch.setattr(opening, "SHIPPED", "none is shipped")
    monkeypatch.setattr(opening, "_compiled", compiled)
    with ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(open_automaton, [], str(tmp_path / "cache")) for _ in range(4)]
    assert [each.result().database.signatures[0].id for each in calls] == ["lost"] * 4
    assert len(made) == 1


def test_nobody_waits_for_one_that_was_killed_or_for_a_folder_that_allows_no_lock(
    tmp_path: Path,
) -> None:
    """The kernel takes the lock of a process that is gone."""
    code = (
        "import os, sys; from pathlib import Path; from logdoctor.search.cache import CompiledCache\n"
        "with CompiledCache(Path(sys.argv[1])).held_alone(): os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False, timeout=60)
    assert (killed.returncode, [each.name for each in tmp_path.iterdir()]) == (
        -9,
        ["compiling.lock"],
    )
    (tmp_path / "file").write_text("in the way")
    for folder in (tmp_path, tmp_path / "file"):
        with CompiledCache(folder).held_alone():
            pass


def test_nobody_waits_for_ever_for_one_that_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by Ctrl-Z, or a file server that keeps the lock of a node that is gone."""
    monkeypatch.setattr(cache, "PATIENCE_S", 0.3)
    code = (
        "import sys, time; from pathlib import Path\n"
        "from logdoctor.search.cache import CompiledCache\n"
        "with CompiledCache(Path(sys.argv[1])).held_alone(): print(flush=True); time.sleep(600)"
    )
    stopped = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE)
    try:
        assert stopped.stdout
        stopped.stdout.readline()
        started = time.monotonic()
        with CompiledCache(tmp_path).held_alone():
            waited = time.monotonic() - started
    finally:
        stopped.kill()
        stopped.communicate()
    assert 0.3 <= waited < 30


PLAIN_LOGS = {
    "quiet": "nothing",
    "template": "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.20 GiB is free.",
    "regex": "subprocess.CalledProcessError: Command '['/usr/bin/python3', 'train.py', '--lr', '1e-6']' returned non-zero exit status 1.",
}


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_scan_of_an_ordinary_log_does_without_large_imports(
    run_cli: Callable[..., subprocess.CompletedProcess[bytes]], form: str
) -> None:
    """Once the database is compiled; whether nothing is found, or what a signature knows by a template or by a regex."""
    run_cli("scan", stdin=b"nothing\n")
    program = (
        "import sys; from logdoctor.cli.quick import plain_arguments; from logdoctor.cli.scanning import run_scan\n"
        "code = run_scan(plain_arguments('scan', ['scan', '--format', sys.argv[1]]))\n"
        "print(code, *sorted({'yaml', 'regex', 'click', 'rich', 'numpy', 'rapidfuzz', 'dataclasses'} & set(sys.modules)), file=sys.stderr)"
    )
    seen = {}
    for kind, last in PLAIN_LOGS.items():
        log = f'learning_rate: 1e-6\nTraceback (most recent call last):\n  File "/opt/train.py", line 8, in main\n    run(batch)\n{last}\n'
        given = "nothing\n" * 40 if kind == "quiet" else log
        done = subprocess.run(
            [sys.executable, "-c", program, form],
            input=given,
            capture_output=True,
            check=True,
            text=True,
        )
        seen[kind] = done.stderr.strip()
        assert form == "text" or bool(json.loads(done.stdout)["diagnoses"]) == (kind != "quiet")
    assert seen == {"quiet": "0", "template": "1", "regex": "1"}


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        (["scan"], Arguments()),
        (
            ["scan", "a.log", "-", "--format=json", "--lang", "zh"],
            Arguments(("a.log", "-"), form="json", lang="zh"),
        ),
        (
            ["scan", "--jobs", "2", "--no-redact", "--all", "x"],
            Arguments(("x",), jobs=2, redact=False, show_all=True),
        ),
        (["scan", "--form", "json"], None),
        (["scan", "--format", "xml"], None),
        (["scan", "--format"], None),
        (["scan", "--jobs", "0"], None),
        (["scan", "--help"], None),
        (["scan", "--", "-x"], None),
        (["explain", "x"], None),
        ([], None),
    ],
)
def test_plain_calls_are_read_without_click(words: list[str], arguments: Arguments | None) -> None:
    """And only those that click would read in the same way."""
    assert plain_arguments("scan", words) == arguments


@pytest.mark.parametrize("room", opening.COMPILED_BY)
def test_a_change_in_any_room_that_compiles_renews_the_cache(
    room: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fields of a database are decoded by their order, which is told in other rooms than `search`."""
    for each in opening.COMPILED_BY:
        (tmp_path / each).mkdir()
        (tmp_path / each / "words.py").write_text("A = 1\n")
    monkeypatch.setattr(opening, "_PACKAGE", str(tmp_path))
    before = opening._program_version()
    assert opening._program_version() == before
    (tmp_path / room / "words.py").write_text("A = 1\nB = 2\n")
    assert opening._program_version() != before


def test_a_file_that_leads_nowhere_is_no_fault_of_a_start(tmp_path: Path) -> None:
    """As editors leave beside the file that they have open; a new one renews the cache."""
    (tmp_path / "a.yaml").write_text("id: a\n")
    before = opening._version_of([str(tmp_path)])
    (tmp_path / ".#a.yaml").symlink_to("me@host.812")
    assert opening._version_of([str(tmp_path)]) == before
    (tmp_path / "b.yaml").write_text("id: b\n")
    assert opening._version_of([str(tmp_path)]) != before


def test_the_cache_keeps_what_was_used_last(tmp_path: Path) -> None:
    """Not what was written last."""
    cache = CompiledCache(tmp_path)
    for number in range(FILES_KEPT):
        cache.write(str(number), b"x")
        for file in tmp_path.iterdir():
            status = file.stat()
            os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns - 10**9))
    assert cache.read("0") == b"x"
    cache.write("new", b"x")
    assert (cache.read("0"), cache.read("1"), cache.read("new")) == (b"x", None, b"x")
