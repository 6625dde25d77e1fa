"""What to look at next where no signature knows an error: next_steps, waiting_steps."""

from __future__ import annotations

from collections.abc import Mapping

from logdoctor.formats.exception_meanings import meaning_of
from logdoctor.formats.exit_codes import explained_exits
from logdoctor.formats.message_shapes import raised_type
from logdoctor.formats.system_errors import call_meaning
from logdoctor.model import LocalText, LogEvent
from logdoctor.texts.phrases import verdict as phrases
from logdoctor.verdict.advised import advised_step, contradiction_step
from logdoctor.verdict.code_lines import culprit_of, deleted_in, used_in
from logdoctor.verdict.frames import CODE_LIMIT, Frame, Raised, frames_of, raised_by


def next_steps(event: LogEvent, versions: Mapping[str, str]) -> tuple[LocalText, ...]:
    """What the message itself says to do, or that it contradicts itself, what is known of its type,
    where it was raised and what called it, as its frames tell; of an error without frames, that
    they are missing. `versions` are those that the log tells.
    """
    raised = raised_by(event)
    contradicted = contradiction_step(event.message, raised.package)
    advised = contradicted or advised_step(event.message)
    meaning = meaning_of(_exception_of(event), event.message)
    known = phrases.MEANS.fill(name=meaning[0], meaning=meaning[1]) if meaning else None
    where = _where(event, versions)
    deleted = deleted_in(raised.code) if event.exception else None
    if deleted:
        where = (phrases.DELETED_TWICE.fill(deleted=deleted), *where)
    if call_meaning(event.message) and not event.frames:
        where = ()  # the call is named, with what to do: a traceback would not say more
    return (*filter(None, (advised, known)), *where)


def _exception_of(event: LogEvent) -> str | None:
    """Its type as printed, or, where the line that says it is missing, the one that the innermost
    line of code raises.
    """
    return event.exception or raised_type(raised_by(event).code)


def _stood(event: LogEvent) -> tuple[LocalText, ...]:
    """Where a process stood when its stack was printed, and what it waited in."""
    frames = list(frames_of(event))
    own = next((each for each in reversed(frames) if each.package is None), None)
    at = own or next((each for each in reversed(frames) if each.package), None)
    if at is None or at is frames[-1]:
        return (phrases.STOOD_IN.fill(place=at.name),) if at else ()
    inside = frames[frames.index(at) + 1]
    return (phrases.STOOD_INSIDE.fill(place=at.name, inside=inside.name),)


def _where(event: LogEvent, versions: Mapping[str, str]) -> tuple[LocalText, ...]:
    exits = explained_exits(event.message)
    if exits and not event.frames:
        return exits
    exception = _exception_of(event)
    stood = () if exception or event.is_cut else _stood(event)
    if stood:
        return stood
    raised = raised_by(event)
    if raised.at is None:
        return (_without_place(event, raised),)
    if event.is_cut and exception is None:
        return (_beside(phrases.BREAKS_OFF_IN.fill(place=raised.at.name), raised.at),)
    facts = raised.facts(versions)
    culprit = culprit_of(exception, event.message, raised.code)
    if raised.package is None:
        own = phrases.RAISED_WITH_ROWS if raised.given_to else phrases.RAISED_HERE
        said = own.fill(place=raised.at.name, library=raised.given_to or "")
        return (_beside(said, raised.at, culprit),)
    called = (
        (_beside(phrases.CALLED_HERE.fill(place=raised.own.name), raised.own),)
        if raised.own
        else ()
    )
    return (
        _beside(
            phrases.RAISED_IN_LIBRARY.fill(
                place=raised.at.name, library=raised.package, release=facts["raised_release"]
            ),
            raised.at,
            culprit,
        ),
        *called,
    )


def _without_place(event: LogEvent, raised: Raised) -> LocalText:
    """What is said where no frame tells whose code it was."""
    outermost = next(frames_of(event), None)
    if outermost:
        return phrases.RAISED_IN_PYTHON.fill(place=outermost.name)
    if not raised.code:
        return phrases.NO_FRAMES.fill()
    culprit = culprit_of(_exception_of(event), event.message, raised.code)
    return _with_line(phrases.RAISED_BY_LINE.fill(), raised.code, culprit)


def _beside(said: LocalText, frame: Frame, culprit: str | None = None) -> LocalText:
    """What is said of a frame, with its line of code, and what of it the message speaks of."""
    return _with_line(said, frame.code, culprit, is_own=frame.package is None)


def _with_line(
    said: LocalText, code: str, culprit: str | None, *, is_own: bool = True
) -> LocalText:
    """A sentence with a line of code: what the message speaks of in it, else, where somebody can
    print that, what it uses.
    """
    if not code:
        return said
    is_condition = code.startswith("assert ")
    about = phrases.LINE_ASSERTS if is_condition else phrases.LINE_IS_ABOUT
    used = used_in(code) if is_own and not culprit else ()
    phrase = about if culprit else phrases.LINE_USES if used else phrases.LINE_IS
    told = phrase.fill(
        code=code[:CODE_LIMIT],
        culprit=culprit or "",
        names=LocalText(", ".join(used), "、".join(used)),
    )
    return LocalText(f"{said.en} {told.en}", f"{said.zh}{told.zh}")


def waiting_steps(lines: int) -> tuple[LocalText, ...]:
    """Where a log ends with so many lines of waiting, at least."""
    return (phrases.WAITS_AT_END.fill(lines=lines),)
