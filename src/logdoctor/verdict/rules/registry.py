"""The rules in their order: rules, decide.

A finding's verdict is that of the first rule of a stage that has a proof. A rule's file is
imported when it is asked for the first time: a start would take longer by all of them.
"""

from functools import cache
from importlib import import_module
from operator import attrgetter
from typing import NamedTuple, cast

from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Ground
from logdoctor.verdict.rule import Rule, RuleModule


class Row(NamedTuple):
    """A rule's place in the order.

    Attributes:
        rule: its id; its file has underscores for hyphens.
        needs: what a failure must have for the rule to be asked, as attributes of `Failure`;
            empty where it is always asked.
    """

    rule: str
    needs: str = ""


ROLES = (
    Row("benign", "is_benign"),
    Row("put-away", "is_putting_away"),
)
"""What it is, whatever became of the run."""

OUTLIVED = (
    Row("later-run-in-file", "history.has_reruns"),
    Row("later-attempt", "is_of_attempt"),
    Row("reported-attempt-outlived", "is_no_cause"),
    Row("after-the-end", "history.end"),
    Row("run-completed", "history.is_said_ended"),
    Row("restarted-and-stepped", "history.restart"),
    Row("wrote-on-quietly", "history.was_quiet"),
    Row("skipped-by-program", "is_left_out"),
    Row("retried-and-went-on", "is_retried"),
    Row("caught-until-stopped", "history.cancel"),
    Row("own-steps-followed", "history.steps"),
    Row("steps-followed", "history.steps"),
    Row("loop-went-on", "history.loops"),
    Row("habit", "is_habit"),
    Row("mentioned-and-outlived", "is_mentioned"),
    Row("work-was-done", "history.loops"),
    Row("warning-outlived", "event.is_traceback"),
)
"""What the run's further course made of it."""

PRIORITIES = (
    Row("cut-off", "event.is_cut"),
    Row("passed-on", "is_passed_on"),
    Row("own-warning", "is_warning"),
    Row("warning", "is_warning"),
    Row("announced-only", "is_mentioned"),
    Row("logged-as-warning", "is_logged_as_warning"),
    Row("ended-by-launcher", "sender"),
    Row("symptom", "is_symptom"),
    Row("wrapper", "is_no_cause"),
    Row("only-a-code", "reason"),
    Row("probe", "is_probe"),
    Row("late-in-table", "event.is_late"),
    Row("fatal-at-home", "is_fatal"),
    Row("handled-by-newer", "is_chained"),
    Row("ends-in-waiting", "is_waiting"),
    Row("reported-failure", "is_report"),
    Row("unknown-error", "is_unknown"),
    Row("cause"),
)
"""Where it stands among the candidates for the root cause; one of them always holds."""

STOPPED = (Row("silence-after-stop"),)
"""What a stop made of it, in the light of all other failures."""

ROOTS = (
    Row("left-undone"),
    Row("explains-another"),
    Row("first-by-clock"),
    Row("first-in-order"),
    Row("outranks"),
    Row("only-failure"),
)
"""Why it is the root cause; one of them always holds."""

BESIDE_THE_ROOT = (
    Row("read-what-was-not-made"),
    Row("signal-was-sent", "sender"),
    Row("effect-of-root", "is_effect"),
    Row("code-of-reason", "reason"),
    Row("explained-by-root", "signature"),
    Row("caught-on-the-way", "is_chained"),
    Row("says-nothing-new", "is_unknown"),
    Row("after-the-root", "is_unknown"),
    Row("warned-before-root", "is_effect"),
    Row("earlier-program-died"),
    Row("not-tied-to-root"),
)
"""What it is to the root cause; one of them always holds."""

ORDER = (*ROLES, *OUTLIVED, *PRIORITIES, *STOPPED, *ROOTS, *BESIDE_THE_ROOT)


def rules() -> tuple[Rule, ...]:
    """All rules, in their order."""
    return tuple(rule_of(row.rule) for row in ORDER)


@cache
def rule_of(name: str) -> Rule:
    """The rule of that id."""
    found = import_module(f"logdoctor.verdict.rules.{name.replace('-', '_')}")
    module = cast("RuleModule", found)
    return Rule(
        module.ID,
        module.PROVES,
        module.SAYS,
        module.__doc__ or "",
        module.FIRES,
        module.SILENT,
        module.proof,
    )


def decide(stage: tuple[Row, ...], failure: Failure) -> Ground | None:
    """The first rule of a stage that holds, with its proof; None where none does."""
    for name, needs in stage:
        if needs and not attrgetter(needs)(failure):
            continue
        rule = rule_of(name)
        proof = rule.proof(failure, failure.history)
        if proof:
            return Ground(rule.id, rule.proves, rule.says, proof)
    return None
