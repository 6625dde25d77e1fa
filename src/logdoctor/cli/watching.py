"""What `tail` and `run` share: a live scan that tells what it finds while it is new."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple, TypeVar

from logdoctor.cli.metrics import LiveMetrics
from logdoctor.cli.options import OPENMETRICS, Arguments
from logdoctor.cli.scanning import report
from logdoctor.cli.terminal import note, wants_colour, width, write, write_metrics
from logdoctor.errors import LogdoctorError
from logdoctor.formats.exit_codes import explained_exits
from logdoctor.live.notify import Notifier, command, webhook
from logdoctor.live.pace import LEAST_SILENCE_S, Pace, Silence, spoken
from logdoctor.live.stall_command import StallCommand
from logdoctor.model import Diagnosis, Language, RunState, ScanResult, UnknownError
from logdoctor.pipeline.news import News
from logdoctor.pipeline.scan import Scan
from logdoctor.reports.run.live import (
    json_line,
    news_lines,
    news_rows,
    news_text,
    silence_row,
    silence_text,
)
from logdoctor.reports.run.message import messages
from logdoctor.reports.run.openmetrics import RunFigures
from logdoctor.reports.run.painting import TextStyle
from logdoctor.sources.dump_files import begins_as_dump
from logdoctor.texts.masking import printable
from logdoctor.texts.phrases import live as phrases

STATUS_EVERY_S = 0.5
"""Seconds between two drawings of the status line."""

ON_STALL = "--on-stall"
"""What the output of the user's command is called as a source."""

STACKS_S = 20.0
"""Seconds that the end of a tail waits for that command."""

SETTLE_EVERY_S = 0.15
"""Seconds after which what stands complete is told at the earliest, and twice that at the
latest.
"""

_Place = Callable[[str, int], tuple[str, int] | None]
_Told = TypeVar("_Told", News, ScanResult)
_Finding = TypeVar("_Finding", Diagnosis, UnknownError)


class Telling(NamedTuple):
    """How things are told.

    Attributes:
        write: takes text for the report.
        has_status: whether a status line is drawn.
        notifiers: what gets the JSON of each thing found.
        chats: what gets a few lines on it.
        is_quiet: whether text waits for the verdict (silences are told at once all the same).
        on_stall: what looks at the run at the first silence.
        places: gives for each telling what says the file and line where a line of a source stands
            now; None where that is what it is called.
    """

    arguments: Arguments
    write: Callable[[str], None] = write
    has_status: bool = False
    notifiers: Sequence[Notifier] = ()
    chats: Sequence[Notifier] = ()
    is_quiet: bool = False
    on_stall: StallCommand | None = None
    places: Callable[[], _Place] | None = None


