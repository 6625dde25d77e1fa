"""What programs print, as they print it (tests/printed, captured): one message is one event, with its type and frames."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from logdoctor.events.grouper import FRAMES_LIMIT, EventGrouper
from logdoctor.events.line_reader import LineReader
from logdoctor.events.open_event import DUMP_LIMIT, LOOSE_TAIL_LIMIT
from logdoctor.formats.message_shapes import MESSAGES
from logdoctor.formats.rows import Message
from logdoctor.formats.unsaid import is_source_code
from logdoctor.model import LogEvent
from logdoctor.pipeline.scan import scan_text
from logdoctor.scanning.scanner import Scanner
from logdoctor.search.automaton import Automaton

PRINTED = Path(__file__).parent / "printed"
CHUNKS = "dataproto-batch-smaller-than-chunks"
ANSWERS = {
    "rich-box": CHUNKS,
    "rich-handler": CHUNKS,
    "ipython": CHUNKS,
    "exception-group": CHUNKS,
    "faulthandler": "segmentation-fault",
    "pydantic": "pydantic-validation-error",
    "hydra": "hydra-override-unknown-key",
    "omegaconf": "omegaconf-key-not-in-struct",
    "ignored": CHUNKS,
    "loguru": CHUNKS,
    "spawn": CHUNKS,
    "torchrun": CHUNKS,
    "ray": CHUNKS,
}
# exception, its line, frames, last line of the event
EVENTS = {
    "rich-box": [("AssertionError", 33, 3, 33), ("RuntimeError", 59, 2, 59)],
    "rich-handler": [("AssertionError", 30, 3, 30)],
    "ipython": [("AssertionError", 15, 3, 15)],
    "pydantic": [("pydantic_core._pydantic_core.ValidationError", 7, 2, 16)],
    "omegaconf": [("omegaconf.errors.ConfigAttributeError", 33, 13, 35)],
    "loguru": [("AssertionError", 23, 4, 23)],
    "cpp-stack": [("RuntimeError", 7, 1, 39)],
    "exception-group": [
        ("ExceptionGroup", 17, 6, 17),
        ("AssertionError", 29, 3, 29),
        ("ValueError", 35, 1, 35),
    ],
}


def printed(name: str) -> str:
    return (PRINTED / f"{name}.txt").read_text(encoding="utf-8")


def events_of(automaton: Automaton, text: str) -> list[LogEvent]:
    scanner, grouper = Scanner(automaton), EventGrouper()
    reader = LineReader("x", automaton.expressions_in, automaton.kinds)
    regions = [*scanner.feed(text.encode()), *scanner.flush()]
    events = [
        event
        for region in regions
        if not region.is_marked_only
        for line in reader.read(region)
        for event in grouper.feed(line)
    ]
    return [*events, *grouper.flush()]


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize(
    "prefix",
    [
        "",
        "(WorkerDict pid=4012, ip=10.0.0.12) ",
        "> ",
        "trainer-1  | ",
        "2026-03-01T08:00:00.123456Z ",
    ],
)
def test_the_answer_is_what_went_wrong(automaton: Automaton, name: str, prefix: str) -> None:
    """However it is printed, and with a transport's prefix on each line."""
    result = scan_text(
        automaton, "".join(prefix + line + "\n" for line in printed(name).splitlines())
    )
    assert result.answer is not None
    assert result.diagnoses[result.answer.index].signature.id == ANSWERS[name]


@pytest.mark.parametrize("name", EVENTS)
def test_a_message_is_one_event(automaton: Automaton, name: str) -> None:
    """Its type, the line that says what happened, its frames and its last line."""
    events = [event for event in events_of(automaton, printed(name)) if event.is_traceback]
    found = [
        (event.exception, event.line.number, len(event.frames), event.lines[-1].number)
        for event in events
    ]
    assert found == EVENTS[name]


