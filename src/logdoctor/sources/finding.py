"""Arguments to byte streams: find_sources.

Files, folders, archives, compressed files, pipes and stdin. Everything is read as a stream; a
source must be read to its end before the next is asked for, because members of an archive follow
each other in one file.
"""

import codecs
import io
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import IO, TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

from logdoctor.errors import SourceError, unforeseen
from logdoctor.sources.decompress import broken_stream, decompressed
from logdoctor.sources.dump_files import begins_as_dump, holds_dump, is_dump_name, is_pickle
from logdoctor.sources.trackers.reading import is_tracker_name, is_tracker_path, read_as_lines
from logdoctor.sources.unpack_limit import Allowance

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

CHUNK = 1 << 20
"""Bytes read at once."""

HEAD_LEAST = 64
"""Bytes by which the encoding is told; fewer only where the log is shorter."""

STDIN_NAME = "<stdin>"

NESTING_LIMIT = 8
"""Archives in archives that are opened."""

ZIP_IN_STREAM = 64 << 20
"""Bytes of a zip inside another archive: it is read from its end, so it must be held in memory."""

_LOG_NAME = (
    r"(?i)(?:.*\.(?:log|out|err|txt|jsonl)|.*\.(?:log|out|err)[.-]\d[\w.-]*|stdout|stderr"
    r"|.*[._-](?:stdout|stderr|console)|console|messages|syslog|dmesg)"
    r"(?:\.(?:gz|bz2|xz|zst))?"
)
_COMPRESSED = r"(?i)\.(?:gz|bz2|xz|zst)$"
_ARCHIVE_NAME = r"(?i).*\.(?:tar|tgz|tbz2?|txz|zip|tar\.(?:gz|bz2|xz|zst))"


def is_log_name(name: str) -> bool:
    """Whether a file of this name (no path) is taken for a log, compressed or not."""
    return re.fullmatch(_LOG_NAME, name) is not None or is_tracker_name(name)


def is_archive_name(name: str) -> bool:
    """Whether a file of this name (no path) is taken for an archive."""
    return re.fullmatch(_ARCHIVE_NAME, name) is not None


class Source(NamedTuple):
    """A log that can be opened.

    Attributes:
        name: what a report calls it: the path as given, members of archives as `archive/member`.
        stream: its bytes, decompressed.
        open_again: opens the same bytes anew, also in another process; None where it is not a plain
            file.
        is_stored: whether it comes out of a file that is not plain: none of it is still to be
            written.
    """

    name: str
    stream: BinaryIO
    open_again: Callable[[], BinaryIO] | None = None
    is_stored: bool = False

    def chunks(self) -> Iterator[bytes]:
        """Its bytes as UTF-8 (or whatever the log is in), in pieces as they arrive; those of a
        pickle as they are, so that who asks sees whether it is a dump.

        Raises:
            SourceError: it cannot be read further, or is no text.
        """
        try:
            head = self._read()
            interrupt: KeyboardInterrupt | None = None
            try:
                while head and len(head) < HEAD_LEAST and (more := self._read()):
                    head += more
            except KeyboardInterrupt as error:
                interrupt = error
            yield from self._decoded(head, interrupt)
        except Exception as error:  # no source may end the others
            raise _failure(self.name, error) from error

    def _decoded(self, head: bytes, interrupt: KeyboardInterrupt | None) -> Iterator[bytes]:
        """The head and what follows it; an interrupt that came while the head was awaited is
        raised after it.
        """
        encoding = _utf16(head)
        if encoding is None and is_binary(head) and not is_pickle(head):
            raise SourceError(self.name, "looks like a binary file, not a log")
        decoder = codecs.getincrementaldecoder(encoding)("replace") if encoding else None
        chunk = head.removeprefix(codecs.BOM_UTF8)
        while chunk:
            yield decoder.decode(chunk).encode("utf-8", "replace") if decoder else chunk
            if interrupt:
                raise interrupt
            chunk = self._read()

    def _read(self) -> bytes:
        read = getattr(self.stream, "read1", self.stream.read)
        return cast(bytes, read(CHUNK))


