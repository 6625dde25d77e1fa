"""Stacks of hung processes: read_stacks, standing_apart.

What py-spy prints (text, `--json`), `ray stack`, Python's faulthandler, gdb, and the files of
torch's debug server, which puts `=== Rank N: … ===` above each.
"""

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from logdoctor.dumps.collectives import Frame
from logdoctor.dumps.flight_recorder import is_foreign

FRAMES_LIMIT = 200
"""Frames of a thread that are read."""

STACKS_LIMIT = 65_536
"""Processes of one file that are read."""

NO_STACKS = "stacks without a frame"

BROKEN = "broken or cut off stacks of py-spy --json"

_HEADINGS = re.compile(
    r"^(?:=== Rank (?P<rank>\d+): .*===|Process (?P<pid>\d+): (?P<command>.*)"
    r"|Stack dump for \S+ +(?P<ray>\d+) .*"
    r"|Attaching to process (?P<gdb>\d+)"
    r"|(?:\[New LWP \d+\]\n)*\[Thread debugging using \w+ enabled\])$",  # of gdb -batch
    re.MULTILINE,
)
_THREAD = re.compile(
    r'^(?:Thread (?:0x)?[\dA-Fa-f]+ \((?:idle|active|active\+gil)\)(?:: "(?P<name>[^"]*)")?'
    r"|(?:Current thread|Thread) 0x[\da-fA-F]+ .*\(most recent call first\):"
    r"|Thread (?P<gdb>\d+) \(Thread 0x[\da-f]+(?: \(LWP (?P<lwp>\d+)\))?.*\).*)$",
    re.MULTILINE,
)
_FRAME = re.compile(
    r"^(?:[ \t]+(?P<spied>[^ \t(][^(\n]*) \((?P<at>[^()\n]*?)(?::(?P<number>\d+))?\)"
    r'|[ \t]+File "(?P<file>[^"\n]*)", line (?P<line>\d+) in (?P<function>.+)'
    r"|#\d+ +(?:0x[\da-f]+ in )?(?P<native>[^ (]+).*?\)(?: at (?P<source>\S+?):(?P<where>\d+)"
    r"| from (?P<library>\S+))?)$",
    re.MULTILINE,
)
_IN_COLLECTIVE = (
    r"/?(?:torch/distributed/(?!elastic/|run\.py|launch|checkpoint/)|deepspeed/comm/)"
    r"|\b(?:nccl|gloo|c10d)\b"
)
_OF_DATA_LOADER = "torch/utils/data/_utils/worker.py"


class Stack(NamedTuple):
    """Where a process stands.

    Attributes:
        rank: None where nothing tells.
        pid: None where nothing tells.
        frames: of its main thread, innermost first; never empty.
        program: what it runs, without its arguments; empty where nothing tells.
    """

    source: str
    rank: int | None
    pid: int | None
    frames: tuple[Frame, ...]
    program: str = ""

    @property
    def name(self) -> str:
        """`rank 9`, else `process 4711`."""
        return f"rank {self.rank}" if self.rank is not None else f"process {self.pid}"

    @property
    def is_in_collective(self) -> bool:
        """Whether it waits in a collective, as far as the frames within the run's own code tell;
        around that, FSDP's wrappers of a model stand in each stack.
        """
        return any(
            re.search(_IN_COLLECTIVE, f"{each.file} {each.function}")
            for each in takewhile(_is_library, self.frames)
        )

    @property
    def loads_data(self) -> bool:
        """Whether it is a worker of a rank's DataLoader."""
        return any(each.file.endswith(_OF_DATA_LOADER) for each in self.frames)

    @property
    def place(self) -> Frame:
        """The innermost frame of the run's own code, else the innermost one."""
        return next((each for each in self.frames if not _is_library(each)), self.frames[0])


def _is_library(frame: Frame) -> bool:
    """Whether a frame is not of the run's own code; py-spy cuts the folder of Python's modules
    off.
    """
    module = frame.file.partition("/")[0].removesuffix(".py")
    return is_foreign(frame) or module in sys.stdlib_module_names


def read_stacks(data: bytes, rank: int | None, source: str) -> tuple[Stack, ...]:
    """The stacks in a file, one per process, workers of DataLoaders left out (`py-spy dump
    --subprocesses` puts them below their rank); `rank` is that which its name tells.

    Raises:
        ValueError: there is none in it, or it is broken.
    """
    text = data.decode("utf-8", "replace")
    found = list(_of_json(text, rank, source) if re.match(r"\s*\[\s*\{", text) else
                 _of_text(text, rank, source))  # fmt: skip
    if not found and not re.match(r"\s*(?:=== Rank|PARTIAL DATA)", text):
        raise ValueError(NO_STACKS)  # the debug server puts its heading above other things as well
    found = [each for each in found if not each.loads_data]
    if len(found) > 1 and all(each.rank == rank for each in found):
        return tuple(each._replace(rank=None) for each in found)  # the name is that of the file
    return tuple(found)


