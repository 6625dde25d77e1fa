"""What a signature says of this text, this value, this run: clauses, named patterns, extracts."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logdoctor.checks.proofs import check_signatures
from logdoctor.errors import SignatureError
from logdoctor.model import (
    Applies,
    Diagnosis,
    LocalText,
    LogEvent,
    LogLine,
    Phase,
    Remedy,
    Risk,
    RunContext,
    When,
)
from logdoctor.model.signature import Extract
from logdoctor.model.words import Position
from logdoctor.patterns.extracts import capture_names, extracted
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton
from logdoctor.search.compiling import compile_automaton
from logdoctor.signatures.reading import load_signatures
from logdoctor.texts.filling import can_fill, fill, outline, take_apart, tell
from logdoctor.texts.phrases import verdict as phrases
from logdoctor.verdict.remedies import Circumstances, judge_remedies

OOM = """\
id: memory-ran-out
title: {en: 'No memory left[[ for {tried}]]', zh: '内存不足[[，无法分配 {tried}]]'}
component: demo
severity: fatal
role: cause
maturity: confirmed
patterns:
  - name: device
    template: 'DemoMemoryError: the demo device ran out of memory'
  - name: host
    template: 'DemoMemoryError: the demo host ran out of memory'
    title: {en: 'The host has no memory left', zh: '主机内存不足'}
    cause: {en: 'It is the host. {free} were free.', zh: '是主机。剩余 {free}。'}
extract:
  - regex: 'allocate (?P<tried>[\\d.]+ ?[KMGT]iB)'
  - template: 'of which {free:size} is free'
  - regex: 'process (?P<other>\\d+) holds (?P<held>[\\d.]+ [KMGT]iB)'
cause:
  en: 'A tensor [[of {tried}]] did not fit. Only {free} of it are free.'
  zh: '[[{tried} 的]]张量放不下。只剩 {free}。'
remedies:
  - when: {pattern: host}
    action: {en: Give the host more memory, zh: 增加主机内存}
    risk: affects-others
    check: {en: Look at it., zh: 看一下}
  - when: {captures: {held: '> 1 GiB'}}
    action: {en: 'End process {other}', zh: '结束进程 {other}'}
    risk: loses-data
    check: {en: 'Nobody holds {held}. Look again.', zh: '看一下'}
  - when: {captures: {free: '> 1 GiB'}}
    action: {en: Defragment it, zh: 整理碎片}
    risk: safe
    check: {en: '{free} suffice. Look at it.', zh: '看一下'}
  - when: {seen: worker-was-killed}
    action: {en: Ask who killed it, zh: 查看被谁终止}
    risk: safe
    check: {en: Look at it., zh: 看一下}
examples:
  - text: 'DemoMemoryError: the demo device ran out of memory while it tried to allocate 2.00 GiB, of which 3.00 GiB is free'
    captures: {tried: 2.00 GiB, free: 3.00 GiB}
    origin: made up for this test
  - text: 'DemoMemoryError: the demo host ran out of memory'
    origin: made up for this test