def _utf16(head: bytes) -> str | None:
    sample = head[:HEAD_LEAST]
    nuls = sample.count(0)
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and (
        nuls >= len(sample) // 16 or len(sample) < HEAD_LEAST
    ):
        return "utf-16"
    for name, blanks in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[0::2])):
        if (
            len(sample) >= HEAD_LEAST
            and blanks.count(0) > 0.8 * len(blanks)
            and nuls < 0.6 * len(sample)
        ):
            return name
    return None


def is_binary(head: bytes) -> bool:
    """Whether the first bytes are no text: whether control characters that no log has make up a
    tenth, or a fiftieth where a quarter is no UTF-8 either.

    NULs alone do not count (logs on lost disks have them). Only the first bytes are looked at, so
    that slow pipes are judged like files.
    """
    sample = head[:HEAD_LEAST].replace(b"\0", b"")
    strange = sum(
        sample.count(code) for code in (*range(1, 8), *range(14, 27), *range(28, 32), 127)
    )
    broken = sample.decode("utf-8", "replace").count("\ufffd")
    is_strange = strange > len(sample) / 10 or (
        strange > len(sample) / 50 and broken > len(sample) / 4
    )
    return is_strange or head.startswith((b"\x7fELF", b"\x89PNG", b"%PDF-", b"\xff\xd8\xff"))


def _unreadable() -> tuple[type[BaseException], ...]:
    """What reading raises; to be asked for where something was raised, because it imports every
    archive format.
    """
    import tarfile  # noqa: PLC0415
    import zipfile  # noqa: PLC0415

    return (
        *broken_stream(),
        tarfile.TarError,
        zipfile.BadZipFile,
        RuntimeError,
        NotImplementedError,
    )


def _failure(name: str, error: Exception) -> SourceError:
    """What is said of a source that raised this."""
    if isinstance(error, SourceError):
        return error
    if isinstance(error, _unreadable()):
        return SourceError(name, _reason(error))
    return unforeseen(name, error)


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[0].lower() + error.strerror[1:]
    return (
        f"broken or cut off ({error})"
        if str(error)
        else f"broken or cut off ({type(error).__name__})"
    )


def find_sources(
    arguments: Sequence[str], stdin: BinaryIO | None, unpack_limit: int | None = None
) -> Iterator[Source | SourceError]:
    """Opens what the arguments name, in their order, folders by name; none or `-` is stdin (None
    where it is closed).

    A file that is named twice is opened once. What cannot be opened comes as an error in its place.
    `unpack_limit` is how many bytes a file may unpack to (None: the usual).
    """
    seen: set[tuple[int, int]] = set()
    for argument in arguments or ("-",):
        try:
            if not argument:
                yield SourceError('""', "an empty name; expected a file, a folder or -")
            elif argument == "-":
                yield from (
                    _open_stream(STDIN_NAME, stdin, Allowance(unpack_limit))
                    if stdin
                    else [SourceError(STDIN_NAME, "stdin is closed; give a file, or pipe a log in")]
                )
            elif os.path.isdir(argument):
                yield from _folder(argument, unpack_limit, seen)
            else:
                yield from _file(argument, unpack_limit, seen)
        except ValueError as error:  # a path with a NUL in it
            yield SourceError(shown_name(argument), str(error))
        except Exception as error:  # noqa: BLE001  # no source may end the others
            yield _failure(shown_name(argument), error)


def shown_name(path: str) -> str:
    """What a report calls it: nothing in it moves a cursor or begins a line."""
    if path.isascii() and path.isprintable():
        return path
    from logdoctor.texts.masking import printable  # noqa: PLC0415  # hardly any name needs it

    return printable(os.fsencode(path).decode("utf-8", "backslashreplace")).replace("\n", "\\n")