def test_frames_of_boxes_and_notebooks_are_those_of_python(automaton: Automaton) -> None:
    """The same text, so that phases, fingerprints and patterns need to know one form only."""
    expected = 'File "/app/app.py", line 2, in chunk assert n >= chunks, f"batch_size {n} < chunks {chunks}"'
    for name in ("rich-box", "ipython", "exception-group"):
        frames = [
            frame
            for event in events_of(automaton, printed(name))
            for frame in event.frames
            if "chunk " in frame
        ]
        assert frames[0].replace("chunk(n, chunks)", "chunk") == expected


def test_a_stack_is_no_part_of_the_message(automaton: Automaton) -> None:
    """Its lines belong to the event all the same."""
    (event,) = [event for event in events_of(automaton, printed("cpp-stack")) if event.is_traceback]
    assert event.message.endswith("but got 3 and 4 elements respectively")


def deep(calls: int) -> str:
    """A traceback as wrappers that wrap one another print it."""
    call = (
        '  File "/app/wrap.py", line 819, in forward\n    return model_forward(*args, **kwargs)\n'
    )
    return f'Traceback (most recent call last):\n  File "/app/train.py", line 124, in <module>\n    train()\n{calls * call}ValueError: too deep\n'


def test_a_traceback_of_a_thousand_calls_is_one_event(automaton: Automaton) -> None:
    """Its outermost frame tells that the program itself died."""
    (event,) = events_of(automaton, deep(1000))
    assert (event.exception, len(event.frames), event.lines[0].number) == ("ValueError", 1001, 1)


def test_a_traceback_without_end_is_given_up(automaton: Automaton) -> None:
    """Beyond the limit another one begins."""
    assert len(events_of(automaton, deep(FRAMES_LIMIT))[-1].frames) < FRAMES_LIMIT


AT_EXIT = "Exception ignored in atexit callback: <function save at 0x7f972d1c3100>\nTraceback (most recent call last):\n"
SAVE, PUT = (
    '  File "/app/table.py", line {}, in {}\n    {}()\n'.format(*each)
    for each in ((480, "save", "put"), (105, "put", "replace"))
)
RACE = "FileNotFoundError: [Errno 2] No such file or directory: 'table.tmp' -> 'table'\n"


@pytest.mark.parametrize(
    ("text", "ignored"),
    [
        (AT_EXIT + SAVE + PUT + RACE, [True]),
        (AT_EXIT + SAVE + AT_EXIT + SAVE + PUT + RACE + PUT + RACE, [True, True]),
        (
            AT_EXIT + SAVE + AT_EXIT + SAVE + PUT + RACE + PUT + RACE + PUT + RACE,
            [True, True, False],
        ),
    ],
    ids=["one process", "two at once", "a third one"],
)
def test_what_is_thrown_away_at_the_end_is_so_where_processes_print_into_one_another(
    automaton: Automaton, text: str, ignored: list[bool]
) -> None:
    """The rest of a traceback that another one broke into follows without its head."""
    assert [
        event.is_ignored
        for event in events_of(automaton, text)
        if event.exception == "FileNotFoundError"
    ] == ignored


def test_a_stack_without_end_is_given_up(automaton: Automaton) -> None:
    """Beyond the limit its lines belong to nothing."""
    text = (
        "RuntimeError: CUDA error: out of memory\n"
        + "frame #1: c10::Error + 0x1 (0x2 in libc10.so)\n" * 2 * DUMP_LIMIT
    )
    assert len(events_of(automaton, text)[0].lines) <= DUMP_LIMIT + LOOSE_TAIL_LIMIT


def test_a_dump_has_its_frames_outermost_first(automaton: Automaton) -> None:
    """faulthandler prints the most recent call first."""
    (event,) = events_of(automaton, printed("faulthandler"))
    assert [frame.partition(" in ")[2] or frame for frame in event.frames] == [
        "<module>",
        "crash",
        "string_at",
    ]


@pytest.mark.parametrize("indent", [0, 2, 6])
def test_a_traceback_without_its_header_ends_at_its_exception(
    automaton: Automaton, indent: int
) -> None:
    """Pasted from the middle, and indented by whoever quoted it: the exception stands two columns left of the frames."""
    cut_off = printed("pydantic").splitlines()[1:8]
    assert cut_off[0].startswith("  File ")
    (event,) = events_of(automaton, "".join(" " * indent + line + "\n" for line in cut_off))
    assert (event.exception, event.line.number, len(event.frames)) == (
        "pydantic_core._pydantic_core.ValidationError",
        6,
        2,
    )


