"""What k^m-anonymity made of the set-valued fields of a table: counts only, neither values nor
labels."""

from __future__ import annotations

from collections.abc import Sequence

from ..markup import Html, bullets, join, table, tag
from ..number_text import counted, number, percent
from ..tables_facts import SetFacts

LOSS = (
    "Where a person has several values of a field, such as diagnoses, who knows some of "
    "them could look for those who "
    "have the same. Values are merged into wider ones until enough people have. The loss "
    "is how much of the field a "
    "released value covers, on average over what people hold: 0 % is one value, 100 % could be any."
)


def sets(found: Sequence[SetFacts]) -> Html:
    """What was asked of each field, then how far its values were merged for it."""
    numbers = table(
        ("Field", "Values before", "Labels after", "Loss", "Times counted"),
        [
            (
                one.field,
                number(one.values_before),
                number(one.labels_after),
                percent(one.loss),
                number(one.counts),
            )
            for one in found
        ],
        caption="Values that people hold as sets (k^m-anonymity)",
        numeric={1, 2, 3, 4},
    )
    notes = [f"{one.field}: {note}" for one in found for note in one.notes]
    return join(
        [
            tag("h4", "Values known together"),
            *(tag("p", _asked(one)) for one in found),
            numbers,
            *([bullets(notes, class_="fine")] if notes else []),
        ]
    )


def _asked(one: SetFacts) -> str:
    known = "one value" if one.m == 1 else f"up to {counted(one.m, 'value')}"
    among = " who also share the person's quasi-identifiers" if one.within_bins else ""
    return (
        f"Asked of {one.field}: whoever knows {known} of it that a person has finds "
        f"{number(one.k)} people or more"
        f"{among} with the same."
    )
