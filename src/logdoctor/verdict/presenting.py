"""A judged failure to what reports are given of it: Presenter.

Everything that a log says passes `Cleaning` on its way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from logdoctor.formats.bare_codes import gives_reason
from logdoctor.formats.exit_codes import explained_exits
from logdoctor.formats.library_paths import packages_in, releases_in
from logdoctor.formats.pip_names import MISSING_MODULE, pip_name
from logdoctor.matching.rivals import home_of
from logdoctor.model import (
    Diagnosis,
    Evidence,
    JudgedRemedy,
    LocalText,
    LogEvent,
    Reason,
    RunContext,
    Sighting,
    Signature,
    SignatureDatabase,
    UnknownError,
    Verdict,
)
from logdoctor.patterns.extracts import capture_names
from logdoctor.signatures.nearest import Resemblance
from logdoctor.sources.newest_first import OwnNumbers
from logdoctor.texts.filling import fill_both
from logdoctor.texts.masking import fingerprint, printable
from logdoctor.texts.phrases import verdict as phrases
from logdoctor.texts.secrets import redacted_lines, secrets_in, without_these
from logdoctor.verdict.collectives import Comparison
from logdoctor.verdict.confidence import CLASSES, evidence_class
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.first_failure import said_first
from logdoctor.verdict.groups import Occurrence, shown_evidence
from logdoctor.verdict.proof import Ground, Line
from logdoctor.verdict.remedies import Circumstances, Message, judge_remedies, unproven
from logdoctor.verdict.wording import captures_of, wording_of


class Cleaning:
    """What of a log's texts may be shown: nothing that steers a terminal, and no secret, unless the
    user wants them.
    """

    def __init__(self, *, redact: bool) -> None:
        self._redact = redact

    def text(self, text: str) -> str:
        """A text of one line."""
        return self.lines([text])[0]

    def both(self, text: LocalText) -> LocalText:
        """A text in both languages."""
        return LocalText(self.text(text.en), self.text(text.zh))

    def lines(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Lines that stand below each other: a secret may go over several."""
        return tuple(printable(line) for line in (redacted_lines(lines) if self._redact else lines))

    def captures(self, captures: Mapping[str, str], event: LogEvent) -> dict[str, str]:
        """What is a secret by what stands around it in the event is one as a capture as well."""
        if not self._redact:
            return {name: printable(value) for name, value in captures.items()}
        secrets = secrets_in([line.text for line in event.lines])
        return {name: printable(without_these(each, secrets)) for name, each in captures.items()}