@pytest.mark.parametrize(
    "header", ["Traceback (most recent call last):\n", ""], ids=["whole", "without its header"]
)
def test_a_traceback_that_lost_its_indentation_keeps_its_frames(
    automaton: Automaton, header: str
) -> None:
    """As it is pasted from quotes and chat windows: a source line is then told from the exception by where it stands."""
    text = f'{header}File "/a.py", line 54, in launch\nif server_args.encoder_only:\nFile "/b.py", line 5, in read\nreturn parse(\n^^^^^^\nValueError: odd\n'
    (event,) = events_of(automaton, text)
    assert (event.exception, [frame.split(", in ")[1] for frame in event.frames]) == (
        "ValueError",
        ["launch if server_args.encoder_only:", "read return parse("],
    )


def test_what_a_docstring_says_that_a_function_raises_is_not_said(automaton: Automaton) -> None:
    text = "    Raises:\n        MisconfigurationException:\n            If ``save_top_k`` is smaller than ``-1``.\n"
    assert [event.is_ignored for event in events_of(automaton, text)] == [True]


def test_a_frame_behind_a_bar_is_a_frame(automaton: Automaton) -> None:
    """Where a progress bar was drawn into a traceback."""
    bar = "Consumer: 67783:   3%|▎         | 9/300 [00:44<23:57,  4.94s/it]"
    text = f'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\n{bar}  File "b.py", line 9, in g\n    h()\nKeyboardInterrupt\n'
    (event,) = events_of(automaton, text)
    assert (event.exception, event.frames) == (
        "KeyboardInterrupt",
        ('File "a.py", line 3, in f g()', 'File "b.py", line 9, in g h()'),
    )


def test_a_frame_that_was_cut_within_a_name_goes_on_below(automaton: Automaton) -> None:
    """As srun writes out what its buffer holds."""
    text = '0: Traceback (most recent call last):\n0:   File "a.py", line 3, in __ini\n0: t__\n0:     g()\n0: ValueError: no such layer\n'
    (event,) = events_of(automaton, text)
    assert (event.exception, event.frames) == (
        "ValueError",
        ('File "a.py", line 3, in __init__ g()',),
    )


def test_the_frames_that_called_a_logger_are_no_traceback(automaton: Automaton) -> None:
    """Logging tells whence it was called where it cannot write a record, then what the record said."""
    text = (
        '--- Logging error ---\nTraceback (most recent call last):\n  File "/opt/lib/python3.10/logging/__init__.py", line 1103, in emit\n'
        "    stream.write(msg + self.terminator)\nOSError: [Errno 5] Input/output error\nCall stack:\n"
        '  File "/app/run_experiment.py", line 479, in <module>\n    exit(main())\n  File "/app/run_experiment.py", line 458, in main\n    run_experiment(\n'
        "Message: 'Problem countdown_custom_4_031, iteration 1 finish reason: stop'\nArguments: ()\n"
    )
    assert [
        each.title for each in scan_text(automaton, text).unknown_errors if "Message" in each.title
    ] == []


def test_what_the_interpreter_ignored_is_no_error(automaton: Automaton) -> None:
    """`Exception ignored in` stands above what nobody can catch."""
    assert [
        event.exception for event in events_of(automaton, printed("ignored")) if event.is_ignored
    ] == ["AttributeError"]
    assert [each.title for each in scan_text(automaton, printed("ignored")).unknown_errors] == []


PASTED = (
    "    >>> import torch\n    >>> {}['loss']\n    Traceback (most recent call last):\n      {}\n    KeyError: 'loss'\n",
    "    >>> {}['loss']  # doctest: +SKIP\n    KeyError: 'loss'\n",
)


@pytest.mark.parametrize("text", [PASTED[0].replace("{}\n", "...\n"), PASTED[1]])
def test_what_a_manual_says_that_a_call_gives_is_no_error(automaton: Automaton, text: str) -> None:
    """Doctests, with the frames left out or without a traceback."""
    assert [event.is_ignored for event in events_of(automaton, text)] == [True]


