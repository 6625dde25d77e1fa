"""Roots in buckets and on servers: CloudTree, through fsspec (`s3://`, `gs://`, `oss://`,
`hdfs://`, `http(s)://`).

Needs `logdoctor[cloud]`, and for some of the protocols a package more, which the error names.
Credentials are found as each protocol's own library finds them (environment, profile, machine).
"""

from __future__ import annotations

import errno
import io
import posixpath
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from typing import Any, BinaryIO, cast

from logdoctor.archive.layouts import Listing, Plan, PlanKind
from logdoctor.archive.trees import LogFile, utc
from logdoctor.errors import LogdoctorError, SourceError
from logdoctor.sources.finding import is_archive_name, is_log_name, shown_name
from logdoctor.texts.secrets import redacted

try:
    import fsspec
except ImportError as missing:
    raise LogdoctorError("URLs need fsspec: pip install 'logdoctor[cloud]'") from missing

BLOCK = 8 << 20
"""Bytes fetched at once."""

_STAMPS = (
    "ETag",
    "etag",
    "LastModified",
    "mtime",
    "last_modified",
    "updated",
    "generation",
    "created",
)

_TIMES = ("LastModified", "last_modified", "mtime", "updated")


class CloudTree:
    """A folder or object behind a URL."""

    is_local = False

    def __init__(self, url: str) -> None:
        """Raises SourceError where there is nothing, the protocol is not known, or credentials
        are missing.
        """
        self._url = shown_name(redacted(_without_password(url)))
        try:
            self._files, root = fsspec.core.url_to_fs(url)
            self._root = root.rstrip("/")
            # pages that list folders are files there
            is_page = url.startswith("http") and not _is_log_or_archive(
                posixpath.basename(self._root)
            )
            self._is_file = not is_page and self._files.info(self._root)["type"] == "file"
        except Exception as error:
            raise _in_words(self._url, error) from error
        self.key = self._url.rstrip("/")
        self.name = shown_name(posixpath.basename(self._root) or self.key)
        self.failures: list[SourceError] = []

    def plan(self) -> Plan | None:
        """The root itself where it is an object."""
        if not self._is_file:
            return None
        return Plan(
            "",
            PlanKind.ARCHIVE if is_archive_name(posixpath.basename(self._root)) else PlanKind.FILES,
            ("",),
        )

    def list_folder(self, path: str) -> Listing:
        """What stands in it, as the store's listing says."""
        try:
            entries = self._entries(path)
        except SourceError as error:
            self.failures.append(error)
            return Listing((), ())
        folders = sorted(name for name, entry in entries.items() if entry["type"] == "directory")
        files = sorted(
            name
            for name, entry in entries.items()
            if entry["type"] != "directory" and _is_log_or_archive(name)
        )
        return Listing(folders, files)

    def files(self, plan: Plan) -> Iterator[LogFile | SourceError]:
        """Of a folder all logs in it and below, by name."""
        if plan.kind is PlanKind.FOLDER:
            yield from self._below(plan.path)
            return
        for path in plan.files:
            try:
                yield self._file(path, self._files.info(self._path(path)))
            except Exception as error:  # noqa: BLE001  # each protocol has exceptions of its own
                yield _in_words(shown_name(path), error)

    def open(self, file: LogFile) -> BinaryIO:
        """The object, fetched in blocks as it is read."""
        return cast(BinaryIO, _Remote(self._files, self._path(file.path)))

    def _below(self, path: str) -> Iterator[LogFile | SourceError]:
        try:
            entries = self._entries(path)
        except SourceError as error:
            yield error
            return
        for name, entry in sorted(entries.items()):
            if entry["type"] != "directory" and _is_log_or_archive(name):
                yield self._file(f"{path}/{name}" if path else name, entry)
        for name, entry in sorted(entries.items()):
            if entry["type"] == "directory":
                yield from self._below(f"{path}/{name}" if path else name)

    def _entries(self, path: str) -> dict[str, dict[str, Any]]:
        """By name; a listing may hold the folder itself."""
        folder = self._path(path)
        try:
            listed = self._files.ls(folder, detail=True)
        except Exception as error:
            raise _in_words(shown_name(path or self._url), error) from error
        named = (
            (posixpath.basename(entry["name"].rstrip("/")), entry)
            for entry in listed
            if entry["name"].rstrip("/") != folder.rstrip("/")
        )
        return {name: entry for name, entry in named if name}

    def _file(self, path: str, info: dict[str, Any]) -> LogFile:
        stamp = next((str(info[name]) for name in _STAMPS if info.get(name)), "")
        return LogFile(path, int(info.get("size") or 0), stamp, _written(info))

    def _path(self, path: str) -> str:
        return f"{self._root}/{path}" if path else self._root


class _Remote(io.RawIOBase):
    """An object as a raw file; what its library raises becomes an OSError with words."""

    def __init__(self, files: Any, path: str) -> None:
        self._path = path
        self._file = self._asked(lambda: files.open(path, "rb", block_size=BLOCK))

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._file.seekable())

    def seek(self, offset: int, whence: int = 0) -> int:
        return int(self._asked(lambda: self._file.seek(offset, whence)))

    def tell(self) -> int:
        return int(self._file.tell())

    def readinto(self, buffer: Any) -> int:
        data: bytes = self._asked(lambda: self._file.read(len(buffer)))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed and hasattr(self, "_file"):
            self._file.close()
        super().close()

    def _asked(self, ask: Callable[[], Any]) -> Any:
        try:
            return ask()
        except Exception as error:
            raise OSError(errno.EIO, _in_words(self._path, error).what) from error


def _written(info: dict[str, Any]) -> str | None:
    """When an object was last written, as its store tells it: a time, a text or seconds."""
    told = next((info[name] for name in _TIMES if info.get(name)), None)
    if isinstance(told, str):
        try:
            told = datetime.fromisoformat(told.replace("Z", "+00:00"))
        except ValueError:
            return None
    if isinstance(told, datetime):
        told = (told if told.tzinfo else told.replace(tzinfo=timezone.utc)).timestamp()
    return utc(told) if isinstance(told, (int, float)) else None


def _is_log_or_archive(name: str) -> bool:
    return is_log_name(name) or is_archive_name(name)


def _in_words(name: str, error: Exception) -> SourceError:
    """What went wrong in one line; credentials first, because their absence has many names."""
    if isinstance(error, SourceError):
        return error
    kind, text = type(error).__name__, " ".join(str(error).split())
    if isinstance(error, ImportError):
        what = f"{text}; pip install what it names, or logdoctor[cloud]"
    elif "Credential" in kind or "credential" in text.lower():
        what = (
            "credentials are missing; set them as for the store's own client (for S3 "
            "AWS_ACCESS_KEY_ID or a profile)"
        )
    elif isinstance(error, PermissionError) or "Forbidden" in text or "AccessDenied" in text:
        what = "access denied; the credentials that were found may not read it"
    elif isinstance(error, FileNotFoundError):
        what = "there is nothing"
    else:
        what = redacted(f"{kind}: {text}" if text else kind)[:300]
    return SourceError(name, what)


def _without_password(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"