class Presenter:
    """Makes diagnoses and unknown errors of the failures of a run."""

    def __init__(
        self,
        database: SignatureDatabase,
        own_numbers: OwnNumbers,
        cleaning: Cleaning,
        context: RunContext,
        *,
        compared: Callable[[Signature], Comparison | None],
        only_host: Callable[[Failure], LocalText | None],
    ) -> None:
        """`own_numbers` are those of lines that are shown; `compared` says what the reports of
        ranks show side by side, of a signature whose events are such reports; `only_host` that a
        failure is one host's alone.
        """
        self._database = database
        self._own_numbers = own_numbers
        self._cleaning = cleaning
        self._context = context
        self._compared = compared
        self._only_host = only_host
        self._resemblance = Resemblance(database)

    def diagnosis(self, failure: Failure) -> Diagnosis:
        """Of a failure that a signature knows."""
        signature, match = failure.signature, failure.occurrence.match
        assert signature is not None  # known failures have both
        assert match is not None
        matched = self._database.find(match.signature_id)
        assert matched is not None  # ids come from the database's own matches
        facts = self._facts(failure)
        captures, title, cause = wording_of(
            signature, matched, match, facts, self._cleaning.captures
        )
        phase, _, told_by = failure.occurrence.situation
        grounds = grounds_of(failure)
        return Diagnosis(
            signature=signature,
            title=title,
            verdict=failure.verdict,
            confidence=CLASSES[grounds],
            grounds=grounds,
            kind=match.kind,
            score=match.score,
            captures=captures,
            phase=phase,
            phase_told_by=told_by and self._cleaning.text(told_by),
            cause=self._cause(failure, signature, cause, captures),
            remedies=self._remedies(
                failure,
                signature,
                self._circumstances(failure, signature, matched, facts, captures),
            ),
            occurrences=failure.group.occurrences,
            lanes=max(1, len(failure.group.lanes)),
            ranks=tuple(sorted(failure.group.ranks)),
            explained_by=failure.explained_by,
            evidence=self._evidence(failure),
            spots=self._spots(failure),
            sightings=self._sightings(failure),
            because=self._because(failure),
            patterns=match.patterns,
        )

    def _remedies(
        self, failure: Failure, signature: Signature, circumstances: Circumstances
    ) -> tuple[JudgedRemedy, ...]:
        captures = circumstances.captures
        overruling = self._overruling(failure, captures)
        if overruling:
            return (overruling, *unproven(judge_remedies(signature.remedies, circumstances)))
        return judge_remedies(
            signature.remedies,
            circumstances,
            self._advised(failure, captures) if signature.is_general else None,
        )

    def _overruling(self, failure: Failure, facts: Mapping[str, str]) -> JudgedRemedy | None:
        """What to do about a message that refuses what it allows, or whose name is misspelt."""
        from logdoctor.verdict.advised import (  # noqa: PLC0415
            contradiction_remedy,
            misspelt_remedy,
        )

        message = failure.event.message
        found = contradiction_remedy(message, facts.get("raised_package")) or misspelt_remedy(
            message, facts
        )
        return found and found._replace(
            action=self._cleaning.both(found.action), why=self._cleaning.both(found.why)
        )

    def _circumstances(
        self,
        failure: Failure,
        signature: Signature,
        matched: Signature,
        facts: Mapping[str, str],
        own: Mapping[str, str],
    ) -> Circumstances:
        """What the remedies of a signature are judged by, which may be a framework's own for the
        one that was matched; `own` are the captures of the failure, `facts` what else is known.
        """
        occurrence, source = failure.occurrence, failure.occurrence.line.source
        asked = {name for each in signature.remedies for name in each.when.seen}
        names = [capture_names(each.template, each.regex) for each in signature.extracts]
        return Circumstances(
            self._context._replace(versions=self._versions(failure.event)),
            occurrence.situation.phase,
            {**facts, **own},
            occurrence.match.patterns if occurrence.match else (),
            frozenset[str]().union(*names),
            {
                name: self._placed(line, source)
                for name, line in failure.case.seen.items()
                if name in asked
            },
            source,
            signature.labels,
            {name: self._title(name) for name in asked},
            {
                key: (value, self._placed(line, source))
                for (shown_in, key), (value, line) in failure.case.shown.items()
                if shown_in == source
            },
            frozenset(each.name or "" for each in matched.patterns),
            tuple(self._messages(signature, occurrence, facts)),
        )

    def _messages(
        self, signature: Signature, occurrence: Occurrence, facts: Mapping[str, str]
    ) -> Iterator[Message]:
        for match in occurrence.beside:
            captures = captures_of(signature, match, self._cleaning.captures)
            line = Line(match.line.source, match.line.number)
            yield Message(
                match.patterns,
                {**facts, **captures},
                self._placed(line, occurrence.line.source),
            )

    def _advised(self, failure: Failure, facts: Mapping[str, str]) -> JudgedRemedy | None:
        """What the message itself says to do; signatures that know more say it better."""
        from logdoctor.verdict.advised import advised_remedy  # noqa: PLC0415

        found = advised_remedy(failure.event.message, facts)
        if found is None:
            return None
        return found._replace(action=self._cleaning.both(found.action))

    def _title(self, name: str) -> LocalText:
        """What a signature is called where nothing is known of the event."""
        signature = self._database.find(name)
        return fill_both(signature.title, {}) if signature else LocalText(name, name)

    def _facts(self, failure: Failure) -> dict[str, str]:
        """What the frames tell of an exception, beside what its message says."""
        # hardly any log has many
        from logdoctor.verdict.frames import NOT_TOLD, raised_by  # noqa: PLC0415

        event, raised = failure.event, raised_by(failure.event)
        facts = raised.facts(self._versions(event))
        if failure.signature and _speaks_of(failure.signature, "culprit"):
            facts.update(_of_code(event, raised.code))
        module = re.search(MISSING_MODULE, event.message)
        package = pip_name(module[1]) if module else None
        facts.update({"pip_name": package} if package else {})
        if failure.signature and _speaks_of(failure.signature, "busy"):
            facts.update(self._busy(failure))
        if failure.signature and _speaks_of(failure.signature, "ranks_show"):
            compared = self._compared(failure.signature)
            facts.update(compared.facts if compared else {"ranks_show": NOT_TOLD})
        if failure.signature and _speaks_of(failure.signature, "reason_told"):
            facts["reason_told"] = "yes" if gives_reason(event.message) else "no"
        if failure.signature and _speaks_of(failure.signature, "refusal"):
            facts.update(_of_refusal(event.message))
        below = self._below(failure)
        facts.update({"below": below} if below else {})
        return {name: self._cleaning.text(value) for name, value in facts.items()}

    def _busy(self, failure: Failure) -> dict[str, str]:
        """Whether a process was at work that others wait for, with what, and where that stands."""
        from logdoctor.verdict.busy import work_under_way  # noqa: PLC0415

        work = work_under_way(failure)
        if work is None:
            return {"busy": "no"}
        at = self._placed(work.at, failure.history.name)
        return {"busy": "yes", "busy_with": work.what, "busy_at": at}

    def _below(self, failure: Failure) -> str:
        """Where the lines stand that its writer wrote right below its proving line: `13-19`; empty
        where there are none.
        """
        line, event = failure.occurrence.line, failure.event
        rest = [each for each in event.lines if each.number > line.number]
        own = rest or [each for each in event.after if each.stream == line.stream]
        numbers = [
            f"{self._own_numbers.of(line.source, each.number):,}"
            for each in own
            if each.text.strip()
        ]
        return "-".join(dict.fromkeys((numbers[0], numbers[-1]))) if numbers else ""

    def _versions(self, event: LogEvent) -> dict[str, str]:
        """The releases that the log tells, in this event's paths as well."""
        return {**releases_in(event.frames), **self._context.versions}

    def _evidence(self, failure: Failure) -> tuple[Evidence, ...]:
        return tuple(
            shown_evidence(each, self._own_numbers)
            for each in failure.group.evidence_from(failure.occurrence, self._cleaning.lines)
        )

    def _spots(self, failure: Failure) -> tuple[int, ...]:
        source = failure.occurrence.line.source
        spots = failure.group.spots.get(source, ())
        return tuple(sorted(self._own_numbers.of(source, each) for each in spots))

    def _sightings(self, failure: Failure) -> tuple[Sighting, ...]:
        """By source, then by line, whatever was read first."""
        numbered = [
            each._replace(line=self._own_numbers.of(each.source, each.line))
            for each in failure.group.sightings
        ]
        sources = list(dict.fromkeys(each.source for each in numbered))
        return tuple(sorted(numbered, key=lambda each: (sources.index(each.source), each.line)))

    def _because(self, failure: Failure) -> tuple[Reason, ...]:
        return tuple(self._reason(each, failure.history.name) for each in failure.grounds)

    def _reason(self, ground: Ground, source: str) -> Reason:
        """`source` is that of the finding: its lines are told without it."""
        lines = [self._placed(each, source) for each in ground.proof.lines]
        values = {
            name: self._cleaning.text(each) if isinstance(each, str) else each
            for name, each in ground.proof.values.items()
        }
        text = ground.says.fill(**dict(zip(("line", "other"), lines, strict=False)), **values)
        line = ground.proof.lines[0]
        own = self._own_numbers.of(line.source, line.number)
        return Reason(ground.rule, text, self._cleaning.text(line.source), own)

    def _placed(self, line: Line, source: str) -> str:
        number = f"{self._own_numbers.of(line.source, line.number):,}"
        return number if line.source == source else f"{number} ({self._cleaning.text(line.source)})"

    def _cause(
        self,
        failure: Failure,
        signature: Signature,
        cause: LocalText,
        captures: Mapping[str, str],
    ) -> LocalText:
        """The signature's own text, behind what the ranks' reports and the hosts show of this very
        failure, and before what the course of the metric and its exit codes add to it.
        """
        compared = self._compared(signature)
        added = [failure.group.failed, _onset(signature, captures)]
        if failure.verdict is Verdict.ROOT_CAUSE:
            first, _ = said_first(failure.occurrence.event)
            said = (
                f"exitcode: {first.exitcode}"
                if first
                else "\n".join(line.text for line in failure.occurrence.event.lines)
            )
            added += explained_exits(said, cause.en)
        alone = self._only_host(failure)
        shown = [compared.text if compared else None, self._cleaning.both(alone) if alone else None]
        told = [each for each in (*shown, cause, *added) if each]
        return LocalText(
            " ".join(each.en for each in told),
            "".join(each.zh for each in told),
        )

    def _called(self, title: str, event: LogEvent) -> str:
        """The title of an error; where that is its type alone, with the line that raised it."""
        from logdoctor.verdict.frames import CODE_LIMIT, raised_by  # noqa: PLC0415  # as below

        code = raised_by(event).code if title == event.exception else ""
        return f"{title}: `{self._cleaning.text(code[:CODE_LIMIT])}`" if code else title

    def unknown_error(self, failure: Failure, *, is_compared: bool) -> UnknownError:
        """Of a failure that no signature knows; `is_compared` says whether those that resemble it
        are sought, which takes longer than all else.
        """
        # most errors are known
        from logdoctor.verdict.frames import raised_by  # noqa: PLC0415
        from logdoctor.verdict.next_steps import next_steps, waiting_steps  # noqa: PLC0415

        event, alone = failure.occurrence.event, self._only_host(failure)
        steps = (
            waiting_steps(failure.history.waits)
            if failure.is_waiting
            else next_steps(event, self._versions(event))
        )
        return UnknownError(
            fingerprint=fingerprint_of(event),
            title=self._called(failure.group.title, event),
            verdict=failure.verdict,
            occurrences=failure.group.occurrences,
            lanes=max(1, len(failure.group.lanes)),
            explained_by=failure.explained_by,
            evidence=self._evidence(failure),
            nearest=self._resemblance.nearest(event.message, _components(event, self._context))
            if is_compared
            else (),
            next_steps=tuple(map(self._cleaning.both, filter(None, (alone, *steps)))),
            package=raised_by(event).package,
            ranks=tuple(sorted(failure.group.ranks)),
            spots=self._spots(failure),
            sightings=self._sightings(failure),
            because=self._because(failure),
        )