@pytest.mark.parametrize(
    "text",
    [
        PASTED[0].replace("{}\n", 'File "<stdin>", line 1, in <module>\n'),
        PASTED[0]
        .replace("{}\n", "...\n")
        .replace("    >>>", ">>>")
        .replace("    Trace", "Trace")
        .replace("    Key", "Key"),
        "    >>> done with compiling\nTraceback (most recent call last):\n  ...\nKeyError: 'loss'\n",
    ],
)
def test_a_session_that_somebody_pasted_is_an_error(automaton: Automaton, text: str) -> None:
    """Its first frame is the session; a prompt at the margin may be Megatron's `>>> done with …`."""
    assert [(event.exception, event.is_ignored) for event in events_of(automaton, text)] == [
        ("KeyError", False)
    ]


@pytest.mark.parametrize("name", ["exception-group", "spawn"])
def test_what_only_holds_others_is_no_error_of_its_own(automaton: Automaton, name: str) -> None:
    """An exception group and torch's spawn announce the exceptions below them; those count, also where nobody knows them."""
    unknown = printed(name).replace(
        "batch_size 32 < chunks 64", "something that nobody has a signature for"
    )
    result = scan_text(automaton, unknown)
    assert result.answer is not None
    titles = [each.title for each in result.unknown_errors]
    assert (
        titles[result.answer.index] == "AssertionError: something that nobody has a signature for"
    )
    assert [title for title in titles if "Group" in title or "ProcessRaised" in title] == []


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.name)
def test_each_message_row_takes_its_sample(message: Message) -> None:
    """The first line by `head`, all others by `further`."""
    assert re.search(message.head, message.sample[0])
    assert [line for line in message.sample[1:] if not re.match(message.further, line)] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '    raise ValueError("One or both of the .idx and .bin files cannot be found at the "',
            True,
        ),
        ("        f\"Key '{key}' is not in struct\",", True),
        (
            '"With uneven pipelineing the left over layers must be divisible by left over stages"',
            True,
        ),
        ("assert self.lr_decay_steps > 0", False),
        ("# SIGSEGV (0xb) at pc=0x00007f", False),
        (
            'TORCH_CHECK(is_sm90 || is_sm8x, "FlashAttention only supports Ampere GPUs or newer.");',
            True,
        ),
        ('), "Streaming VLLM version must be greater than 0.8.5"', True),
        ('] failed with "CUDA out of memory", giving up', False),
        ('logger.error("CUDA out of memory")', True),
        (
            'log_single_rank(logger, logging.ERROR, "Failed to compile the C++ dataset helper functions")',
            True,
        ),
        ('message=f"found NaN in local grad norm for bucket #{i} "', True),
        ('msg="CUDA out of memory"', False),
        ("ValueError: bad shape", False),
        ('"message": "CUDA out of memory"', False),
        ('{"error": "CUDA out of memory"}', False),
        ("'NoneType' object has no attribute 'shape'", False),
        ("raise_error: CUDA out of memory", False),
        ("AssertionError: assert x", False),
    ],
)
def test_what_stands_in_source_code_is_not_said(text: str, expected: bool) -> None:
    """Statements, comments and strings that a call has on lines of their own; but people paste the assertion that failed."""
    assert is_source_code(text.strip()) is expected


def test_the_line_right_below_is_kept_though_it_begins_something_else(automaton: Automaton) -> None:
    """What a person sees around an error has no holes."""
    text = "start\nAssertionError: batch_size 32 < chunks 64\nTraceback (most recent call last):\n"
    event = events_of(
        automaton, text + '  File "/app/a.py", line 3, in f\nValueError: other\nend\n'
    )[0]
    assert [line.number for line in (*event.before, *event.lines, *event.after)] == [1, 2, 3, 4, 5]