counterexamples: [{text: 'DemoMemoryError: nothing at all', why: made up for this test}]
references: [https://example.org/x]
"""
KILLED = """\
id: worker-was-killed
title: {en: A worker was killed, zh: 工作进程被终止}
component: demo
severity: fatal
role: symptom
maturity: confirmed
aliases: [worker-died]
patterns: [{template: 'demo worker was killed by somebody else'}]
cause: {en: Somebody killed it., zh: 有人终止了它。}
remedies:
  - {action: {en: Ask, zh: 询问}, risk: safe, check: {en: Look at it., zh: 看一下}}
examples: [{text: 'ERROR demo worker was killed by somebody else', origin: made up for this test}]
counterexamples: [{text: 'demo worker ended', why: made up for this test}]
references: [https://example.org/x]
"""
DEVICE = "DemoMemoryError: the demo device ran out of memory"
HOST = "DemoMemoryError: the demo host ran out of memory"


def write(folder: Path, oom: str = OOM, killed: str = KILLED) -> Path:
    (folder / "memory-ran-out.yaml").write_text(oom, encoding="utf-8")
    (folder / "worker-was-killed.yaml").write_text(killed, encoding="utf-8")
    return folder


def told(folder: Path, log: str, oom: str = OOM) -> Diagnosis:
    automaton = compile_automaton(load_signatures([write(folder, oom)]))
    found = scan_text(automaton, log).diagnoses
    return next(each for each in found if each.signature.id == "memory-ran-out")


def judged(diagnosis: Diagnosis) -> dict[str, Applies]:
    return {each.action.en: each.applies for each in diagnosis.remedies}


def faults_of(folder: Path, oom: str) -> list[str]:
    with pytest.raises(SignatureError) as caught:
        load_signatures([write(folder, oom)])
    return [f"{each}".rpartition("/")[2] for each in caught.value.faults]


@pytest.mark.parametrize(
    ("text", "captures", "expected"),
    [
        ("A tensor [[of {n}]] did not fit", {"n": "2 GiB"}, "A tensor of 2 GiB did not fit"),
        ("A tensor [[of {n}]] did not fit", {}, "A tensor did not fit"),
        ("A tensor [[of {n}]].", {}, "A tensor."),
        ("[[{n}: ]]gone", {}, "gone"),
        ("[[{n}]] gone", {"n": ""}, "gone"),
        ("gone[[, {n} of {m}]]", {"n": "2"}, "gone"),
        ("at [[{a}]] and [[{b}]]", {"b": "3"}, "at and 3"),
        ("a list [[at [{n}]]]", {"n": "0"}, "a list at [0]"),
        ("张量[[（{n}）]]放不下", {}, "张量放不下"),
        ("write [[tool.uv.index]] first", {}, "write [[tool.uv.index]] first"),
        ("<path> of {n}", {}, "<path> of …"),
    ],
)
def test_a_clause_goes_where_a_capture_in_it_is_missing(
    text: str, captures: dict[str, str], expected: str
) -> None:
    """With the blank before it; double brackets round anything else are what they are."""
    assert fill(text, captures) == expected


def test_a_sentence_goes_where_a_capture_in_it_is_missing() -> None:
    """Unless none would remain; the whole text is for pages that tell of no match."""
    text = "It has v2.4 of {a}. It needs {b}! 要 {c}。又 {b}。"
    assert tell(text, {"a": "x", "c": "y"}) == "It has v2.4 of x. 要 y。"
    assert tell("It needs {b}.", {}) == "It needs …."
    assert outline("A [[of {a}]] and [[x]] {b}") == "A of <a> and [[x]] <b>"
    assert (can_fill("[[{a}]] b", {}), can_fill("{a} b", {}), can_fill("{a}", {"a": "x"})) == (
        True, False, True,
    )  # fmt: skip
    assert tuple(take_apart("[[of {a}]] {b} [[c]]")) == ({"b"}, {"a"}, False)


def test_values_are_read_anywhere_in_the_event(tmp_path: Path) -> None:
    """In any order, before or behind what recognised it; one that is not there is missing."""
    full = told(tmp_path, f"process 77 holds 4.00 GiB: {DEVICE}; tried to allocate 2.00 GiB\n")
    assert full.captures == {"tried": "2.00 GiB", "other": "77", "held": "4.00 GiB"}
    assert (full.title.en, full.cause.en, full.cause.zh) == (
        "No memory left for 2.00 GiB",
        "A tensor of 2.00 GiB did not fit.",
        "2.00 GiB 的张量放不下。",
    )
    cut = told(tmp_path, f"{DEVICE}; tried to all\n")
    assert (cut.captures, cut.title.zh, cut.cause.en) == (
        {},
        "内存不足",
        "A tensor did not fit.",
    )


def test_what_goes_on_below_is_read_too_but_not_what_others_say_there() -> None:
    """A message that was wrapped; the line below says its own values."""
    line = LogLine("x", 1, "", "ran out of memory, of which 3.00")
    wrapped = LogEvent((line,), 0, None, line.text, after=(LogLine("x", 2, "", "GiB is free"),))
    free = Extract("of which {free:size} is free", None, Position("x", 1, 1))
    assert extracted([free], wrapped) == {"free": "3.00 GiB"}
    other = wrapped._replace(after=(LogLine("x", 2, "", "of which 9.00 GiB is free"),))
    assert extracted([free], other) == {}
    within = LogEvent((line, LogLine("x", 2, "", "GiB is free")), 0, None, "no memory")
    assert extracted([free], within) == {"free": "3.00 GiB"}


def test_captures_of_a_pattern_win_over_extracts(tmp_path: Path) -> None:
    """They are what recognised it."""
    oom = OOM.replace(f"template: '{DEVICE}'", f"template: '{DEVICE} of {{tried:size}}'").replace(
        DEVICE + " while it", DEVICE + " of 2.00 GiB while it"
    )
    log = f"{DEVICE} of 9.00 GiB when it tried to allocate 2.00 GiB\n"
    assert told(tmp_path, log, oom).captures["tried"] == "9.00 GiB"


def test_title_cause_and_remedies_may_belong_to_one_pattern(tmp_path: Path) -> None:
    """What is true of the second text is said of the second text only."""
    host = told(tmp_path, f"{HOST}\n")
    assert (host.title.en, host.cause.en) == ("The host has no memory left", "It is the host.")
    assert judged(host)["Give the host more memory"] is Applies.YES
    device = told(tmp_path, f"{DEVICE}\n")
    assert device.title.en == "No memory left"
    assert judged(device)["Give the host more memory"] is Applies.NO


def test_a_remedy_that_names_a_missing_value_is_not_shown(tmp_path: Path) -> None:
    """And what an extract did not find leaves a condition open: it may have been cut off."""
    device = told(tmp_path, f"{DEVICE}\n")
    assert judged(device) == {
        "Give the host more memory": Applies.NO,
        "Defragment it": Applies.UNKNOWN,
        "Ask who killed it": Applies.UNKNOWN,
    }
    reasons = {each.action.en: each.why.en for each in device.remedies}
    assert reasons["Defragment it"] == "if that is so here, which the message does not tell"
    labelled = OOM.replace(
        "remedies:", "labels: {free: {en: the free memory, zh: 剩余}}\nremedies:"
    )
    (open_one,) = [
        each.why
        for each in told(tmp_path, f"{DEVICE}\n", labelled).remedies
        if each.action.en == "Defragment it"
    ]
    assert open_one == LocalText("if the free memory is above 1 GiB", "若剩余大于 1 GiB")
    latin = told(tmp_path, f"{DEVICE}\n", labelled.replace("zh: 剩余", "zh: GPU 剩余"))
    assert "若 GPU 剩余大于 1 GiB" in [each.why.zh for each in latin.remedies]
    about = told(tmp_path, f"{DEVICE}\n", labelled.replace("{free: '> 1 GiB'}", "{free: '!= '}"))
    assert "if it is about the free memory" in [each.why.en for each in about.remedies]
    other = told(tmp_path, f"{DEVICE}: process 77 holds 4.00 GiB\n")
    assert judged(other)["End process 77"] is Applies.YES
    checks = {each.action.en: each.check.en for each in other.remedies}
    assert (checks["End process 77"], checks["Defragment it"]) == (
        "Nobody holds 4.00 GiB. Look again.",
        "Look at it.",
    )
    assert judged(told(tmp_path, f"{DEVICE}, of which 0.50 GiB is free\n"))[
        "Defragment it"
    ] is Applies.NO  # fmt: skip


@pytest.mark.parametrize("name", ["worker-was-killed", "worker-died"])
def test_another_signature_in_the_run_makes_a_condition_true(tmp_path: Path, name: str) -> None:
    """Before or after it, by any of its names; the line is told."""
    oom = OOM.replace("seen: worker-was-killed", f"seen: {name}")
    diagnosis = told(
        tmp_path, f"{DEVICE}\n(worker pid=8) ERROR demo worker was killed by somebody else\n", oom
    )
    (remedy,) = (each for each in diagnosis.remedies if each.action.en == "Ask who killed it")
    assert (remedy.applies, remedy.why.en) == (
        Applies.YES,
        "“A worker was killed” was seen in line 2",
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("pattern: host", "pattern: hots", '22:21: unknown pattern "hots"; expected one of device'),
        ("seen: worker-was-killed", "seen: gone", '34:18: unknown signature "gone"; expected the'),
        ("seen: worker-was-killed", "seen: memory-ran-out", '34:18: "memory-ran-out" is seen whe'),
        ("name: host", "name: device", '2 patterns with the name "device"; expected each name'),
        ("name: host", "name: Host", 'the name "Host" of a pattern; expected words in lower'),
        (
            "  - name: host\n    template",
            "  - template",
            "a title or cause of a pattern without a name",
        ),
        ("[[of {tried}]]", "[[of {tried}", '19:7: a clause "[[" without its end; expected ]]'),
        ("(?P<tried>", "(?:", "a value to extract without a name; expected a named group"),
        ("  - regex: 'process", "  - template: x\n    regex: 'process", "both of regex and templ"),
        ("'allocate (", "'allocate ((", 'bad regex "allocate (('),
        ("risk: loses-data", "risk: loses", 'unknown risk "loses"; expected one of safe, rest'),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, old: str, new: str, expected: str) -> None:
    """With its place."""
    assert old in OOM
    faults = faults_of(tmp_path, OOM.replace(old, new, 1))
    assert any(expected in each for each in faults), faults


def test_the_new_words_check(tmp_path: Path) -> None:
    """Names that extracts give may be used in texts and conditions; names of nobody may not."""
    write(tmp_path)
    assert check_signatures(compile_automaton(load_signatures([tmp_path]))) == ()
    write(tmp_path, OOM.replace("'> 1 GiB'", "'> {size}'", 1))
    faults = check_signatures(compile_automaton(load_signatures([tmp_path])))
    assert ['asks for "size"; no pattern captures that' in str(each) for each in faults] == [True]


def test_a_condition_on_another_finding_names_its_title(tmp_path: Path) -> None:
    whys = [each.why.en for each in told(tmp_path, f"{DEVICE}\n").remedies]
    assert "if there was “A worker was killed” too, which no log given here shows" in whys


def test_no_open_condition_of_the_database_is_told_without_words(automaton: Automaton) -> None:
    """Nor with the name of a capture: whatever a log leaves open is told as a person would."""
    for signature in automaton.database.signatures:
        extracts = {
            name for each in signature.extracts for name in capture_names(each.template, each.regex)
        }
        circumstances = Circumstances(
            RunContext(), None, {}, extracts=frozenset(extracts), labels=signature.labels
        )
        for remedy in signature.remedies:
            if not remedy.when.captures:
                continue
            bare = remedy._replace(action=LocalText("Do it", "做"), when=only_captures(remedy.when))
            (told_one,) = judge_remedies([bare], circumstances)
            words = set(re.findall(r"\w+", told_one.why.en))
            assert not {each for each in extracts & words if "_" in each}, signature.id
            if told_one.applies is Applies.UNKNOWN:
                assert told_one.why != phrases.OPEN_UNSAID, signature.id


def only_captures(when: When) -> When:
    return When(captures=when.captures)


def test_a_condition_on_every_message_of_a_signature_is_no_proof() -> None:
    """Such a remedy leads all the same, without a tick that nothing judged."""
    text = LocalText("See", "看")
    plain = Remedy(When(), text, {}, Risk.SAFE, text, None)
    of_all = plain._replace(when=When(patterns=("one", "other")), check=LocalText("All", "全"))
    circumstances = Circumstances(
        RunContext(), None, {}, ("one",), pattern_names=frozenset({"one", "other"})
    )
    for names, applies in (({"one", "other"}, Applies.ALWAYS), ({"one", "", "other"}, Applies.YES)):
        judged = judge_remedies(
            [plain, of_all], circumstances._replace(pattern_names=frozenset(names))
        )
        assert [each.check.en for each in judged] == ["All", "See"]
        assert judged[0].applies is applies
    framed = of_all._replace(when=of_all.when._replace(frameworks=("verl",)))
    verl = circumstances._replace(context=RunContext(("verl",)))
    assert [each.applies for each in judge_remedies([framed], verl)] == [Applies.YES]


STORES = ("left", "right", "upper")
OF_STORES = f"""\
id: store-is-full
title: {{en: A store is full, zh: 存储已满}}
component: demo
severity: fatal
role: cause
maturity: confirmed
patterns: [{", ".join(f"{{name: {each}, template: 'StoreError: the {each} store is full, {{n:int}} MB'}}" for each in STORES)}]
cause: {{en: A store is full., zh: 存储已满。}}
remedies: [{", ".join(f"{{when: {{pattern: {each}}}, action: {{en: 'Empty {each}, {{n}} MB', zh: '清空 {each}'}}, risk: safe, check: {{en: Look at it., zh: 看一下}}}}" for each in STORES)}]
examples: [{{text: 'StoreError: the left store is full, 3 MB', origin: made up for this test}}]
counterexamples: [{{text: 'StoreError: nothing at all', why: made up for this test}}]
references: [https://example.org/x]
"""


@pytest.fixture(scope="module")
def of_stores(tmp_path_factory: pytest.TempPathFactory) -> Automaton:
    folder = tmp_path_factory.mktemp("stores")
    (folder / "store-is-full.yaml").write_text(OF_STORES, encoding="utf-8")
    return compile_automaton(load_signatures([folder]))


@given(st.lists(st.sampled_from(STORES), min_size=1, max_size=5), st.integers(0, 1))
def test_a_remedy_for_one_message_is_for_each_that_the_run_ended_with(
    of_stores: Automaton, full: list[str], outlived: int
) -> None:
    """With that message's own values, whichever came first; what it outlived counts no more."""
    outlived = min(outlived, len(full) - 1)
    lines = [f"StoreError: the {each} store is full, {mb} MB" for mb, each in enumerate(full)]
    lines[outlived:outlived] = [f"step {step}: loss 0.{step}" for step in range(10, 30 * outlived)]
    (found,) = scan_text(of_stores, "\n".join(lines) + "\n").diagnoses
    told_of = [each.action.en for each in found.remedies if each.applies is Applies.YES]
    last = full[outlived:]
    assert told_of == [
        f"Empty {each}, {outlived + last.index(each)} MB" for each in STORES if each in last
    ]


@pytest.mark.parametrize(
    ("wide", "narrow", "first"),
    [
        (
            When(captures={"signal": ("9",)}),
            When(captures={"signal": ("9",), "host": ("n1",)}),
            "narrow",
        ),
        (When(frameworks=("verl",)), When(("verl",), (Phase.TRAIN,)), "narrow"),
        (When(patterns=("one",)), When(captures={"host": ("n1",)}, patterns=("one",)), "narrow"),
        (When(patterns=("one", "two")), When(patterns=("one",)), "wide"),
        (When(frameworks=("verl",)), When(captures={"host": ("n1",)}), "wide"),
        (When(patterns=("one",)), When(captures={"host": ("n1",)}), "wide"),
        (When(frameworks=("verl",)), When(("verl",), (Phase.INIT,)), "wide"),
        (
            When(frameworks=("verl",)),
            When(("verl",), versions={"vllm": ("<0.9",)}),
            "wide",
        ),
    ],
    ids=[
        "another capture",
        "a phase beside the framework",
        "a capture beside the message",
        "fewer of the messages",
        "another thing",
        "another thing than the message",
        "a phase that it is not",
        "a version that nothing tells",
    ],
)
def test_of_what_is_proven_the_narrower_comes_first(wide: When, narrow: When, first: str) -> None:
    """The one that asks for all that the other does and for more; else they keep their order."""
    plain = Remedy(When(), LocalText("See", "看"), {}, Risk.SAFE, LocalText("", ""), None)
    given = [
        plain._replace(when=each, check=LocalText(name, name))
        for name, each in (("wide", wide), ("narrow", narrow))
    ]
    circumstances = Circumstances(
        RunContext(("verl",)),
        Phase.TRAIN,
        {"signal": "9", "host": "n1"},
        ("one",),
        pattern_names=frozenset({"one", "two", "three"}),
    )
    told_first, *_ = judge_remedies([*given, plain], circumstances)
    assert told_first.check.en == first


@pytest.mark.parametrize(
    ("text", "captures", "said"),
    [
        ("nc -zv {host|HOST} {port|6379}", {"host": "n1", "port": "20000"}, "nc -zv n1 20000"),
        ("nc -zv {host|HOST} {port|6379}", {"port": "20000"}, "nc -zv HOST 20000"),
        ("nc -zv {host|HOST} {port|6379}", {"host": ""}, "nc -zv HOST 6379"),
        ("ls {path|<the path>}[[ of {host}]].", {}, "ls <the path>."),
        ("{{{host|HOST}}}", {}, "{HOST}"),
    ],
)
def test_a_command_has_what_the_log_tells_in_it_or_a_word_to_fill_in(
    text: str, captures: dict[str, str], said: str
) -> None:
    """So it never keeps a remedy from being shown."""
    assert can_fill(text, captures)
    assert fill(text, captures) == tell(text, captures) == said
    assert "|" not in outline(text)


@pytest.mark.parametrize(
    ("release", "order"),
    [
        (None, ["new", "any"]),
        ("0.8.0", ["new", "any"]),
        ("0.10", ["new", "any"]),
        ("0.4.0.dev0", ["any", "new"]),
        ("main", ["new", "any"]),
    ],
)
def test_what_needs_a_newer_release_than_the_log_shows_does_not_come_first(
    release: str | None, order: list[str]
) -> None:
    """It says what it needs; where the log does not tell, or shows a release that will do, that
    is no condition.
    """
    plain = Remedy(When(), LocalText("See", "看"), {}, Risk.SAFE, LocalText("any", ""), None)
    new = plain._replace(check=LocalText("new", ""), needs={"peft": (">=0.8",)})
    told_versions = {"peft": release} if release else {}
    circumstances = Circumstances(RunContext(versions=told_versions), None, {})
    judged = judge_remedies([new, plain], circumstances)
    assert [each.check.en for each in judged] == order
    for each in judged:
        is_open = order[0] == "any" and each.check.en == "new"
        assert each.applies is (Applies.UNKNOWN if is_open else Applies.ALWAYS)
        assert (f"this log shows {release}" in each.why.en) == is_open


@pytest.mark.parametrize(
    "folder",
    [
        "peft-0.4.0.dev0-py3.8.egg/peft",
        "peft-0.4.0.dev0-py3.8-linux-x86_64.egg/peft",
        "peft-0.4.0.dev0.dist-info/../peft",
    ],
)
def test_the_folder_of_a_package_tells_its_release(automaton: Automaton, folder: str) -> None:
    """Where nothing else in the log does."""
    text = (
        'Traceback (most recent call last):\n  File "run.py", line 3, in <module>\n'
        f'  File "/opt/lib/python3.8/site-packages/{folder}/tuners/lora.py", line 9, in find\n'
        "ValueError: Target modules {'q_odd'} not found in the base model.\n"
    )
    (diagnosis,) = scan_text(automaton, text).diagnoses
    (needy,) = (each for each in diagnosis.remedies if "all linear layers" in each.action.en)
    assert needy.applies is Applies.UNKNOWN
    assert "needs peft >=0.8, and this log shows 0.4.0.dev0" in needy.why.en
    assert diagnosis.remedies[0] is not needy


def test_a_mark_that_all_remedies_have_is_none() -> None:
    """Nor one that two of them have: it would choose nothing. They stay in their order, before what
    is for every message; one that stands alone for this message has it.
    """
    plain = Remedy(When(), LocalText("See", "看"), {}, Risk.SAFE, LocalText("any", ""), None)
    one, two, other, host = (
        plain._replace(when=when, check=LocalText(name, ""))
        for name, when in (
            ("one", When(patterns=("a",))),
            ("two", When(patterns=("a", "b"))),
            ("other", When(patterns=("b",))),
            ("host", When(patterns=("a",), captures={"host": ("n1",)})),
        )
    )
    circumstances = Circumstances(
        RunContext(), None, {"host": "n1"}, ("a",), pattern_names=frozenset({"a", "b", "c"})
    )
    for remedies, marks in (
        ([one, two], {"one": Applies.ALWAYS, "two": Applies.ALWAYS}),
        ([one, two, other], {"one": Applies.ALWAYS, "two": Applies.ALWAYS, "other": Applies.NO}),
        ([one, two, plain], {"one": Applies.ALWAYS, "two": Applies.ALWAYS, "any": Applies.ALWAYS}),
        ([one, two, host], {"host": Applies.YES, "one": Applies.ALWAYS, "two": Applies.ALWAYS}),
        ([one, other], {"one": Applies.YES, "other": Applies.NO}),
        ([one, plain], {"one": Applies.YES, "any": Applies.ALWAYS}),
        ([two, host], {"host": Applies.YES, "two": Applies.YES}),
    ):
        judged = judge_remedies(remedies, circumstances)
        assert [(each.check.en, each.applies) for each in judged] == [*marks.items()]


@given(st.permutations(["all", "chosen", "plain", "proven", "open"]), st.integers(1, 5))
def test_what_is_proven_comes_first_whatever_the_order_of_the_file(
    order: list[str], many: int
) -> None:
    """What is for this message is proven unless one for every message stands above it in the
    file, which then stays above it.
    """
    whens = {
        "all": When(patterns=("one", "other")),
        "chosen": When(patterns=("one",)),
        "plain": When(),
        "proven": When(frameworks=("verl",)),
        "open": When(captures={"nowhere": ("1",)}),
    }
    given_ones = [
        Remedy(whens[name], LocalText("Do it", "做"), {}, Risk.SAFE, LocalText(name, name), None)
        for name in order[:many]
    ]
    circumstances = Circumstances(
        RunContext(("verl",)),
        None,
        {},
        ("one",),
        frozenset({"nowhere"}),
        pattern_names=frozenset({"one", "other"}),
    )
    judged = judge_remedies(given_ones, circumstances)
    states = [Applies.YES, Applies.ALWAYS, Applies.UNKNOWN]
    assert [each.applies for each in judged] == sorted(
        (each.applies for each in judged), key=states.index
    )
    by_name = {each.check.en: each.applies for each in judged}
    names = [each.check.en for each in judged]
    if {"all", "chosen"} <= {*names}:
        is_below = order.index("all") < order.index("chosen")
        assert (names.index("all") < names.index("chosen")) == is_below
        assert (by_name["chosen"] is Applies.YES) != is_below
    assert by_name.get("proven", Applies.YES) is Applies.YES


def test_what_a_message_says_without_a_name_is_said_in_one_breath() -> None:
    """Nobody is told what we call its parts."""
    when = When(captures={"class": ("Trainer",), "argument": ("data",), "cache": ("!= ",)})
    said = {"class": "Trainer", "argument": "data", "cache": "init_cache"}
    labels = {"cache": LocalText("the KV cache", "KV cache")}
    remedy = Remedy(when, LocalText("Do it", "做"), {}, Risk.SAFE, LocalText("See", "看"), None)
    (told_one,) = judge_remedies([remedy], Circumstances(RunContext(), None, said, labels=labels))
    assert told_one.why == LocalText(
        "it is about the KV cache (“init_cache”); the message says “Trainer”, “data”",
        "与 KV cache 有关（“init_cache”）；报错信息给出“Trainer”、“data”",
    )


@pytest.mark.parametrize(
    "value",
    [
        "10.0.0.7",
        "node-3",
        "/data/run 1",
        "$(reboot)",
        "x; rm -rf ~",
        "-rf",
        "`id`",
        "a\nb",
        "=ls",
        "~root",
        "%1",
        "@x",
    ],
)
def test_what_stands_in_a_command_is_one_word(value: str) -> None:
    said = fill("nc -zv {host|HOST} 6379", {"host": value})
    assert said == f"nc -zv {value if value in ('10.0.0.7', 'node-3') else 'HOST'} 6379"


@given(st.text())
def test_a_log_writes_no_command(value: str) -> None:
    """A shell reads the same words, whatever the log has in the place of one."""
    command, _, host, port = shlex.split(fill("nc -zv {host|HOST} 6379", {"host": value}))
    assert (command, port) == ("nc", "6379")
    assert host in (value, "HOST")
    assert not set(host) & set("$`;|&<>(){}[]*?!#\\'\" \n\t")


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("cuda_bf16.h", "belongs to the CUDA toolkit"),
        ("nvtx3/nvToolsExt.h", "belongs to the CUDA toolkit"),
        ("cupti.h", "belongs to the CUDA toolkit"),
        ("cooperative_groups/reduce.h", "belongs to the CUDA toolkit"),
        ("cudnn.h", "that has cudnn.h"),
        ("nvshmem.h", "that has nvshmem.h"),
        ("curl/curl.h", "that has curl/curl.h"),
        ("nccl.h", "that has nccl.h"),
    ],
)
def test_a_header_belongs_to_the_family_that_its_name_says(
    automaton: Automaton, header: str, said: str
) -> None:
    """And then nothing is said of what holds for others."""
    text = f"/w/k.cu:12:10: fatal error: {header}: No such file or directory\n"
    (remedy,) = scan_text(automaton, text).diagnoses[0].remedies
    assert remedy.applies is Applies.YES
    assert header in remedy.action.en
    assert said in remedy.action.en


@pytest.mark.parametrize(
    ("wanted", "applies"),
    [
        ("!= 2", Applies.ALWAYS),
        ("!= ", Applies.YES),
        ("!= none", Applies.YES),
        ("!= {other}", Applies.YES),
        ("3", Applies.YES),
        ("!= 3", Applies.NO),
    ],
)
def test_what_a_value_is_not_proves_nothing(wanted: str, applies: Applies) -> None:
    """It would be ticked for all values that nobody has thought of."""
    when = When(captures={"code": (wanted,)})
    remedy = Remedy(when, LocalText("Do it", "做"), {}, Risk.SAFE, LocalText("See", "看"), None)
    circumstances = Circumstances(RunContext(), None, {"code": "3", "other": "4"})
    (judged,) = judge_remedies([remedy], circumstances)
    assert judged.applies is applies
