"""The text of all release reports beneath the outcome, and the frame around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sfumato.protection import Outcome
from sfumato.wording import agreeing

from ..facts import ReportFacts
from ..markup import Html, tag
from ..number_text import counted, listed
from ..tables_facts import TablesFacts

MOST_LOST = 8
"""Of more lost fields, so many are named: those that were to be kept first."""
SIGN: dict[Outcome, str] = {"pass": "✓", "review": "!", "fail": "✕"}


def banner_of(facts: ReportFacts | TablesFacts, lines: Iterable[Html]) -> Html:
    """The banner: its own lines, the open questions for a person, and the sign of the outcome."""
    sign = tag("div", SIGN[facts.outcome], class_="sign", aria_hidden="true")
    said = tag("div", *lines, *_undecided(facts))
    return tag("div", sign, said, class_=f"banner {facts.outcome}", id="outcome")


def lost_fields(lost: Sequence[str], *, keep: Sequence[str]) -> list[Html]:
    """The fields that can no longer be used, those that were to be kept first."""
    if not lost:
        return []
    kept = [name for name in lost if name in keep]
    named = [*kept, *(name for name in lost if name not in kept)]
    meant = f" The policy keeps {listed(kept, most=MOST_LOST)}." if kept else ""
    return [
        tag(
            "p",
            tag("strong", f"Lost: {listed(named, most=MOST_LOST)}."),
            f"{meant} More than half of {agreeing(len(lost), 'it', 'each')} is gone, or one label has "
            "over 80 % of its rows. "
            "sfumato advise POLICY SOURCE finds changes that bring fields back.",
            class_="lost",
        )
    ]


def _undecided(facts: ReportFacts | TablesFacts) -> Iterator[Html]:
    if facts.proposed:
        yield tag(
            "p",
            "The policy is a proposal that Sfumato made from a survey of the data. No "
            "person has confirmed it.",
        )
    if facts.open_fields:
        count = counted(len(facts.open_fields), "field is open", "fields are open")
        names = listed(facts.open_fields, most=12)
        them = "it" if len(facts.open_fields) == 1 else "them"
        yield tag("p", f"{count}; a person must decide what is in {them}: {names}.")
    if facts.warnings:
        link = tag("a", counted(len(facts.warnings), "warning"), href="#warnings")
        yield tag("p", link, " should be read before deciding.")
