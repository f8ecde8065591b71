"""What was replaced goes back into the spans that it came from."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sfumato.text.formats.part_assembly import Weave, rewoven
from sfumato.text.kinds import ReferenceKind
from sfumato.text.replacement import How, ReplacedDocument, TextReplacement


def replaced(text, start, end, surrogate):
    change = TextReplacement(
        start=start,
        end=end,
        new_start=start,
        new_end=start + len(surrogate),
        kind=ReferenceKind.NAME,
        how=How.SURROGATE,
        original=text[start:end],
        surrogate=surrogate,
    )
    return ReplacedDocument(text=text[:start] + surrogate + text[end:], replacements=(change,))


@pytest.mark.parametrize(
    ("surrogate", "cells"),
    [
        ("Gray\tBeth", ["a Gray", "Beth b"]),
        ("Gray", ["a Gray", " b"]),
        ("Gray\tBeth\tAnn", ["a Gray", "Beth\tAnn b"]),
    ],
)
def test_each_cell_gets_its_part_where_the_surrogate_is_cut_alike(surrogate, cells):
    text = "a Townsend\tVirginia b"
    assert rewoven([(0, 10), (11, 21)], replaced(text, 2, 19, surrogate)) == cells


@given(
    st.lists(st.text("abc", min_size=1, max_size=4), min_size=2, max_size=6),
    st.data(),
)
def test_what_is_written_reads_back_where_the_surrogate_keeps_what_stands_between(cells, data):
    weave = Weave()
    for number, cell in enumerate(cells):
        if number:
            weave.between(data.draw(st.sampled_from(["\t", "\n", ""])))
        weave.add(cell)
    start = data.draw(st.integers(0, len(weave.text) - 1))
    end = data.draw(st.integers(start + 1, len(weave.text)))
    assume(
        weave.text[start:end].strip() == weave.text[start:end]
    )  # No finding begins or ends with a blank.
    surrogate = "".join("x" if letter.isalpha() else letter for letter in weave.text[start:end])
    done = replaced(weave.text, start, end, surrogate)
    again, last = "", 0
    for (first, until), new in zip(weave.spans, rewoven(weave.spans, done), strict=True):
        again += weave.text[last:first] + (weave.text[first:until] if new is None else new)
        last = until
    assert again == done.text
