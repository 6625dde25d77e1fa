"""An error that the ranks of one host alone print is said to be that host's."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from logdoctor.model import Lane
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton
from logdoctor.verdict.one_host import only_host
from tests.test_collectives import timeout
from tests.thoroughness import drawn

KNOWN = "RuntimeError: CUDA error: uncorrectable ECC error encountered"
UNKNOWN = "FrobFailure: the flux of the device is 3"
ONLY = (
    "Only ranks of host node-2 print this; those of the other hosts (3 seen) print other errors: "
    "see what differs on node-2."
)


def log(message: str, hosts: set[int]) -> str:
    """Ranks of some hosts, eight each, print a message; then all others time out."""
    lines = [
        f"node-{rank // 8}: 2026-11-23 10:02:00 ERROR trainer: [rank{rank}]: {message}\n"
        for rank in range(32)
        if rank // 8 in hosts
    ]
    rest = [rank for rank in range(32) if rank // 8 not in hosts]
    return "".join(
        lines
        + [
            f"node-{rank // 8}: 2026-11-23 10:12:00 ERROR trainer: {timeout(rank)}\n"
            for rank in rest
        ]
    )


def test_a_known_error_of_one_host_is_said_to_be_that_hosts(automaton: Automaton) -> None:
    (root, *_) = scan_text(automaton, log(KNOWN, {2})).diagnoses
    assert root.cause.en.startswith(f"{ONLY} The hardware found")
    assert "只有主机 node-2" in root.cause.zh


def test_so_is_an_unknown_one(automaton: Automaton) -> None:
    (unknown,) = scan_text(automaton, log(UNKNOWN, {2})).unknown_errors
    assert unknown.next_steps[0].en == ONLY


def test_what_ranks_of_two_hosts_print_is_no_ones_own(automaton: Automaton) -> None:
    (root, *_) = scan_text(automaton, log(KNOWN, {1, 2})).diagnoses
    assert "Only ranks of host" not in root.cause.en


def test_the_hosts_of_what_followed_are_not_told_apart(automaton: Automaton) -> None:
    """The time-out is an effect."""
    (_, effect) = scan_text(automaton, log(KNOWN, {2})).diagnoses
    assert "Only ranks of host" not in effect.cause.en


hosts = st.integers(0, 3).map("h{}".format)
lanes = st.frozensets(
    st.builds(Lane, host=st.none() | hosts, rank=st.none() | st.integers(0, 9)), max_size=8
)


@settings(deadline=None, max_examples=drawn(300))
@given(lanes, st.lists(lanes, max_size=3))
def test_it_is_said_where_two_ranks_of_one_host_and_two_of_others_differ(
    own: frozenset[Lane], others: list[frozenset[Lane]]
) -> None:
    ranks = {(each.host, each.rank) for each in own if each.rank is not None}
    home = {host for host, _ in ranks}
    away = {
        (each.host, each.rank)
        for written in others
        for each in written
        if each.rank is not None and each.host is not None and each.host not in home
    }
    expected = len(home) == 1 and None not in home and len(ranks) > 1 and len(away) > 1
    assert (only_host(own, others) is not None) == expected
