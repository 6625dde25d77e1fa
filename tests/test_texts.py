"""Texts to comparable, visible and redacted texts; prefixes; comparisons; layout."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logdoctor.formats.prefix_rows import PREFIX_ROWS
from logdoctor.formats.prefixes import iso_time, strip_prefixes
from logdoctor.formats.rows import Prefix
from logdoctor.model import Lane
from logdoctor.reports.run.layout import columns, shortened, wrapped
from logdoctor.signatures import conditions
from logdoctor.texts.masking import (
    comparable,
    fingerprint,
    masked,
    printable,
    without_escapes,
)
from logdoctor.texts.secrets import redacted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[36m(Worker pid=1)\x1b[0m text", "(Worker pid=1) text"),
        ("[36m(Worker pid=1)[0m text", "(Worker pid=1) text"),
        ("\ufffd[36m(Worker pid=1)\ufffd[0m text", "(Worker pid=1) text"),
        (r"\u001b[36m(Worker pid=1)\u001B[0m text", "(Worker pid=1) text"),
        (r"\x1b[36m(Worker pid=1)\033[0m \e[1mtext", "(Worker pid=1) text"),
        (r"a.\u001b text C:\e[x]", r"a.\u001b text C:\e[x]"),
        ("\x1b[38;2;180;140;80m(AReaL)\x1b[0m text", "(AReaL) text"),
        ("\x1b]0;title\x07text", "text"),
        ("a[0] and b[1]m stay", "a[0] and b[1]m stay"),
    ],
)
def test_escapes_are_removed(text: str, expected: str) -> None:
    """Colours, titles, and colours that lost their ESC."""
    assert without_escapes(text) == expected


@given(st.text())
def test_printable_text_has_no_control_characters(text: str) -> None:
    """Nothing that moves a cursor or turns the direction is left; tabs and line ends may stay."""
    assert not {
        each
        for each in printable(text)
        if (ord(each) < 0x20 and each not in "\t\n")
        or 0x7F <= ord(each) < 0xA0
        or each in "\u202e\u2066\u2028"
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [("in ‹module>", "in <module>"), ("Error：  “x”", 'Error: "x"'), ("a\t b\n c", "a b c")],
)
def test_comparable_reduces_typography_and_blanks(text: str, expected: str) -> None:
    """Quotes and full-width punctuation become ASCII, white space single blanks."""
    assert comparable(text) == expected


SECRETS = (
    "HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz0123",
    "OPENAI_API_KEY: sk-proj-abcdefghijklmnop1234",
    "git clone https://user:s3cretpass@example.org/repo.git",
    "wandb login 0123456789abcdef0123456789abcdef01234567",
    "Authorization: Bearer abcdefghijklmnop.qrstuv",
    "aws_access_key_id AKIAIOSFODNN7EXAMPLE",
    "password='hunter22222'",
    "token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "redis://:redispass99@cache.example.org/0",
    "api key: 1123456789abcdef0123456789abcdef01234567",
    "--password s3cr3tword",
    "DefaultEndpointsProtocol=https;AccountKey=abcdefghijklmnop",
    "https://x.blob.example.org/a?sv=1&sig=abcdefghijklmnop",
    "密码：hunter2hunter",
    "the password is Hunter2hunter",
    "your access token is abcdef0123456789",
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
)


@pytest.mark.parametrize("text", SECRETS)
def test_secrets_are_masked(text: str) -> None:
    """The secret is gone and its place is shown."""
    secret = text.rsplit(maxsplit=1)[-1].rsplit("=", maxsplit=1)[-1].strip("'")
    assert "[redacted]" in redacted(text)
    assert secret not in redacted(text)


def test_masked_text_keeps_what_does_not_vary() -> None:
    """Addresses, paths, ranks and numbers become what they are."""
    assert masked("rank 3 at 10.0.0.1:29500 read /data/a/b.pt: 32 < 64") == masked(
        "rank 7 at 10.9.8.7:1 read /x/y.pt: 1 < 2.5"
    )


def test_fingerprint_is_the_same_on_other_ranks() -> None:
    """Numbers, hosts and paths do not enter it, the exception type does."""
    first, second = (
        fingerprint("ValueError", f"shape {n} on rank {n}", "model.py:forward") for n in (1, 22)
    )
    assert first == second != fingerprint("TypeError", "shape 1 on rank 1", "model.py:forward")


@pytest.mark.parametrize(
    ("row", "sample"),
    [(row, sample) for row in PREFIX_ROWS for sample in row.samples],
    ids=lambda value: getattr(value, "name", value),
)
def test_each_prefix_row_takes_its_samples(row: Prefix, sample: str) -> None:
    """The row itself fits, and nothing of the prefix is left before the text."""
    assert row.regex.match(sample)
    assert strip_prefixes(sample).text in (
        "text",
        "actor_manager.cc:110: text",
        "NCCL INFO text",
        "include/socket.h:357 WARN text",
        "Exception Group Traceback (most recent call last):",
    )


@pytest.mark.parametrize(
    "line",
    [
        "python3: can't open file 'x.py': [Errno 2] No such file or directory",
        "ValueError: 3",
        "h5py: text",
        "loss | 0.3",
        "  3 + 4",
        "[core.py:700] text",
        "name: text",
        "gpu0: Out of memory",
        "iteration 3 | loss 0.2",
    ],
)
def test_a_message_s_own_first_word_is_no_prefix(line: str) -> None:
    """Hosts, services and numbers are taken off only where what follows begins a line of its own."""
    assert strip_prefixes(line).text == line


@pytest.mark.parametrize(
    ("prefix", "lane"),
    [
        ("node01: ", Lane(host="node01")),
        ("vllm-1  | ", Lane(actor="vllm-1")),
        ("[pod/trainer-0/main] ", Lane(actor="trainer-0")),
        ("2019-04-30T02:12:41.8443515Z stderr F ", Lane()),
        ("2024-05-01T12:00:00.1234567Z ", Lane()),
        ("[gpu-node-1:3] ", Lane("gpu-node-1", 3)),
        ("2025-02-18 12:54 [rank13]: ", Lane(rank=13)),
        ("> ", Lane()),
        ("train.log:812:", Lane()),
        ("  | ", Lane()),
    ],
)
@pytest.mark.parametrize(
    "text",
    [
        "Traceback (most recent call last):",
        '  File "x.py", line 3, in f',
        "    return f(x)",
        "ValueError: bad shape",
        "",
    ],
)
def test_the_transport_s_prefix_stands_on_every_line_of_a_traceback(
    prefix: str, lane: Lane, text: str
) -> None:
    """All lines of the message lose it, keep their indentation, and tell the same writer; blanks at the end may be lost."""
    stripped = strip_prefixes((prefix + text).rstrip())
    assert (stripped.text, stripped.stream, stripped.is_record) == (text, lane, False)


def test_prefixes_are_stripped_in_stacks() -> None:
    """Ray's prefix, vLLM's and Ray's suffix come off one line; indentation stays."""
    line = '(vLLMRolloutModel pid=32405, ip=10.0.0.2) ERROR 08-28 17:50:00 [core.py:700]   File "core.py", line 697, in f [repeated 3x across cluster]'
    stripped = strip_prefixes(line)
    assert (stripped.text, stripped.lane, stripped.time, stripped.level, stripped.repeats) == (
        '  File "core.py", line 697, in f',
        Lane("10.0.0.2", None, 32405, "vLLMRolloutModel"),
        "--08-28T17:50:00",
        "error",
        3,
    )


