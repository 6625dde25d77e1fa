"""The published schema: what is printed fits it, and what does not fit is found."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from logdoctor.document.document import document
from logdoctor.document.schema import document_schema, kind_schema
from logdoctor.model import Language
from logdoctor.pipeline.scan import Scan, scan_text
from logdoctor.search.automaton import Automaton
from logdoctor.sources.finding import find_sources
from tests.conftest import RunCli
from tests.documents import assert_as_published, faults

SAMPLES = sorted(
    each.name
    for each in (Path(__file__).parents[1] / "sample_logs").iterdir()
    if each.suffix == ".log"
)


def scanned(automaton: Automaton, path: Path, language: Language = Language.EN) -> dict[str, Any]:
    scan = Scan(automaton)
    for source in find_sources([str(path)], None):
        scan.read(source.name, source.chunks())  # type: ignore[union-attr]
    return document(scan.result(), language, "0")


@pytest.mark.parametrize("kind", [None, "scan", "line", "batch", "batch_line", "check"])
def test_each_schema_is_one(kind: str | None) -> None:
    """Of draft 2020-12; whatever it refers to is in it."""
    schema = kind_schema(kind) if kind else document_schema()
    Draft202012Validator.check_schema(schema)
    text = json.dumps(schema)
    assert set(re.findall(r'"#/\$defs/(\w+)"', text)) <= schema["$defs"].keys()


@pytest.mark.parametrize("name", SAMPLES[::4])
def test_documents_of_sample_logs_fit(automaton: Automaton, repository: Path, name: str) -> None:
    """Real failures, in both languages."""
    for language in Language:
        assert (
            list(faults("scan", scanned(automaton, repository / "sample_logs" / name, language)))
            == []
        )


def objects(schema: Any, value: Any, whole: Any, path: str = "$") -> Any:
    """Every object of a document that the schema names keys of, with those keys."""
    if "$ref" in schema:
        schema = whole["$defs"][schema["$ref"].rpartition("/")[2]]
    for choice in schema.get("anyOf", []):
        if "null" not in str(choice.get("type")) and value is not None:
            yield from objects(choice, value, whole, path)
    if isinstance(value, dict) and "properties" in schema:
        yield path, value, schema["properties"]
        for key, each in schema["properties"].items():
            if key in value:
                yield from objects(each, value[key], whole, f"{path}.{key}")
    if isinstance(value, list) and "items" in schema:
        for each in value:
            yield from objects(schema["items"], each, whole, f"{path}[]")


@pytest.mark.parametrize(
    "text",
    [
        "step:3/20 - loss:0.3\nAssertionError: batch_size 32 < chunks 64\n",
        'Traceback (most recent call last):\n  File "/a/train.py", line 5, in <module>\n    main()\nValueError: no\n',
        "".join(
            f"step:{i} - actor/grad_norm:{0.5 if i < 40 else float('nan')}\n" for i in range(60)
        ),
    ],
    ids=["diagnosis", "unknown error", "numbers"],
)
def test_every_key_of_a_document_is_in_the_schema(automaton: Automaton, text: str) -> None:
    """A key is published before it is printed, although readers ignore what they do not know."""
    schema = kind_schema("scan")
    printed = document(scan_text(automaton, text), Language.EN, "0")
    seen = list(objects(schema, printed, schema))
    assert len(seen) > 4
    assert {
        f"{path}.{key}" for path, value, known in seen for key in value.keys() - known.keys()
    } == set()


def test_what_does_not_fit_is_found(automaton: Automaton) -> None:
    """A missing key, a wrong word, a line 0; a new key is no fault."""
    whole = document(
        scan_text(automaton, "AssertionError: batch_size 32 < chunks 64\n"), Language.EN, "0"
    )
    changes: tuple[tuple[Callable[[Any], object], str], ...] = (
        (lambda d: d.pop("not_seen"), "$: 'not_seen' is a required property"),
        (
            lambda d: d["diagnoses"][0].update(severity="bad"),
            "$.diagnoses[0].severity: 'bad' is not one of",
        ),
        (
            lambda d: d["diagnoses"][0]["evidence"][0].update(line=0),
            "$.diagnoses[0].evidence[0].line: 0 is less",
        ),
        (lambda d: d.update(schema_version=2), "$.schema_version: 1 was expected"),
    )
    for change, told in changes:
        broken = copy.deepcopy(whole)
        change(broken)
        (fault,) = faults("scan", broken)
        assert fault.startswith(told)
    whole["new"] = 1
    assert list(faults("scan", whole)) == []


def test_the_fixture_finds_what_does_not_fit() -> None:
    """Else it would prove nothing."""
    with pytest.raises(AssertionError):
        assert_as_published(["scan", "--format", "json"], b'{"schema_version": 1}')
    with pytest.raises(AssertionError):
        assert_as_published(["batch", "--format", "jsonl"], b'{"run": "a"}\n')


def test_documents_of_all_commands_fit(run_cli: RunCli, tmp_path: Path) -> None:
    """`run_cli` holds each against its schema; here all kinds come by once."""
    log = tmp_path / "a" / "train.log"
    log.parent.mkdir()
    log.write_text("AssertionError: batch_size 32 < chunks 64\nValueError: no\n", encoding="utf-8")
    for words in (["scan", log], ["tail", "--until-idle", "0.2", log], ["batch", tmp_path]):
        for form in ("json", "jsonl"):
            assert run_cli(*words, "--format", form).returncode == 1
    compared = run_cli(
        "batch", tmp_path, "--format", "json", "--compare", tmp_path / "a", tmp_path / "a"
    )
    assert json.loads(compared.stdout)["comparison"]["lines"] == []


def test_the_command_prints_it(run_cli: RunCli, repository: Path) -> None:
    """The whole, which docs/schema.json has too, or that of a kind."""
    whole = run_cli("schema").stdout.decode()
    assert json.loads(whole) == document_schema()
    assert whole == (repository / "docs" / "schema.json").read_text(encoding="utf-8")
    assert json.loads(run_cli("schema", "batch").stdout) == kind_schema("batch")
    wrong = run_cli("schema", "scam")
    assert (wrong.returncode, b"expected one of scan, line, batch" in wrong.stderr) == (2, True)