class Watch:
    """A live scan with its pace, and everything it tells."""

    def __init__(
        self,
        scan: Scan,
        telling: Telling,
        stall_s: float | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.scan = scan
        self.pace = Pace(stall_s)
        self.clock = clock
        self._telling = telling
        self._form = telling.arguments.form
        self._style = TextStyle(
            Language(telling.arguments.lang), width(), wants_colour(telling.arguments.color)
        )
        self._progress: tuple[str, int] | None = None
        self._settle_due = self._status_due = 0.0
        self._status = ""
        self._found = 0
        self._last_live: float | None = None  # when something came that was just written
        self._metrics = LiveMetrics(telling.arguments)
        self._written: float | None = None  # when the last line came, in seconds of the epoch

    def feed(self, name: str, data: bytes, *, is_live: bool) -> None:
        """Takes bytes of a source; where not `is_live`, they were written before anybody
        watched.
        """
        self.scan.feed(name, data)
        now = self.clock()
        self.pace.line(now)
        self._last_live = now if is_live else self._last_live
        self._written = time.time() if is_live else self._written
        if now >= self._settle_due and not self._telling.is_quiet:
            self.settle(is_live=is_live)

    @property
    def language(self) -> Language:
        """What it is told in."""
        return self._style.language

    def settle(self, *, is_live: bool) -> News:
        """Tells what is new, if it is time to."""
        now = self.clock()
        if now < self._settle_due:
            return News()
        self._settle_due = now + SETTLE_EVERY_S
        self._take_stacks()
        news = self.scan.settle()
        if news:
            self._tell(news)
        self._note_progress(now, is_live=is_live)
        silence = self.pace.silence(now) if is_live else None
        if silence:
            self._tell_silence(silence, now)
        self._metrics.keep(now, self._figures(now))
        return news

    @property
    def is_status_due(self) -> bool:
        """Whether there is a status line, and it is time to draw it."""
        return self._telling.has_status and self.clock() >= self._status_due

    def draw_status(self, sources: int, behind: int) -> None:
        """Draws the status line; `behind` in bytes."""
        self._status_due = self.clock() + STATUS_EVERY_S
        text = " · ".join(self._status_facts(sources, behind))[: width() - 1]
        if text != self._status:
            self._erase_status()
            self._status = text
            _draw(f"\r\x1b[2m{text}\x1b[0m")

    def conclude(self, failed_with: int | None = None, *, is_going_on: bool = False) -> ScanResult:
        """Takes what is still open and tells the whole verdict; `failed_with` is the exit code
        of a command that has ended, `is_going_on` says that the run may still write.
        """
        self._settle_due = 0.0
        if self._telling.on_stall:
            self._telling.on_stall.wait(STACKS_S)
        self.settle(is_live=False)
        self.scan.end()
        result = self._with_ending(self.scan.result(), failed_with, is_going_on=is_going_on)
        if self._telling.arguments.known_in is not None:
            from logdoctor.cli.remembering import with_memory  # noqa: PLC0415  # it opens a store

            result = with_memory(result, self._telling.arguments.known_in)
        result = self._placed(result)
        self._erase_status()
        if self._form == "jsonl":
            self._telling.write(news_lines(self.scan.last_news(result), self._style.language))
        if failed_with is not None and result.root is None and self._form == "text":
            meant = explained_exits(f"exit code {failed_with}")
            language = self._style.language
            self.note(
                "\n".join(
                    (
                        phrases.FAILED_UNKNOWN.say(language, code=failed_with),
                        *(each.in_language(language) for each in meant),
                    )
                )
            )
        elif self._form == OPENMETRICS and self._telling.arguments.metrics_file:
            write_metrics(
                report(result, self._telling.arguments), self._telling.arguments.metrics_file
            )
        else:
            self._telling.write(report(result, self._telling.arguments))
        return result

    def _with_ending(
        self, result: ScanResult, exit_code: int | None, *, is_going_on: bool
    ) -> ScanResult:
        """With what is known beside the log of how the run stands."""
        if result.root or not (exit_code or result.ending.state is RunState.NO_END_SEEN):
            return result
        state = RunState.NO_END_SEEN
        if exit_code is not None:
            state = RunState.PROBLEM if exit_code else RunState.GOOD_END
        elif is_going_on and self._last_live is not None:
            silence = self.clock() - self._last_live
            if silence < (self.pace.limit or LEAST_SILENCE_S):
                state = RunState.GOING_ON
        return result._replace(ending=result.ending._replace(state=state))

    def note(self, text: str) -> None:
        """Tells something beside the report."""
        self._erase_status()
        note(text)

    def _placed(self, told: _Told) -> _Told:
        """The same, with the files that hold its lines now."""
        if self._telling.places is None:
            return told
        place = self._telling.places()
        return told._replace(
            diagnoses=_with_places(told.diagnoses, place),
            unknown_errors=_with_places(told.unknown_errors, place),
        )

    def _tell(self, news: News) -> None:
        news = self._placed(news)
        self._erase_status()
        self._found += len(news.diagnoses) + len(news.unknown_errors)
        self._metrics.take(news)
        if self._form == "jsonl":
            self._telling.write(news_lines(news, self._style.language))
        elif self._form == "text" and not self._telling.is_quiet:
            self._telling.write(news_text(news, _time_of_day(), self._style))
        found = News(news.diagnoses, news.unknown_errors)
        for row in news_rows(found, self._style.language) if self._telling.notifiers else ():
            for notifier in self._telling.notifiers:
                notifier.notify(json_line(row).encode())
        for message in messages(found, self._style.language) if self._telling.chats else ():
            for chat in self._telling.chats:
                chat.notify(message.payload())

    def _take_stacks(self) -> None:
        """Takes what the command printed that looked at the run: a dump, or nothing of use."""
        on_stall = self._telling.on_stall
        stacks = on_stall.taken() if on_stall else b""
        if begins_as_dump(stacks):
            self.scan.read(ON_STALL, [stacks])
        elif stacks:
            last = stacks.decode("utf-8", "replace").strip().splitlines()[-1:]
            self.note(phrases.NO_STACKS.say(self.language, said=printable("".join(last)[:200])))

    def _tell_silence(self, silence: Silence, now: float) -> None:
        self._erase_status()
        context = self.scan.context
        row = json_line(silence_row(silence, context, self.scan.known_hangs()))
        if self._telling.on_stall and self._telling.on_stall.start(row.encode()):
            self.note(phrases.LOOKING.say(self.language))
        if self._form == "jsonl":
            self._telling.write(row)
        elif self._form == "text":
            since = _time_of_day(now - silence.since)
            self._telling.write(
                silence_text(
                    silence,
                    since,
                    _time_of_day(),
                    context,
                    self._style,
                    known=self.scan.known_hangs(),
                )
            )

    def _figures(self, now: float) -> RunFigures:
        """As far as the watch knows them."""
        progress = self.scan.progress
        return RunFigures(
            step=progress.step if progress else None,
            written=self._written,
            silence_s=self.pace.excess(now),
        )

    def _note_progress(self, now: float, *, is_live: bool) -> None:
        progress = self.scan.progress
        if progress is None or (progress.source, progress.line) == self._progress:
            return
        self._progress = (progress.source, progress.line)
        broken = self.pace.step(now, is_live=is_live)
        if broken is not None:
            self.note(phrases.GOES_ON.say(self._style.language, value=spoken(broken)))

    def _status_facts(self, sources: int, behind: int) -> list[str]:
        language, facts = self._style.language, []
        progress, typical = self.scan.progress, self.pace.typical
        if progress and progress.step is not None:
            facts.append(
                phrases.STATUS_STEP.say(
                    language,
                    step=f"{progress.step}/{progress.total}" if progress.total else progress.step,
                )
            )
        if typical is not None:
            facts.append(phrases.STATUS_PACE.say(language, value=spoken(typical)))
            if progress and progress.total and progress.step is not None:
                facts.append(
                    phrases.STATUS_LEFT.say(
                        language, value=spoken(typical * max(0, progress.total - progress.step))
                    )
                )
        facts.append(phrases.STATUS_FOUND.say(language, count=self._found))
        facts.append(phrases.STATUS_SOURCES.say(language, count=sources))
        if behind:
            facts.append(phrases.STATUS_BEHIND.say(language, value=f"{behind / 1e6:,.1f} MB"))
        return facts

    def _erase_status(self) -> None:
        if self._status:
            self._status = ""
            self._status_due = 0.0
            _draw("\r\x1b[K")


def _with_places(found: tuple[_Finding, ...], place: _Place) -> tuple[_Finding, ...]:
    return tuple(
        each._replace(
            evidence=tuple(
                one._replace(stands_at=place(one.source, one.line)) for one in each.evidence
            )
        )
        for each in found
    )


def notifiers(arguments: Arguments, complain: Callable[[str], None]) -> tuple[Notifier, ...]:
    """Those that take JSON, as the options ask for them."""
    found = []
    if arguments.command:
        found.append(Notifier("--exec", command(arguments.command), complain, arguments.per_minute))
    if arguments.webhook:
        found.append(
            Notifier("--webhook", webhook(arguments.webhook), complain, arguments.per_minute)
        )
    return tuple(found)


def chats(arguments: Arguments, complain: Callable[[str], None]) -> tuple[Notifier, ...]:
    """Those that take messages, as the options ask for them; their names tell them apart, also in
    a later call, and show nothing of their URLs.

    Raises:
        LogdoctorError: there is no such service, a package is missing, or the place that holds the
            URL has none.
    """
    found = []
    for given in arguments.chats:
        # urllib, which most calls do without
        from logdoctor.live.chat import chat  # noqa: PLC0415

        url = _kept(given)
        service, send = chat(url)
        name = f"--notify {service} {hashlib.sha256(url.encode()).hexdigest()[:6]}"
        found.append(Notifier(name, send, complain, arguments.per_minute))
    return tuple(found)


def _kept(given: str) -> str:
    """The URL, which may stand in a variable of the environment or in a file."""
    kind, _, place = given.partition(":")
    url = given
    if kind == "env":
        url = os.environ.get(place, "").strip()
    elif kind == "file":
        try:
            with open(place, encoding="utf-8") as file:
                url = file.read().strip()
        except (OSError, ValueError) as error:
            raise LogdoctorError(f"--notify {given}: cannot be read") from error
    if "://" not in url:
        raise LogdoctorError(f"--notify {given}: holds no URL")
    return url


def _draw(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        pass  # nobody is there to look


def _time_of_day(seconds_ago: float = 0.0) -> str:
    # the user's own clock
    return datetime.fromtimestamp(time.time() - seconds_ago).strftime("%H:%M:%S")  # noqa: DTZ006