def _folder(
    folder: str, unpack_limit: int | None, seen: set[tuple[int, int]]
) -> Iterator[Source | SourceError]:
    found = False
    for path in folder_logs(folder):
        found = True
        if isinstance(path, SourceError):
            yield path
            continue
        try:
            yield from _file(path, unpack_limit, seen)
        except Exception as error:  # noqa: BLE001  # no source may end the others
            yield _failure(shown_name(path), error)
    if not found:
        yield SourceError(
            shown_name(folder),
            "no log in this folder (looked for *.log, *.out, *.err, *.txt and archives)",
        )


def folder_logs(folder: str) -> Iterator[str | SourceError]:
    """Paths of the logs, archives and dumps in a folder and below, by name, each file once;
    folders that cannot be read come last.
    """
    seen: set[str] = set()
    unreadable: list[OSError] = []  # a link to itself leads nowhere, and is none
    for parent, folders, names in os.walk(folder, onerror=unreadable.append):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(parent, name)
            is_named = is_log_name(name) or is_archive_name(name) or is_tracker_path(path)
            if not is_named and not (is_dump_name(name) and holds_dump(path)):
                continue
            if os.path.realpath(path) not in seen:
                seen.add(os.path.realpath(path))
                # nobody may ever write into what was only found
                yield (
                    SourceError(shown_name(path), "a pipe, not a log; name it to read from it")
                    if _is_pipe(path)
                    else path
                )
    for problem in unreadable:
        yield SourceError(shown_name(problem.filename), _reason(problem))


def _is_pipe(path: str) -> bool:
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:
        return False


def _file(
    path: str, unpack_limit: int | None, seen: set[tuple[int, int]]
) -> Iterator[Source | SourceError]:
    name = shown_name(path)
    status = os.stat(path)
    mode = status.st_mode
    if stat.S_ISREG(mode):
        if (status.st_dev, status.st_ino) in seen:
            return
        seen.add((status.st_dev, status.st_ino))
    if stat.S_ISBLK(mode) or (
        stat.S_ISCHR(mode) and os.path.realpath(path) != "/dev/null" and not _is_own_stdin(path)
    ):
        raise SourceError(name, "a device, not a log")
    if stat.S_ISSOCK(mode):
        raise SourceError(name, "a socket, not a log")
    with open(path, "rb") as stream:
        for source in _open_stream(name, stream, Allowance(unpack_limit, status.st_size)):
            if isinstance(source, SourceError) or not stat.S_ISREG(mode) or _is_own_stdin(path):
                yield source
            elif source.stream is stream:
                yield source._replace(
                    open_again=cast(Callable[[], BinaryIO], partial(open, path, "rb"))
                )
            else:
                yield source._replace(is_stored=True)


def find_logs(folder: str) -> Iterator[str]:
    """Paths of what looks like a log and is neither compressed nor an archive, anywhere below a
    folder.
    """
    for parent, folders, names in os.walk(folder):
        folders.sort()
        yield from (
            os.path.join(parent, name)
            for name in sorted(names)
            if re.fullmatch(_LOG_NAME, name) and not re.search(_COMPRESSED, name)
        )


def _is_own_stdin(path: str) -> bool:
    return path in ("/dev/stdin", "/dev/fd/0")


def open_stream(
    name: str, stream: BinaryIO, allowance: Allowance
) -> Iterator[Source | SourceError]:
    """The stream (which can `peek`), decompressed, or the logs in the archive that it is; what
    cannot be opened comes as an error.
    """
    try:
        yield from _open_stream(name, stream, allowance)
    except Exception as error:  # noqa: BLE001  # no source may end the others
        yield _failure(name, error)


def _open_stream(
    name: str, stream: BinaryIO, allowance: Allowance, depth: int = 0
) -> Iterator[Source | SourceError]:
    """As `open_stream`, with what it cannot open raised; `depth` is the number of archives
    around it.
    """
    head = _peek(stream)
    if head is None:
        yield Source(name, stream)
    elif head.startswith(b"PK\x03\x04"):
        yield from _zip_members(name, _seekable(name, stream, depth), allowance, depth)
    else:
        tapped = stream if depth else allowance.tap(stream)
        plain = decompressed(tapped, head)
        plain = stream if plain is tapped else allowance.watch(plain)
        inner = _peek(plain) or b""
        if inner[257:262] == b"ustar":
            yield from _tar_members(name, plain, allowance, depth)
        else:
            yield Source(name, read_as_lines(name, plain, inner) or plain)


