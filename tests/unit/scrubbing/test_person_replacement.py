"""What replacing lays bare is masked as well."""

from __future__ import annotations

from sfumato.scrubbing.replace_pass import replace_all
from sfumato.text.bids import Bid
from sfumato.text.documents import Document
from sfumato.text.kinds import ReferenceKind
from sfumato.text.repeat_mask import RepeatValues
from sfumato.text.surrogates.real_values import RealValues
from sfumato.text.surrogates.styles import ReplacementMethod, Style

TEXT = "Order of s Hague today. The Court's Hague office; Court's Hague again."


def replaced(*, more):
    """ "s Hague" was found in one place; in the others it begins within a word, until that word is
    taken out."""
    document = Document(TEXT, person="7")
    courts = [place for place in range(len(TEXT)) if TEXT.startswith("Court", place)]
    found = [
        Bid(9, 16, ReferenceKind.ORGANISATION, 0.9, "x"),
        *(Bid(at, at + 5, ReferenceKind.NAME, 0.9, "x") for at in courts),
    ]
    findings, made = replace_all(
        [document],
        [tuple(found)],
        secret=bytes(range(32)),
        style=Style(method=ReplacementMethod.TAG),
        days=lambda person: 1,
        real=RealValues(),
        everywhere=RepeatValues(),
        more=more,
    )
    return findings[0], made[0]


def test_a_value_that_becomes_a_word_of_its_own_is_masked():
    findings, made = replaced(more=True)
    assert "s Hague" not in made.text
    assert len(findings) == 5
    assert made.text.endswith(" again.")
    assert [made.text[each.new_start : each.new_end] for each in made.replacements].count(
        "[ORGANISATION 1]"
    ) == 3


def test_where_a_person_decided_nothing_is_added():
    findings, made = replaced(more=False)
    assert len(findings) == 3
    assert made.text.count("s Hague") == 2
