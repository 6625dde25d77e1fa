"""The all-clear is never given over what tells of a failure by its form, whatever is around it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from logdoctor.formats.error_lines import ENDINGS, ERROR_LINES
from logdoctor.model import RunState
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton
from tests.test_common_prefixes import CLOCKS, WRITERS, behind
from tests.thoroughness import drawn

WORDS = ("loading", "shard", "worker", "ready", "gamma", "beta", "took", "model", "queue", "it")
NAMES = ("Rollout", "Frob", "Qux", "TensorPipe", "my.pkg.Spam", "_Inner")

sentences = st.lists(st.sampled_from(WORDS), min_size=2, max_size=6).map(" ".join)
plain = st.lists(sentences, max_size=6).map(lambda lines: "".join(f"{each}\n" for each in lines))
exceptions = st.builds(
    "{}{}: {}".format, st.sampled_from(NAMES), st.sampled_from(ENDINGS), sentences
)
frames = st.lists(
    st.builds(
        '  File "/app/{}.py", line {}, in {}\n    {}(x)\n'.format,
        st.sampled_from(WORDS),
        st.integers(1, 999),
        st.sampled_from(WORDS),
        st.sampled_from(WORDS),
    ),
    min_size=1,
    max_size=4,
).map("".join)
tracebacks = st.builds("Traceback (most recent call last):\n{}{}\n".format, frames, exceptions)
crashes = st.sampled_from([each for row in ERROR_LINES if row.is_crash for each in row.samples])
exits = st.builds(
    "{} {} {}".format,
    st.sampled_from(("rank 3", "the worker", "launcher:", "job 12")),
    st.sampled_from(
        ("exited with code", "exited with exit code", "exited with status", "returned code")
    ),
    st.sampled_from((1, 2, -6, -9, 127, 137, 139, 255)),
)
failures = st.one_of(
    tracebacks, *(each.map("{}\n".format) for each in (exceptions, crashes, exits))
)

names = st.from_regex(r"[a-z]{1,8}(?:[-_.][a-z0-9]{1,5}){0,2}", fullmatch=True)
writers = st.one_of(
    st.sampled_from(WRITERS),
    st.integers(0, 99999).map("[{}] ".format),
    names.map("[{}] ".format),
    names.map("({}) ".format),
    names.map("{} | ".format),
    names.map("{}_1  | ".format),
    names.map("{}_1|".format),
    names.map("{}\t".format),
    st.builds(
        "{} {}".format,
        st.sampled_from(("ERROR", "FATAL", "CRITICAL")),
        st.one_of(
            names.flatmap(
                lambda name: st.sampled_from(
                    (f"{name}: ", f"{name} - ", f"[{name}] ", f"[{name}]: ", "")
                )
            )
        ),
    ),
)
clocks = st.sampled_from(
    (
        *CLOCKS,
        "2026-11-22 10:00:{:02d} ",
        "2026-11-22T10:00:{:02d}.123456789Z ",
        "[2026-11-22 10:00:{:02d},123] ",
        "10:00:{:02d} ",
        "Nov 22 10:00:{:02d} ",
        "22.11.2026 10:00:{:02d} ",
        "+{:02d}.250s ",
    )
)
prefixes = st.one_of(
    st.just(()),
    st.tuples(writers),
    st.tuples(clocks),
    st.tuples(clocks, writers),
    st.tuples(writers, clocks),
    st.tuples(writers, writers),
)


@settings(deadline=None, max_examples=drawn(150))
@given(plain, failures, plain, prefixes)
def test_a_failure_by_its_form_is_never_all_clear(
    automaton: Automaton, before: str, failure: str, after: str, prefix: tuple[str, ...]
) -> None:
    """A traceback, an exception's line, a signal, an exit code other than 0."""
    log = behind(before + failure + after, prefix)
    assert scan_text(automaton, log).ending.state is RunState.PROBLEM, log


RELAYED = """Traceback (most recent call last):
  File "/app/train.py", line 12, in {outermost}
    main(x)
  File "/app/loop.py", line 9, in main
    go(x)
mypkg.{name}: the queue is gone
"""
STEPS = "".join(f"step {step}: loss 0.{step}1\n" for step in range(1, 9))


def logged_at_info(text: str) -> str:
    return "".join(f"2026-11-23 10:00:00 INFO relay: {line}\n" for line in text.splitlines())


@settings(deadline=None, max_examples=drawn(40))
@given(exceptions.map(lambda line: line.split(":")[0]))
def test_a_traceback_that_another_logs_at_info_is_an_error_where_it_ended_the_program(
    automaton: Automaton, name: str
) -> None:
    """What a program only reports begins in one of its functions, and what it outlives goes on."""

    def state(outermost: str, sequel: str = "") -> RunState:
        text = RELAYED.format(outermost=outermost, name=name) + sequel
        return scan_text(automaton, logged_at_info(text)).ending.state

    assert state("<module>") is RunState.PROBLEM
    assert state("serve") is not RunState.PROBLEM
    assert state("<module>", STEPS) is not RunState.PROBLEM
