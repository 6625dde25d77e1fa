"""Signature files to a database: what is refused, with which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdoctor.checks.proofs import check_signatures
from logdoctor.errors import SignatureError
from logdoctor.model import Phase, Severity, SignatureDatabase
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.compiling import compile_automaton
from logdoctor.signatures.reading import load_signatures
from logdoctor.signatures.skeleton import signature_skeleton

GOOD = signature_skeleton("worker-lost-its-batch", "demo")


def write(folder: Path, text: str, name: str = "worker-lost-its-batch.yaml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def faults_of(*paths: Path) -> list[str]:
    with pytest.raises(SignatureError) as caught:
        load_signatures(paths)
    return [str(fault) for fault in caught.value.faults]


def test_the_skeleton_loads_and_checks(tmp_path: Path) -> None:
    """What `signatures new` prints is a signature that proves itself."""
    database = load_signatures([write(tmp_path, GOOD)])
    automaton = compile_automaton(database)
    assert [each.id for each in database.signatures] == ["worker-lost-its-batch"]
    assert check_signatures(automaton) == ()


BROKEN = (
    (
        "severity: error ",
        "severity: bad ",
        '7:11: unknown severity "bad"; expected one of fatal, error, warning',
    ),
    (
        "risk: safe ",
        "risk: low ",
        '22:11: unknown risk "low"; expected one of safe, restarts-run, affects-others, loses-data, runs-foreign-code',
    ),
    (
        "maturity: draft ",
        "maturiti: draft ",
        '9:1: unknown key "maturiti" in a signature; expected one of id, refines',
    ),
    (
        "maturity: draft ",
        "severity: fatal ",
        '9:1: duplicate key "severity"; first given in line 7; keep one of them',
    ),
    ("frameworks: []  ", "frameworks: roll", '13:13: found "roll"; expected a list'),
    (
        "  zh: 用几个字说明看到的现象\n",
        "",
        '4:3: the text in "zh" is missing; every text is given in en and zh',
    ),
    ("{count:int}", "{count:float}", 'unknown slot type "float"'),
    ("  - template: 'ValueError: the", "  - regex: '(unclosed the", "missing )"),
    (
        "    where: exception ",
        "    where: nowhere   ",
        'unknown where "nowhere"; expected one of message, exception, frame, line',
    ),
    (
        "id: worker-lost-its-batch",
        "id: other-name",
        'id "other-name" in file "worker-lost-its-batch.yaml"; expected "worker-lost-its-batch", or rename the file',
    ),
    (
        "explains: [] ",
        "explains: [no-such-id] ",
        'explains "no-such-id", which is unknown; expected the id of a signature',
    ),
    (
        "explains: [] ",
        "stalls: [training] ",
        'unknown phase "training"; expected one of init, rollout',
    ),
    (
        "role: cause ",
        "refines: nothing-known\nrole: cause ",
        "has no frameworks; expected the frameworks it speaks for",
    ),
    (
        "id: worker-lost-its-batch",
        "id: Worker_Lost",
        'id "Worker_Lost"; expected words in lower case with hyphens between them',
    ),
    ("title:\n", "title: [\n", "not YAML"),
    ("en: What happened and", 'en: "What \\e]0;x\\a happened"\n  fr: Et', "a control character in"),
    ("  - template: 'ValueError: the words", "  - regex: 'a{99999}", "a repeat of 10,000 or more"),
)


@pytest.mark.parametrize(
    ("old", "new", "expected"), BROKEN, ids=[new.strip() or "missing" for _, new, _ in BROKEN]
)
def test_a_broken_signature_is_refused_with_its_place(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    """`file:line:column: what; expected what`."""
    assert old in GOOD
    file = write(tmp_path, GOOD.replace(old, new, 1))
    faults = faults_of(tmp_path)
    assert all(fault.startswith(f"{file}:") for fault in faults)
    assert any(expected in fault for fault in faults), faults


def test_each_bundled_signature_stands_in_the_folder_of_its_component(
    database: SignatureDatabase,
) -> None:
    """So that a maintainer owns one folder."""
    assert [
        each.id
        for each in database.signatures
        if Path(each.position.file).parent.name != each.component
    ] == []


def test_all_faults_of_all_files_come_at_once(tmp_path: Path) -> None:
    """Three files, four faults."""
    write(
        tmp_path,
        GOOD.replace("severity: error", "severity: bad").replace("risk: safe", "risk: low"),
    )
    write(tmp_path, "", "empty.yaml")
    (tmp_path / "latin.yaml").write_bytes(b"id: caf\xe9\n")
    assert [
        fault.partition(str(tmp_path))[2].partition(": ")[2] for fault in faults_of(tmp_path)
    ] == [
        "the file is empty; expected one signature",
        "not UTF-8 at byte 7; save it as UTF-8",
        'unknown severity "bad"; expected one of fatal, error, warning',
        'unknown risk "low"; expected one of safe, restarts-run, affects-others, loses-data, runs-foreign-code',
    ]


def test_an_id_is_given_once(tmp_path: Path) -> None:
    """The same id in two folders is a fault that names both."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write(tmp_path / name, GOOD)
    faults = faults_of(tmp_path)
    assert [
        ('duplicate id "worker-lost-its-batch"' in fault, str(tmp_path / "a") in fault)
        for fault in faults
    ] == [(True, True)]


