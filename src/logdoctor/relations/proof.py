"""Relations prove themselves: prove.

Each example that should break its relation does, each that should fit does, and what a relation
names is there.
"""

from __future__ import annotations

from collections.abc import Iterable

from logdoctor.errors import Fault
from logdoctor.relations.formula import Absent, Unfit, Unknown, evaluate, names_of
from logdoctor.relations.relation import Example, Relation
from logdoctor.settings.values import Value


def prove(relations: Iterable[Relation], signature_ids: frozenset[str]) -> tuple[Fault, ...]:
    """What is wrong with relations as such: an example that breaks does not, one that fits does
    not, names a signature that is not there, adjusts what the formula has not.
    """
    faults = []
    for relation in relations:
        faults += [
            Fault(each.position, what, f"expected that it {'breaks' if breaks else 'fits'}")
            for examples, breaks in ((relation.breaks, True), (relation.fits, False))
            for each in examples
            if (what := _example_fault(relation, each, breaks))
        ]
        names = names_of(relation.holds)
        for key in relation.adjust:
            if key not in names:
                faults.append(Fault(relation.position, f'adjusts "{key}"', "not in its formula"))
        if relation.signature_id and relation.signature_id not in signature_ids:
            what = f'unknown signature "{relation.signature_id}"'
            faults.append(Fault(relation.position, what))
    return tuple(faults)


def _example_fault(relation: Relation, example: Example, breaks: bool) -> str:
    def lookup(name: str) -> Value:
        if name not in example.settings:
            raise Absent(frozenset({name}))
        return example.settings[name]

    try:
        if relation.when and evaluate(relation.when, lookup) is not True:
            return "the relation does not count for it"
        holds = evaluate(relation.holds, lookup)
    except Unknown as error:
        return f"it has no {error}"
    except Unfit as error:
        return f"it cannot be evaluated: {error}"
    return "" if holds is not breaks else "it holds" if holds else "it does not hold"
