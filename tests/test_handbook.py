"""Signatures as pages: conditions in words, texts as they are, relations."""

from __future__ import annotations

import pytest

from logdoctor.model import Language, Phase, SignatureDatabase, When
from logdoctor.reports.handbook.signature_page import (
    condition_in_words,
    handbook_page,
    related,
    signature_page,
)
from logdoctor.reports.run.markup import cell, prose
from logdoctor.signatures.coverage import ProblemClass, class_of, frameworks_of, phases_of


@pytest.mark.parametrize(
    ("when", "english", "chinese"),
    [
        (When(), "", ""),
        (When(frameworks=("verl", "roll")), "the run uses verl or roll", "使用 verl 或 roll"),
        (When(phases=(Phase.TRAIN,)), "it failed in phase training step", "出错时处于训练更新阶段"),
        (When(versions={"vllm": ("<0.9.2",)}), "vllm is older than 0.9.2", "vllm 低于 0.9.2"),
        (When(versions={"trl": (">=0.12",)}), "trl is 0.12 or newer", "trl 为 0.12 或更高版本"),
        (When(config={"a.packing": ("True",)}), "`a.packing` is True", "`a.packing` 为 True"),
        (When(config={"a.tp": ("!= 1",)}), "`a.tp` is not 1", "`a.tp` 不为 1"),
        (
            When(captures={"dtype": ("Half", "BFloat16")}),
            "`dtype` in the message is Half or BFloat16",
            "报错中的 `dtype` 为 Half 或 BFloat16",
        ),
        (
            When(captures={"rank": ("> {max_rank}",)}),
            "`rank` in the message is above `max_rank`",
            "报错中的 `rank` 大于 `max_rank`",
        ),
        (
            When(captures={"device": ("!=",)}),
            "`device` in the message is not empty",
            "报错中的 `device` 不为 空值",
        ),
        (
            When(frameworks=("verl",), captures={"n": ("< 2", "> 8")}),
            "the run uses verl, and `n` in the message is below 2 or `n` in the message is above 8",
            "使用 verl，且报错中的 `n` 小于 2 或 报错中的 `n` 大于 8",
        ),
    ],
)
def test_conditions_are_spelled_out(when: When, english: str, chinese: str) -> None:
    """In both languages."""
    assert [condition_in_words(when, language) for language in Language] == [english, chinese]


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("set use_dynamic_bsz and __init__.py", r"set use_dynamic_bsz and \_\_init\_\_.py"),
        ("`ls *` lists a[0] * b", r"`ls *` lists a\[0\] \* b"),
        ("$HOME/x and $Y, ~/a and ~/b", r"\$HOME/x and \$Y, \~/a and \~/b"),
        ("<name> & C:\\x", "&lt;name> &amp; C:\\\\x"),
        ("a lone ` stays", r"a lone \` stays"),
    ],
)
def test_nothing_in_a_text_is_markup_but_its_code(text: str, markdown: str) -> None:
    """Underscores within words need no escape."""
    assert prose(text) == markdown


def test_bars_in_cells_are_escaped_once() -> None:
    """In code and outside of it."""
    assert cell("a | `b|c`\nd") == r"a \| `b\|c` d"


def test_a_page_links_what_belongs_together(database: SignatureDatabase) -> None:
    """A refinement and its general signature name each other, causes and effects too."""
    links = related(database)
    general, special, effect = (
        database.find(name)
        for name in ("cuda-out-of-memory", "chatlearn-cuda-out-of-memory", "ray-actor-died")
    )
    assert general
    assert special
    assert effect
    assert (special in links[general.id].refinements, links[special.id].refined) == (
        True,
        (general,),
    )
    assert (effect in links[general.id].effects, general in links[effect.id].causes) == (True, True)
    page = handbook_page(general, links[general.id], Language.ZH)
    assert "](../chatlearn/chatlearn-cuda-out-of-memory.md)" in page
    assert "[English](../../en/cuda/cuda-out-of-memory.md)" in page


def test_a_terminal_gets_no_links_no_escapes_and_no_endless_lists(
    database: SignatureDatabase,
) -> None:
    """`explain` shows Markdown as it is written."""
    effect = database.find("ray-actor-died")
    assert effect
    page = signature_page(effect, related(database)[effect.id], Language.EN)
    assert [mark in page for mark in ("](../", "<details>", "\\_", "&lt;", "\n\n\n")] == [False] * 5
    assert page.count("\n- ") < 40
    assert "… and " in page


def test_class_phase_and_framework_are_read_from_what_signatures_say(
    database: SignatureDatabase,
) -> None:
    """Role, words of the id, conditions, frameworks and components."""
    known = {each.id: each for each in database.signatures}
    assert class_of(known["cuda-out-of-memory"]) is ProblemClass.MEMORY
    assert class_of(known["wandb-notices"]) is ProblemClass.NOTICE
    assert class_of(known["recursion-too-deep"]) is ProblemClass.CODE
    assert Phase.TRAIN in phases_of(known["cuda-out-of-memory"])
    assert phases_of(known["connection-reset"]) == ()
    assert frameworks_of(known["openrlhf-resume-failed"], frozenset()) == ("openrlhf",)
    assert frameworks_of(known["swanlab-not-logged-in"], frozenset()) == ()
    assert frameworks_of(known["swanlab-not-logged-in"], frozenset({"swanlab"})) == ("swanlab",)


def test_what_belongs_to_a_remedy_stands_below_it_from_the_tenth_on_too(
    database: SignatureDatabase,
) -> None:
    """Markdown wants it under the text of the item."""
    signature = database.find("cuda-out-of-memory")
    assert signature
    page = handbook_page(signature, related(database)[signature.id], Language.EN)
    assert ("\n1. " in page, "\n   - " in page, "\n10. " in page, "\n    - risk: " in page) == (
        True,
        True,
        True,
        True,
    )