def test_the_outer_rank_is_the_global_one() -> None:
    """`[rank13]:` counts, `[Rank 1]` stays in the message."""
    stripped = strip_prefixes(
        "[rank13]:[E218 12:00:00.123 ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught"
    )
    assert (stripped.lane.rank, stripped.text, stripped.level) == (
        13,
        "[Rank 1] Watchdog caught",
        "error",
    )


@pytest.mark.parametrize(
    "line",
    [
        "ValueError: 3",
        '  File "x.py", line 3, in f',
        "torch.OutOfMemoryError: CUDA out of memory.",
        "    raise X",
    ],
)
def test_lines_without_prefix_stay_whole(line: str) -> None:
    """An exception's type is no prefix."""
    assert strip_prefixes(line).text == line


@given(st.text())
def test_stripping_never_raises_and_never_adds(line: str) -> None:
    """What is left is an end of the line, or of the line without its repeat count."""
    assert strip_prefixes(line).text in line


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2025-01-02 03:04:05,678", "2025-01-02T03:04:05.678"),
        ("20250222-11:11:56.997", "2025-02-22T11:11:56.997"),
        ("321 02:07:08.4", "--03-21T02:07:08.4"),
        ("Nov  1 08:00:00", "--11-01T08:00:00"),
        ("soon", None),
    ],
)
def test_times_become_iso(text: str, expected: str | None) -> None:
    """Without a year where the log gives none."""
    assert iso_time(text) == expected