def _of_text(text: str, rank: int | None, source: str) -> Iterator[Stack]:
    headings = list(_HEADINGS.finditer(text))[:STACKS_LIMIT]
    starts = [0, *(each.end() for each in headings)]
    ends = [*(each.start() for each in headings), len(text)]
    own_rank, pid, program = rank, None, ""
    for heading, start, end in zip((None, *headings), starts, ends, strict=True):
        if heading and heading["rank"]:
            own_rank, pid, program = int(heading["rank"][-9:]), None, ""
        elif heading:
            told = heading["pid"] or heading["ray"] or heading["gdb"]
            pid = int(told[-9:]) if told else _main_thread(text[start:end])
            program = _program(heading["command"] or "")
        frames = _main_frames(text[start:end])
        if frames:
            yield Stack(source, own_rank, pid, frames, program)


def _program(command: str) -> str:
    """`train.py` of `python -u train.py --lr 1`, `ray::Worker` of `ray::Worker.fit`."""
    found = re.match(r"ray::\w+", command) or re.search(r"(?<= )(?:-m \S+|[^-\s]\S*)", command)
    return found[0] if found else command


def _main_thread(text: str) -> int | None:
    """The number of gdb's first thread, which is that of its process."""
    numbers = (int(each["lwp"][-9:]) for each in _THREAD.finditer(text)
               if each["gdb"] == "1" and each["lwp"])  # fmt: skip
    return next(numbers, None)


def _main_frames(text: str) -> tuple[Frame, ...]:
    """Of the thread called MainThread, else of gdb's first, else of the last one, which is the
    oldest where faulthandler lists them.
    """
    threads = list(_THREAD.finditer(text))
    ends = [*(each.start() for each in threads[1:]), len(text)][: len(threads)]
    parts = [(each, text[each.end() : end]) for each, end in zip(threads, ends, strict=True)]
    main = next((part for each, part in parts if each["name"] == "MainThread"), None)
    first = next((part for each, part in parts if each["gdb"] == "1"), None)
    body = main or first or (parts[-1][1] if parts else text)
    return tuple(_frame(each) for each in list(_FRAME.finditer(body))[:FRAMES_LIMIT])


def _frame(found: re.Match[str]) -> Frame:
    if found["file"]:
        return Frame(found["function"].strip(), found["file"], int(found["line"][-9:]))
    if found["native"]:
        file = found["source"] or found["library"] or ""
        return Frame(found["native"], file, int((found["where"] or "0")[-9:]))
    return Frame(found["spied"].strip(), found["at"], int((found["number"] or "0")[-9:]))


def _of_json(text: str, rank: int | None, source: str) -> list[Stack]:
    """py-spy's list of threads; the main one of a process has the process's number."""
    found: dict[int, Stack] = {}
    try:
        for each in sorted(json.loads(text), key=_is_no_main):
            pid = int(each.get("pid") or 0)
            frames = tuple(_json_frame(one) for one in (each.get("frames") or ())[:FRAMES_LIMIT])
            if frames:
                found.setdefault(pid, Stack(source, rank, pid, frames))
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError(BROKEN) from error
    return list(found.values())


def _is_no_main(thread: dict[str, Any]) -> bool:
    return thread.get("thread_name") != "MainThread" and thread.get("os_thread_id") != thread.get(
        "pid"
    )


def _json_frame(told: dict[str, Any]) -> Frame:
    return Frame(str(told.get("name")), str(told.get("filename")), int(told.get("line") or 0))


class Apart(NamedTuple):
    """Processes that stand elsewhere than the others.

    Attributes:
        apart: those that are in no collective, while most are; never empty.
        others: the rest, most of them in a collective; never empty.
        usual: where most of the others stand.
    """

    apart: tuple[Stack, ...]
    others: tuple[Stack, ...]
    usual: Frame


def standing_apart(stacks: Iterable[Stack]) -> Apart | None:
    """Who stands outside of any collective while most wait in one; None where that is nobody.

    Only who runs the same program as those that wait is compared: launchers and agents, whose
    stacks are taken along, are in no collective ever. Of stacks of several moments the last ones
    count; who stood elsewhere the time before is slow, and does not hang.
    """
    moments: dict[str, list[Stack]] = defaultdict(list)
    for each in stacks:
        moments[each.name].append(each)
    latest = [each[-1] for each in moments.values()]
    waiting = [each for each in latest if each.is_in_collective]
    programs = {each.program for each in waiting}
    apart = [each for each in latest if each.program in programs and not each.is_in_collective]
    if not apart or len(apart) >= len(waiting):
        return None
    if any(_has_moved(moments[each.name]) for each in apart):
        return None
    (usual, _), *_ = Counter(each.place for each in waiting).most_common(1)
    return Apart(tuple(sorted(apart, key=_order)), tuple(sorted(waiting, key=_order)), usual)


def _has_moved(moments: Sequence[Stack]) -> bool:
    """Whether a process stood in another function the time before; a loop has several lines, and
    tools call files and functions by more or less of their names.
    """
    before, last = (
        (each.place.file.rpartition("/")[2], each.place.function.rpartition(".")[2])
        for each in (*moments[-1:], *moments)[-2:]
    )
    return before != last


def latest_of_each(stacks: Iterable[Stack]) -> tuple[Stack, ...]:
    """Of each process the stack that was read last; names that tell the time are read by it."""
    return tuple({each.name: each for each in stacks}.values())


def _order(stack: Stack) -> tuple[int, int]:
    return (stack.rank if stack.rank is not None else -1, stack.pid or 0)
