"""Judged runs as JUnit XML, a test case each: render_junit.

As Jenkins, GitLab and GitHub's actions read it: a run that failed is a failure, a run of which
something could not be read an error, a warning is output.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from logdoctor.archive.overview import has_failed, root_of
from logdoctor.reports.archive.structured import Archive, ReadRun

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold, not even as references."""


def render_junit(runs: Iterable[ReadRun], archive: Archive) -> Iterator[str]:
    """The document; the counts stand first, so that it comes after the last run."""
    cases = list(map(_case, runs))
    cases += [_unread(each.source, each.what) for each in archive.failures]
    failures, errors = (sum(f"<{kind} " in each for each in cases) for kind in ("failure", "error"))
    counts = f'tests="{len(cases)}" failures="{failures}" errors="{errors}"'
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f"<testsuites {counts}>\n"
    yield f'<testsuite name="logdoctor" {counts} skipped="0">\n'
    yield from cases
    yield "</testsuite>\n</testsuites>\n"


def _case(run: ReadRun) -> str:
    root, children = root_of(run.document), []
    if root is not None and has_failed(run.document):
        kind = root.get("signature_id") or f"unknown error {root['fingerprint']}"
        children.append(_child("failure", root["title"], kind, "\n".join(_about(root))))
    elif root is not None:
        children.append(f"<system-out>{_text(_lines(root))}</system-out>\n")
    if run.record.problems:
        told = [f"{each.source}: {each.what}" for each in run.record.problems]
        children.append(_child("error", told[0], "unreadable", "\n".join(told)))
    name = "/".join(filter(None, (run.root, run.record.run)))
    return _named(name, children)


def _unread(source: str, what: str) -> str:
    return _named(source, [_child("error", what, "unreadable", f"{source}: {what}")])


def _named(name: str, children: Iterable[str]) -> str:
    head = f'<testcase classname="logdoctor" name={_attribute(name)}>'
    return f"{head}\n{''.join(children)}</testcase>\n"


def _child(kind: str, message: str, type_name: str, text: str) -> str:
    return (
        f"<{kind} message={_attribute(message)} type={_attribute(type_name)}>{_text(text)}"
        f"</{kind}>\n"
    )


def _lines(root: Any) -> str:
    return "\n".join([root["title"], *_about(root)])


def _about(root: Any) -> Iterator[str]:
    for each in root["evidence"][:1]:
        yield f"{each['source']}:{each['line']}: {each['text']}"
    if root.get("cause"):
        yield root["cause"]
    for remedy in root.get("remedies", ()):
        if remedy["applies"] != "no":
            yield f"- {remedy['action']}"
    yield from (f"- {each}" for each in root.get("next_steps", ()))


def _attribute(text: str) -> str:
    return quoteattr(_NO_XML.sub("�", text))


def _text(text: str) -> str:
    return escape(_NO_XML.sub("�", text))
