"""The labelled logs of `sample_logs/`: what is wrong in each, said by who made it."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from logdoctor.dumps.dump_set import DumpSet
from logdoctor.sources.finding import HEAD_LEAST
from logdoctor.sources.trackers.reading import is_tracker_name, read_as_lines

SAMPLES = Path(__file__).parents[2] / "sample_logs"
ENDING = ".expected.yaml"

CONSEQUENCE, INDEPENDENT, MENTIONED = "consequence", "independent", "mentioned"
RECOVERED, TEARDOWN, BENIGN = "recovered", "teardown", "benign"
LINE_WORDS = (CONSEQUENCE, INDEPENDENT, RECOVERED, TEARDOWN, BENIGN, MENTIONED)
"""What a line that looks like an error can be, other than the root."""

_REQUIRED = frozenset({"origin", "component", "framework", "diagnoses", "root_line", "lines"})
_OPTIONAL = frozenset({"root_line_alternatives", "remedy_keywords"})
_ORIGIN = frozenset({"kind", "command", "script", "versions", "note"})


class Label(NamedTuple):
    """What is known about one log.

    Attributes:
        name: its path under the folder of the samples, without the ending.
        log: the log, or a folder of logs that are one run.
        component: who prints the root line; empty where nothing is wrong.
        framework: what drives the run, if anything does.
        diagnoses: signatures that must be found, in this order; empty where none knows the error.
        roots: parts of lines that name the root cause, any of which will do; empty where
            nothing is wrong.
        remedy_keywords: of each group at least one word must be said by the answer.
        lines: parts of other lines that look like errors, with a word of LINE_WORDS.
        origin: how the log was made.
    """

    name: str
    log: Path
    component: str
    framework: str | None
    diagnoses: tuple[str, ...]
    roots: tuple[str, ...]
    remedy_keywords: tuple[tuple[str, ...], ...]
    lines: tuple[tuple[str, str], ...]
    origin: Mapping[str, Any]

    @property
    def healthy(self) -> bool:
        """Nothing is wrong in this log."""
        return not self.roots

    def texts(self) -> dict[str, list[str]]:
        """The lines of each file, by its name (that of the log itself, or under the folder), and
        those that dumps of a hang and files of trackers stand for.
        """
        top = self.log if self.log.is_dir() else self.log.parent
        files = sorted(self.log.rglob("*")) if self.log.is_dir() else [self.log]
        texts = {
            str(file.relative_to(top)): _read_lines(file)
            for file in files
            if file.suffix == ".log" or is_tracker_name(file.name)
        }
        dumps = DumpSet()
        for file in sorted(self.log.rglob("*rank_*")) if self.log.is_dir() else ():
            dumps.add(str(file.relative_to(top)), file.read_bytes())
        told = dumps.told()
        return {**texts, told.source: list(told.lines)} if told else texts


def _read_lines(file: Path) -> list[str]:
    data = file.read_bytes()
    told = read_as_lines(file.name, io.BytesIO(data), data[:HEAD_LEAST])
    return (told.read() if told else data).decode("utf-8", "replace").split("\n")


def lines_of(texts: Mapping[str, list[str]], source: str) -> list[str]:
    """The lines of the file that a source of a document names; none where it is another's."""
    return next((lines for name, lines in texts.items() if f"/{source}".endswith(f"/{name}")), [])


def read_labels(folder: Path = SAMPLES) -> list[Label]:
    """Every labelled log under this folder, by name.

    Raises:
        ValueError: a label lacks a field, has one too many, or has no log.
    """
    return [_read(path, folder) for path in sorted(folder.rglob("*" + ENDING))]


def faults(label: Label) -> list[str]:
    """What is not well-formed in a label, against the log itself; empty where all is well."""
    texts = ["\n".join(lines) for lines in label.texts().values()]
    needles = [*label.roots, *(needle for _, needle in label.lines)]
    return [
        *(
            f"not in the log: {each!r}"
            for each in needles
            if not any(each in text for text in texts)
        ),
        *(
            f"more than a line, or nothing: {each!r}"
            for each in needles
            if "\n" in each or not each.strip()
        ),
        *(f"said twice: {each!r}" for each in set(needles) if needles.count(each) > 1),
        *_field_faults(label),
    ]


def _field_faults(label: Label) -> list[str]:
    origin = label.origin
    found = [
        f"no such word for lines: {word}"
        for word in {word for word, _ in label.lines} - set(LINE_WORDS)
    ]
    if origin.get("kind") not in ("captured", "composed"):
        found.append("origin.kind is neither captured nor composed")
    if not (origin.get("command") and origin.get("versions")) or set(origin) - _ORIGIN:
        found.append("origin needs a command and versions, and knows " + ", ".join(sorted(_ORIGIN)))
    if not (SAMPLES / str(origin.get("script"))).is_file():
        found.append(f"no such script: {origin.get('script')}")
    if label.healthy and (label.diagnoses or label.remedy_keywords or label.component):
        found.append("nothing is wrong, and yet a diagnosis, a component or a remedy is expected")
    if not label.healthy and not (label.remedy_keywords and label.component):
        found.append(
            "something is wrong, and neither its component nor words of its remedy may be missing"
        )
    if label.healthy and not label.lines:
        found.append("a healthy log shows lines that look bad and are not")
    return found


def _read(path: Path, folder: Path) -> Label:
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    name = path.relative_to(folder).as_posix().removesuffix(ENDING)
    if (
        not isinstance(content, dict)
        or not set(content) >= _REQUIRED
        or set(content) - _REQUIRED - _OPTIONAL
    ):
        raise ValueError(
            f"{path}: needs {', '.join(sorted(_REQUIRED))}; may have {', '.join(sorted(_OPTIONAL))}"
        )
    log = folder / name if (folder / name).is_dir() else folder / f"{name}.log"
    if not log.exists():
        raise ValueError(f"{path}: no log beside it")
    root = content["root_line"]
    return Label(
        name,
        log,
        content["component"] or "",
        content["framework"],
        tuple(content["diagnoses"]),
        () if root is None else (root, *content.get("root_line_alternatives", ())),
        tuple(
            tuple(str(word).lower() for word in group)
            for group in content.get("remedy_keywords", ())
        ),
        tuple(
            (word, needle)
            for word, needles in (content["lines"] or {}).items()
            for needle in needles
        ),
        content["origin"],
    )