def _of_code(event: LogEvent, code: str) -> dict[str, str]:
    """What the line of code that raised an exception tells; it may be empty."""
    if not code:
        return {"from_file": "no"}
    from logdoctor.verdict.code_lines import (  # noqa: PLC0415  # as above
        culprit_of,
        deleted_in,
        read_from_file,
    )

    loaded = read_from_file(event.exception, event.message, code)
    told = {
        "culprit": culprit_of(event.exception, event.message, code),
        "loaded": loaded,
        "from_file": "yes" if loaded else "no",
        "deleted": deleted_in(code),
    }
    return {name: value for name, value in told.items() if value}


def _of_refusal(message: str) -> dict[str, str]:
    """What a library says is wrong with what it was given; `not-told` where it is of no kind."""
    # hardly any log has many
    from logdoctor.formats.refusal_forms import refusal_of  # noqa: PLC0415
    from logdoctor.verdict.frames import NOT_TOLD  # noqa: PLC0415

    found = refusal_of(message)
    if found is None:
        return {"refusal": NOT_TOLD}
    told = {"refusal": found.kind, "refused": found.named, "allowed": found.allowed}
    return {name: value for name, value in told.items() if value}


def _speaks_of(signature: Signature, fact: str) -> bool:
    """Whether a text or a condition asks for a fact."""
    texts = (signature.title, signature.cause, *(each.action for each in signature.remedies))
    return any(f"{{{fact}}}" in each.en for each in texts) or any(
        fact in each.when.captures for each in signature.remedies
    )