def test_a_log_that_breaks_off_within_a_traceback_is_not_called_healthy(
    automaton: Automaton,
) -> None:
    """It is told where, and that the line which says why is missing; a dump of stacks at the end is no traceback."""
    frames = 'Traceback (most recent call last):\n  File "/app/a.py", line 3, in f\n    g()\n  File "/app/b.py", line 5, in chunk\n'
    for end in ("", "    assert n >= chunks\n", "    assert n >= ch"):
        result = scan_text(automaton, f"step 1 loss 0.5\n{frames}{end}")
        assert result.root is not None
        assert "in chunk" in result.unknown_errors[0].title
        assert any("ends within a traceback" in each.en for each in result.not_seen)
    known = (
        "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n"
    )
    assert scan_text(automaton, known + frames).diagnoses[0].verdict.value == "root_cause"
    dump = (
        'Thread 0x00007f3f4d7fe640 (most recent call first):\n  File "/app/a.py", line 31 in wait\n'
    )
    assert scan_text(automaton, f"the stacks of all threads:\n{dump}").answer is None
    assert scan_text(automaton, f"Timeout (0:05:00)!\n{dump}").answer is not None


FIELD = "max_batch_len"
DEMAND = "Input should be a valid integer, unable to parse string as an integer"
PYDANTIC = (
    f"{FIELD}\n  {DEMAND} [type=int_parsing, input_value='abc', input_type=str]\n"
    "    For further information visit https://errors.pydantic.dev/2.11/v/int_parsing\n"
)


@pytest.mark.parametrize(
    "frames", ["", '  File "/job/serve.py", line 31, in main\n    Args(**given)\n']
)
@pytest.mark.parametrize("prefix", ["", "[rank3]: ", "(Worker pid=711, ip=10.0.0.4) "])
@pytest.mark.parametrize(
    ("count", "further"),
    [("1 validation error", ""), ("2 validation errors", PYDANTIC.replace(FIELD, "block"))],
)
def test_a_message_that_ends_with_a_link_is_proved_by_its_first_line(
    automaton: Automaton, frames: str, prefix: str, count: str, further: str
) -> None:
    header = "Traceback (most recent call last):\n" if frames else ""
    head = f"pydantic_core._pydantic_core.ValidationError: {count} for ServerArgs\n"
    lines = f"{header}{frames}{head}{PYDANTIC}{further}".splitlines()
    text = "".join(f"{prefix}{each}\n" for each in lines)
    (diagnosis,) = scan_text(automaton, f"starting\n{text}").diagnoses
    assert diagnosis.evidence[0].text == f"{prefix}{head.strip()}"
    shown = [text for _, text in diagnosis.evidence[0].context]
    assert all(any(want in each for each in shown) for want in (FIELD, DEMAND))
    assert FIELD in diagnosis.title.en
    assert DEMAND in diagnosis.cause.zh


@pytest.mark.parametrize(
    ("below", "field", "demand"),
    [
        (
            "  Value error, There is no checkpoint. [type=value_error, input_value={}, input_type=dict]",
            None,
            "Value error, There is no checkpoint",
        ),
        (
            "API_KEY\n  Field required [type=missing, input_value={}, input_type=dict]",
            "API_KEY",
            "Field required",
        ),
        (
            "optim.betas.0\n  none is not an allowed value (type=type_error.none.not_allowed)",
            "optim.betas.0",
            "none is not an allowed value",
        ),
    ],
)
def test_what_a_schema_demands_of_which_field_is_said(
    automaton: Automaton, below: str, field: str | None, demand: str
) -> None:
    text = f"pydantic_core._pydantic_core.ValidationError: 1 validation error for Args\n{below}\n"
    (diagnosis,) = scan_text(automaton, text).diagnoses
    assert (diagnosis.captures.get("field"), diagnosis.captures["demand"]) == (field, demand)


def test_an_entry_of_a_table_is_proved_by_itself(automaton: Automaton) -> None:
    """It has lines of its own, not a message that goes on."""
    log = Path(__file__).parent.parent / "sample_logs" / "slurm-oom-kill.log"
    found = scan_text(automaton, log.read_text(encoding="utf-8")).diagnoses
    (killed,) = (each for each in found if each.signature.id == "torch-elastic-worker-killed")
    assert "SIGKILL" in killed.evidence[-1].text
