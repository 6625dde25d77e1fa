"""Arguments to byte streams: what is opened, what is refused, what survives."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import tarfile
import threading
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from logdoctor.errors import SourceError
from logdoctor.sources.finding import find_sources
from logdoctor.sources.zstd import zstd

TEXT = b"first line\nValueError: bad shape\n"


def read(*arguments: str | Path, stdin: bytes = b"") -> list[tuple[str, bytes | str]]:
    """Name and content of every source, or what kept it from being read."""
    found: list[tuple[str, bytes | str]] = []
    for source in find_sources(
        [str(each) for each in arguments], io.BufferedReader(io.BytesIO(stdin))
    ):
        if isinstance(source, SourceError):
            found.append((source.source, source.what))
        else:
            try:
                found.append((source.name, b"".join(source.chunks())))
            except SourceError as error:
                found.append((error.source, error.what))
    return found


def test_without_arguments_stdin_is_read() -> None:
    """So is `-`."""
    assert read(stdin=TEXT) == read("-", stdin=TEXT) == [("<stdin>", TEXT)]


@pytest.mark.parametrize(
    ("ending", "compress"),
    [
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
        (".zst", zstd.compress),
    ],
)
def test_compressed_files_and_pipes_are_read(tmp_path: Path, ending: str, compress: object) -> None:
    """They are recognised by their first bytes, whatever they are called."""
    assert callable(compress)
    file = tmp_path / f"train.log{ending}"
    file.write_bytes(compress(TEXT))
    assert read(file, stdin=b"") == [(str(file), TEXT)]
    assert read("-", stdin=compress(TEXT)) == [("<stdin>", TEXT)]


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, zstd.compress])
def test_a_cut_compressed_file_is_a_problem_with_words(tmp_path: Path, compress: object) -> None:
    """Half of it cannot be read; that is said, and nothing is raised."""
    assert callable(compress)
    file = tmp_path / "train.log.x"
    file.write_bytes(compress(os.urandom(4000) + TEXT)[:2000])
    ((name, what),) = read(file)
    assert (name, "broken or cut off" in str(what) or "binary" in str(what)) == (str(file), True)


def tar_of(path: Path, members: dict[str, bytes], mode: str) -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]  # the mode comes from the parameters
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_logs_in_tars_are_read_without_unpacking(tmp_path: Path, mode: str) -> None:
    """Members that are logs, compressed ones too, with the archive's name before theirs; nothing else is touched."""
    members = {"run/rank0.log": TEXT, "../rank1.log.gz": gzip.compress(TEXT), "run/model.pt": b"x"}
    archive = tar_of(tmp_path / "run.tar", members, mode)
    assert read(archive) == [
        (f"{archive}/run/rank0.log", TEXT),
        (f"{archive}/../rank1.log.gz", TEXT),
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["run.tar"]


def test_a_broken_member_does_not_stop_the_next(tmp_path: Path) -> None:
    """It is named, and the others are read."""
    broken = gzip.compress(TEXT)[:12] + b"broken" * 9
    archive = tar_of(tmp_path / "run.tar", {"a.log.gz": broken, "b.log": TEXT}, "w")
    zipped = tmp_path / "run.zip"
    with zipfile.ZipFile(zipped, "w") as stream:
        stream.writestr("a.log.gz", broken)
        stream.writestr("b.log", TEXT)
    for path in (archive, zipped):
        (first, second) = read(path)
        assert (first[0], "broken" in str(first[1]), second) == (
            f"{path}/a.log.gz",
            True,
            (f"{path}/b.log", TEXT),
        )


def test_logs_in_zips_are_read(tmp_path: Path) -> None:
    """As in tars."""
    archive = tmp_path / "run.zip"
    with zipfile.ZipFile(archive, "w") as stream:
        stream.writestr("a/train.log", TEXT)
        stream.writestr("a/readme.md", b"x")
    assert read(archive) == [(f"{archive}/a/train.log", TEXT)]


def test_an_archive_without_logs_is_a_problem(tmp_path: Path) -> None:
    """Silence would look like health."""
    assert "no log in this archive" in str(
        read(tar_of(tmp_path / "x.tar", {"model.pt": b"x"}, "w"))[0][1]
    )


def test_a_folder_gives_its_logs_by_name_once(tmp_path: Path) -> None:
    """Below it too; links to the same file and other files do not count."""
    (tmp_path / "b").mkdir()
    for name in ("z.log", "b/worker-1-2.err", "b/worker.log.1", "config.yaml", "model.bin"):
        (tmp_path / name).write_bytes(TEXT)
    (tmp_path / "latest.log").symlink_to(tmp_path / "z.log")
    (tmp_path / "b" / "loop").symlink_to(tmp_path)
    assert [Path(name).relative_to(tmp_path).as_posix() for name, _ in read(tmp_path)] == [
        "latest.log",
        "b/worker-1-2.err",
        "b/worker.log.1",
    ]


def test_a_folder_without_logs_is_a_problem(tmp_path: Path) -> None:
    """It says what it looked for."""
    assert "no log in this folder" in str(read(tmp_path)[0][1])


def test_one_missing_file_does_not_stop_the_others(tmp_path: Path) -> None:
    """It comes as an error in its place."""
    good = tmp_path / "good.log"
    good.write_bytes(TEXT)
    assert read(tmp_path / "gone.log", good) == [
        (str(tmp_path / "gone.log"), "no such file or directory"),
        (str(good), TEXT),
    ]


def test_a_file_without_permission_is_a_problem(tmp_path: Path) -> None:
    """As an ordinary user sees it."""
    file = tmp_path / "train.log"
    file.write_bytes(TEXT)
    file.chmod(0)
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    try:
        found = read(file)
    finally:
        if is_root:
            os.seteuid(0)
    assert found == [(str(file), "permission denied")]


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/random"])
def test_endless_devices_are_refused(path: str) -> None:
    """They would never end."""
    assert read(path) == [(path, "a device, not a log")]


def test_the_null_device_is_an_empty_log() -> None:
    """People give it where a log is expected."""
    assert read("/dev/null") == [("/dev/null", b"")]


def test_a_fifo_is_read_as_a_stream(tmp_path: Path) -> None:
    """What the writer writes arrives."""
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    writer = threading.Thread(target=fifo.write_bytes, args=(TEXT,))
    writer.start()
    assert read(fifo) == [(str(fifo), TEXT)]
    writer.join()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_utf16_is_recognised(tmp_path: Path, encoding: str) -> None:
    """With and without a byte order mark; what leaves is UTF-8."""
    file = tmp_path / "train.log"
    text = (TEXT * 20).decode()
    file.write_bytes(text.encode(encoding))
    assert read(file) == [(str(file), text.encode())]


@pytest.mark.parametrize(
    "content",
    [
        b"\x7fELF\x02\x01\x01" + bytes(100),
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4,
        bytes(range(1, 32)) * 20,
    ],
)
def test_binary_files_are_refused(tmp_path: Path, content: bytes) -> None:
    """They are named, not scanned."""
    file = tmp_path / "train.log"
    file.write_bytes(content)
    assert read(file) == [(str(file), "looks like a binary file, not a log")]


class Dripping(io.RawIOBase):
    """A pipe that gives a few bytes at a time."""

    def __init__(self, content: bytes, size: int) -> None:
        self._content, self._size = content, size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # io hands a memoryview
        part, self._content = self._content[: self._size], self._content[self._size :]
        buffer[: len(part)] = part
        return len(part)


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize(
    "content",
    [
        (TEXT * 20).decode().encode("utf-16-le"),
        random.Random(1).randbytes(5000),
        TEXT,
        b"\xff\xfe not UTF-16\n" + TEXT * 9,
    ],
)
def test_slow_pipes_are_judged_like_files(content: bytes, size: int) -> None:
    """Encoding and binary data are told by the same bytes whatever the writes."""

    def outcome(stream: io.BufferedReader) -> bytes | str:
        (source,) = find_sources([], stream)
        assert not isinstance(source, SourceError)
        try:
            return b"".join(source.chunks())
        except SourceError as error:
            return error.what

    assert outcome(io.BufferedReader(Dripping(content, size))) == outcome(
        io.BufferedReader(io.BytesIO(content))
    )


def test_a_cut_compressed_log_is_read_to_its_last_byte(tmp_path: Path) -> None:
    """All that can be decompressed comes before the problem, but for what isal waits with (a symbol or two); garbage behind the last member is left."""
    text = b"".join(b"line %d of a log that is cut off\n" % i for i in range(20_000))
    whole = gzip.compress(text)
    plain = zlib.decompressobj(wbits=31).decompress(whole[: len(whole) // 2])
    file = tmp_path / "train.log.gz"
    file.write_bytes(whole[: len(whole) // 2])
    sources = find_sources([str(file)], None)
    source = next(sources)
    assert not isinstance(source, SourceError)
    chunks: list[bytes] = []
    with pytest.raises(SourceError, match="its end is missing"):
        chunks.extend(source.chunks())
    read_before = b"".join(chunks)
    assert plain.startswith(read_before) and len(plain) - len(read_before) <= 2  # noqa: PT018
    file.write_bytes(whole + whole + bytes(100))
    assert read(file) == [(str(file), text + text)]


@pytest.mark.parametrize(
    ("ending", "compress"),
    [
        ("gz", gzip.compress),
        ("bz2", bz2.compress),
        ("xz", lzma.compress),
        ("zst", zstd.compress),
    ],
)
def test_a_long_compressed_log_is_read_on_a_thread_to_the_same_end(
    tmp_path: Path, ending: str, compress: Callable[[bytes], bytes]
) -> None:
    """Many times what one step gives, in two frames."""
    text = b"".join(b"line %d of a long log\n" % i for i in range(60_000))
    file = tmp_path / f"train.log.{ending}"
    file.write_bytes(compress(text) + compress(text[:100]))
    assert read(file) == [(str(file), text + text[:100])]


def test_the_thread_of_an_abandoned_log_ends(tmp_path: Path) -> None:
    """Also where it waits for somebody to read on."""
    file = tmp_path / "train.log.gz"
    file.write_bytes(gzip.compress(random.Random(1).randbytes(12 << 20), 1))
    sources = find_sources([str(file)], None)
    source = next(sources)
    assert not isinstance(source, SourceError)
    assert source.stream.read(1 << 20)
    before = threading.active_count()
    source.stream.close()
    deadline = time.monotonic() + 20
    while threading.active_count() >= before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() < before


def test_a_zip_in_a_pipe_says_what_to_do(tmp_path: Path) -> None:
    """Its directory stands at its end."""
    archive = tmp_path / "run.zip"
    with zipfile.ZipFile(archive, "w") as stream:
        stream.writestr("a/train.log", TEXT)
    (found,) = find_sources([], io.BufferedReader(Dripping(archive.read_bytes(), 100)))
    assert isinstance(found, SourceError)
    assert "give the file itself" in found.what


def test_closed_stdin_and_empty_names_are_problems() -> None:
    """Both come as errors in their place."""
    found = list(find_sources(["-", ""], None))
    assert ["stdin is closed" in str(found[0]), "an empty name" in str(found[1])] == [True, True]


def test_nuls_and_bad_bytes_do_not_make_a_log_binary(tmp_path: Path) -> None:
    """A lost disk leaves NULs, a cut character bad bytes."""
    file = tmp_path / "train.log"
    file.write_bytes(bytes(5000) + TEXT + b"\xff\xfe\xfd\n")
    assert read(file) == [(str(file), bytes(5000) + TEXT + b"\xff\xfe\xfd\n")]
