"""What a rule of the verdict is: Rule, expanded.

Annotations are evaluated: `NamedTuple` compiles texts one by one, which takes as long as all else
that it does.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Priority, Proof


class RuleModule(Protocol):
    """What a module of `verdict/rules/` has; its docstring says what the rule says in one line,
    then why, and where its thresholds come from.

    Attributes:
        ID: the module's name with hyphens.
        PROVES: the verdict that holds where it fires, or the priority among the candidates.
        SAYS: why, to a person: `{line}` is the proof's first line, `{other}` its second one.
        FIRES: logs with a finding whose verdict it decides; see `expanded`.
        SILENT: near misses.
    """

    __doc__: str | None
    ID: str
    PROVES: Verdict | Priority
    SAYS: Phrase
    FIRES: tuple[str, ...]
    SILENT: tuple[str, ...]

    @staticmethod
    def proof(failure: Failure, history: SourceHistory) -> Proof | None:
        """The lines that show that it holds of a failure in a source with this history."""


class Rule(NamedTuple):
    """A law of the verdict; fields as in `RuleModule`.

    Attributes:
        id: its name, for ever.
        meaning: what it says in one line, then a blank line and why.
    """

    id: str
    proves: Verdict | Priority
    says: Phrase
    meaning: str
    fires: tuple[str, ...]
    silent: tuple[str, ...]
    proof: Callable[[Failure, SourceHistory], Proof | None]

    @property
    def decides(self) -> str:
        """The verdict's word, or `candidate: ` and the priority's."""
        if isinstance(self.proves, Verdict):
            return str(self.proves.value)
        return f"candidate: {self.proves.name.lower().replace('_', ' ')}"


ASIDE = "⋯ "
"""How a line of a sample begins that is none of the log: `⋯ 100 times` says how often the line
above it comes again, `⋯ file NAME` that another source begins.
"""


def expanded(sample: str) -> dict[str, str]:
    """The logs that a sample stands for, by their names."""
    logs: dict[str, list[str]] = {}
    for line in sample.splitlines(keepends=True):
        what, _, which = line.removeprefix(ASIDE).rstrip("\n").partition(" ")
        if not line.startswith(ASIDE):
            logs = logs or {"train.log": []}
            logs[next(reversed(logs))].append(line)
        elif what == "file":
            logs[which] = []
        else:
            log = logs[next(reversed(logs))]
            log += [log[-1]] * int(what.replace(",", ""))
    return {name: "".join(lines) for name, lines in logs.items()}