def _components(event: LogEvent, context: RunContext) -> frozenset[str]:
    """The packages of its frames; without any, that of its exception's type, and the run's
    frameworks.
    """
    named = (event.exception or "").split(".")[:1]
    return packages_in(event.frames) or frozenset((*named, *context.frameworks))


def _onset(signature: Signature, captures: Mapping[str, str]) -> LocalText | None:
    """What is said of a metric that left its course before it went beyond a bound."""
    if not signature.metrics or "onset_line" not in captures:
        return None
    if "onset" in captures:
        return phrases.LEFT_AT_STEP.fill(step=captures["onset"])
    return phrases.LEFT_AT_LINE.fill(line=f"{int(captures['onset_line']):,}")


def grounds_of(failure: Failure) -> str:
    """The class of evidence of a known failure."""
    signature, match = failure.signature, failure.occurrence.match
    assert signature is not None  # known failures have both
    assert match is not None
    home = home_of(signature, failure.case.frameworks | failure.group.packages)
    return evidence_class(signature, match.kind, match.weight, home)


def fingerprint_of(event: LogEvent) -> str:
    """The same of the same error in other runs, ranks and places."""
    message = event.headline.removeprefix(event.exception or "").lstrip(": ")
    return fingerprint(
        event.exception, message, _frame_name(event.frames[-1]) if event.frames else None
    )


def _frame_name(frame: str) -> str:
    """`file.py:function` of a frame's text."""
    path, _, rest = frame.partition('", line ')
    return path.rsplit("/", 1)[-1] + ":" + rest.partition(", in ")[2].split(" ", 1)[0]