@pytest.mark.parametrize(
    ("value", "comparison", "expected"),
    [
        ("32", "< 64", True),
        ("1,024", ">= 1024", True),
        ("4", "!= 1", True),
        ("False", "false", True),
        ("true", "!= False", True),
        ("fsdp", "== fsdp", True),
        ("fsdp", "< 3", None),
        ("<name>", "< 3", None),
        ("null", "none", True),
        ("0.5", "> 0.9", False),
        ("5.00 GiB", ">= 2048 MiB", True),
        ("771.43 MiB", ">= 1.90 GiB", False),
        ("2 GB", "== 2048MiB", True),
        ("5.00 GiB", "> 3", None),
        ("5", "> <tried>", None),
        ("60.25 GiB", "< 80% of 63.42 GiB", False),
        ("40.00 GiB", "< 80% of 63.42 GiB", True),
        ("7", ">= 50% of 16", False),
        ("5.00 GiB", "< 80% of 63", None),
        ("5", "< 80% of many", None),
        *((each, "", True) for each in ("[]", "{}", "()", "set()", "''", "None", "null")),
        *((each, "!= ", True) for each in ("['a']", "{1}", "0", "False")),
    ],
)
def test_values_compare(value: str, comparison: str, expected: bool | None) -> None:
    """Numbers as numbers, truth values in any spelling, what cannot be compared as unknown."""
    assert conditions.holds(value, comparison) is expected


@pytest.mark.parametrize(
    ("version", "comparison", "expected"),
    [
        ("0.9.1", "< 0.10", True),
        ("2.6.0+cu124", ">= 2.6", True),
        ("nightly", "> 1", None),
        ("0.6", "== 0.6.0", True),
    ],
)
def test_versions_compare_by_release(version: str, comparison: str, expected: bool | None) -> None:
    """0.9 comes before 0.10."""
    assert conditions.version_holds(version, comparison) is expected


@given(st.text(max_size=200), st.integers(20, 90))
def test_shortened_text_fits(text: str, width: int) -> None:
    """No more columns than asked for."""
    assert columns(shortened(text, width)) <= width


def test_wrapping_counts_chinese_as_two_columns_and_keeps_punctuation_with_its_word() -> None:
    """Lines fit, nothing is lost, and no line begins with a full stop."""
    text = "生成的 KV cache 放不下（max_num_seqs 太大），调小 swap_space。再看一次。" * 3
    lines = wrapped(text, 30)
    assert all(line[-1] != "（" for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(columns(line) <= 32 and line[0] not in "，。" for line in lines)


@pytest.mark.parametrize(
    "text", ["httpcore2.ConnectError: [Errno 111] Connection refused", "[rank0:x]AttributeError"]
)
def test_what_only_looks_like_a_writer_stays(text: str) -> None:
    """A package whose name has a digit is no host."""
    assert strip_prefixes(text).text == text


def test_a_writer_may_be_glued_to_an_exception() -> None:
    """Without a blank between them, only an exception or its header follows a host and a rank."""
    assert (
        strip_prefixes("[host1:0]AttributeError: x").text,
        strip_prefixes("[host1:0]text").text,
    ) == ("AttributeError: x", "[host1:0]text")