def test_missing_paths_and_empty_folders_are_faults(tmp_path: Path) -> None:
    """They are not silently nothing."""
    assert [fault.partition(": ")[2] for fault in faults_of(tmp_path, tmp_path / "gone.yaml")] == [
        "no *.yaml file in this folder; expected signature files",
        "no such file or folder; expected signature files",
    ]


def test_plain_scalars_stay_text(tmp_path: Path) -> None:
    """Versions and truth values are what was written."""
    file = write(
        tmp_path,
        GOOD.replace(
            "    risk: safe",
            "    when: {versions: {torch: 2.10}, config: {eager: no}}\n    risk: safe",
        ),
    )
    (signature,) = load_signatures([file]).signatures
    assert (signature.remedies[0].when.versions, signature.remedies[0].when.config) == (
        {"torch": ("2.10",)},
        {"eager": ("no",)},
    )


def test_a_refinement_inherits(tmp_path: Path) -> None:
    """Title, cause, role and where a run stands still come from the general signature, its own remedies first."""
    write(
        tmp_path,
        GOOD.replace("severity: error", "severity: fatal").replace(
            "explains: []", "stalls: [train]"
        ),
    )
    refinement = """\
id: special-batch
component: demo
refines: worker-lost-its-batch
frameworks: [verl]
maturity: draft
remedies:
  - {action: {en: Do this, zh: 这样做}, risk: safe, check: {en: Look, zh: 看}}
examples: [{text: "verl.trainer.main\\nValueError: the words that only this message has, with 3 as a slot", origin: made up for this test}]
references: [https://example.org/x]
"""
    write(tmp_path, refinement, "special-batch.yaml")
    special, general = load_signatures([tmp_path]).signatures
    assert (special.title, special.severity, special.patterns) == (
        general.title,
        Severity.FATAL,
        (),
    )
    assert (special.stalls, general.stalls) == ((Phase.TRAIN,), (Phase.TRAIN,))
    assert [each.action.en for each in special.remedies] == [
        "Do this",
        "One thing to change, imperative.",
    ]


def check_messages(folder: Path) -> list[str]:
    return [str(fault) for fault in check_signatures(compile_automaton(load_signatures([folder])))]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "with 3 as a slot\n    captures",
            "entirely different from it\n    captures",
            "is recognised by no pattern",
        ),
        ("{count: '3'}", "{count: '4'}", 'captures count "3"; expected "4"'),
        (
            "text: a near miss",
            "text: 'ValueError: the words that only this message has, with 4 as a slot'",
            "counterexample 1",
        ),
        ("https://example.org/the-raise-site", "somewhere in the source", "is no URL"),
        (
            "en: What happened and how one tells.",
            "en: It had {size}.",
            'uses "{size}"; no pattern captures that',
        ),
        ("zh: 发生了什么，如何判断。", "zh: What happened", "is not Chinese"),
        (
            "template: 'ValueError: the words that only this message has, with {count:int} as a slot'",
            "template: 'bad {count:int}'",
            "fewer than 12",
        ),
        (
            "template: 'ValueError: the words that only this message has, with {count:int} as a slot'",
            r"regex: '(?P<count>\d+) as'",
            "nothing fixed in",
        ),
    ],
)
def test_the_check_finds_what_loads_but_is_wrong(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    """Examples, counterexamples, captures, references and languages are proven."""
    assert old in GOOD
    write(tmp_path, GOOD.replace(old, new, 1))
    assert any(expected in message for message in check_messages(tmp_path)), check_messages(
        tmp_path
    )


def test_the_check_tells_a_stolen_example(tmp_path: Path) -> None:
    """An example that another signature takes first is a fault."""
    write(tmp_path, GOOD)
    thief = GOOD.replace("worker-lost-its-batch", "thief").replace(
        "the words that only this message has, with {count:int} as a slot",
        "the words that only {what:text} a slot",
    )
    write(tmp_path, thief, "thief.yaml")
    assert any(
        'example 1 of "thief" is recognised as "worker-lost-its-batch" instead' in message
        for message in check_messages(tmp_path)
    )


def test_a_regex_that_cannot_be_searched_is_a_fault(tmp_path: Path) -> None:
    """Where no fixed text can be searched and Hyperscan refuses the regex, the author is told."""
    write(
        tmp_path,
        GOOD.replace(
            "template: 'ValueError: the words that only this message has, with {count:int} as a slot'",
            r"regex: '(?P<count>\d*)'",
        ),
    )
    with pytest.raises(SignatureError, match="cannot be searched"):
        compile_automaton(load_signatures([tmp_path]))


def test_a_runaway_regex_is_stopped_and_reported(tmp_path: Path) -> None:
    """The scan goes on, and the signature is named."""
    write(
        tmp_path,
        GOOD.replace(
            "template: 'ValueError: the words that only this message has, with {count:int} as a slot'",
            "regex: 'words: (?P<count>(a|aa)+)$'",
        ),
    )
    result = scan_text(
        compile_automaton(load_signatures([tmp_path])),
        "ValueError: words: " + "a" * 60 + "b\nRuntimeError: next\n",
    )
    assert [
        ("worker-lost-its-batch" in fault, "0.2 s" in fault) for fault in result.signature_faults
    ] == [(True, True)]
    assert [each.title for each in result.unknown_errors][-1] == "RuntimeError: next"
