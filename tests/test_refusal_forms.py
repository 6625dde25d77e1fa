"""What a library says is wrong with what it was given: kinds of complaints, and what they name."""

from __future__ import annotations

import pytest

from logdoctor.formats.refusal_forms import REFUSAL_FORMS, RefusalForm, refusal_of

SAMPLES = [(form, *sample) for form in REFUSAL_FORMS for sample in form.samples]
NEAR_MISSES = [(form, text) for form in REFUSAL_FORMS for text in form.near_misses]


@pytest.mark.parametrize(("form", "message", "named"), SAMPLES)
def test_each_sample_is_of_its_kind_and_names_it(
    form: RefusalForm, message: str, named: str
) -> None:
    found = refusal_of(f"ValueError: {message}")
    assert found
    assert (found.kind, found.named) == (form.kind, named)


@pytest.mark.parametrize(("form", "message"), NEAR_MISSES)
def test_no_near_miss_is(form: RefusalForm, message: str) -> None:
    found = refusal_of(f"ValueError: {message}")
    assert found is None or found.kind != form.kind