def _seekable(name: str, stream: BinaryIO, depth: int) -> BinaryIO:
    """A zip's list of members stands at its end."""
    if not depth:
        if not stream.seekable():
            raise SourceError(name, "a zip archive in a pipe cannot be read; give the file itself")
        return stream
    data = stream.read(ZIP_IN_STREAM + 1)
    if len(data) > ZIP_IN_STREAM:
        raise SourceError(
            name,
            (
                f"a zip of more than {ZIP_IN_STREAM >> 20} MiB inside another archive; unpack "
                f"the outer one"
            ),
        )
    return io.BytesIO(data)


def _peek(stream: BinaryIO) -> bytes | None:
    """The first bytes without taking them; None where the stream cannot tell."""
    peek = getattr(stream, "peek", None)
    return cast(bytes, peek(512)) if peek else None


def _member(
    name: str, open_member: Callable[[], IO[bytes] | None], allowance: Allowance, depth: int
) -> Iterator[Source | SourceError]:
    """A member of an archive; one that cannot be opened does not stop the next."""
    if depth >= NESTING_LIMIT:
        yield SourceError(name, f"archives nested more than {NESTING_LIMIT} deep")
        return
    try:
        content = open_member()
        if content:
            yield from _open_stream(
                name,
                cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, content))),
                allowance,
                depth + 1,
            )
    except Exception as error:  # noqa: BLE001  # no source may end the others
        yield _failure(name, error)


def _is_wanted(path: str) -> bool:
    """Whether the name of a member is that of a log or archive, or may be that of a dump."""
    name = os.path.basename(path)
    return is_log_name(name) or is_archive_name(name) or is_dump_name(name) or is_tracker_path(path)


def _wanted(path: str, sources: Iterator[Source | SourceError]) -> Iterator[Source | SourceError]:
    """Those of a member; of one whose name only may be that of a dump, what is one."""
    name = os.path.basename(path)
    is_named = is_log_name(name) or is_archive_name(name) or is_tracker_path(path)
    for each in sources:
        if is_named or (isinstance(each, Source) and begins_as_dump(_peek(each.stream) or b"")):
            yield each


def _tar_members(
    name: str, stream: BinaryIO, allowance: Allowance, depth: int
) -> Iterator[Source | SourceError]:
    import tarfile  # noqa: PLC0415

    found = False
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            if member.isfile() and _is_wanted(member.name):
                opened = partial(archive.extractfile, member)
                shown = f"{name}/{shown_name(member.name)}"
                for source in _wanted(member.name, _member(shown, opened, allowance, depth)):
                    found = True
                    yield source
            cast(Any, archive).members = []  # else every header is kept until the end
    if not found:
        raise SourceError(name, "no log in this archive (looked for *.log, *.out, *.err, *.txt)")


def _zip_members(
    name: str, stream: BinaryIO, allowance: Allowance, depth: int
) -> Iterator[Source | SourceError]:
    import zipfile  # noqa: PLC0415

    found = False
    with zipfile.ZipFile(stream) as archive:
        for member in archive.infolist():
            if not member.filename.endswith("/") and _is_wanted(member.filename):
                opened = partial(_zip_content, archive, member, allowance)
                shown = f"{name}/{shown_name(member.filename)}"
                for source in _wanted(member.filename, _member(shown, opened, allowance, depth)):
                    found = True
                    yield source
    if not found:
        raise SourceError(name, "no log in this archive (looked for *.log, *.out, *.err, *.txt)")


def _zip_content(archive: "ZipFile", member: "ZipInfo", allowance: Allowance) -> IO[bytes]:
    return allowance.watch(cast(BinaryIO, archive.open(member)))
