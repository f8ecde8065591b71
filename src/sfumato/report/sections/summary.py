"""The top of the page: the outcome in words, the recipient of the table, and a summary in one
paragraph."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.protection import Outcome
from sfumato.wording import agreeing

from ..facts import ReportFacts
from ..markup import Html, join, section, tag
from ..number_text import counted, listed, number, percent, share_of
from ..readings import known_fields
from .outcome_banner import banner_of, lost_fields

_HEADLINE: dict[Outcome, str] = {
    "pass": "Pass: every requirement holds",
    "review": "Review: a person has to decide",
    "fail": "Fail: do not share this table",
}
_MEANING: dict[Outcome, str] = {
    "pass": "The written table was counted again and keeps every requirement of the policy. "
    "Whether it may be shared "
    "is for those who approve releases to decide.",
    "review": "No requirement was found broken, but not everything could be decided by counting. "
    "Read the verdicts "
    "and the warnings before anything is shared.",
    "fail": "The written table was counted again and breaks at least one requirement of the "
    "policy. The verdicts say "
    "which, and by how much.",
}


def banner(facts: ReportFacts, charts: Mapping[str, Html]) -> Html:
    """The outcome, with what it means; the sign and the words carry it without the colour."""
    lines = [
        tag("p", _HEADLINE[facts.outcome], class_="headline"),
        *lost_fields(facts.utility.lost, keep=facts.keep),
        tag("p", _MEANING[facts.outcome]),
    ]
    return banner_of(facts, lines)


def recipient(facts: ReportFacts, charts: Mapping[str, Html]) -> Html:
    known = known_fields(facts)
    if known:
        knows = f"Assumed to know of a person, from elsewhere: {listed(known)}."
    else:
        knows = "Assumed to know nothing of a person from elsewhere."
    return section(
        "recipient",
        "Whom the table is for",
        tag("p", tag("strong", facts.recipient), ". ", facts.recipient_description),
        tag("p", knows),
        tag(
            "p",
            "This report itself is for the data holder and the review board. It counts the "
            "table as it was before, so "
            "it should not travel with the release; the manifest is made for that.",
            class_="fine",
        ),
    )


def summary(facts: ReportFacts, charts: Mapping[str, Html]) -> Html:
    return section("summary", "In short", tag("p", join(_sentences(facts)), class_="lead"))


def _sentences(facts: ReportFacts) -> list[str]:
    share = percent(share_of(facts.rows_released, facts.rows_source))
    suppressed = facts.rows_source - facts.rows_released
    said = [
        f"{number(facts.rows_released)} of {counted(facts.rows_source, 'row')} "
        f"{agreeing(facts.rows_released, 'is', 'are')} released ({share})"
    ]
    said.append(
        f"; {counted(suppressed, 'row is', 'rows are')} suppressed. " if suppressed else ". "
    )
    said.append(_protection(facts))
    if known_fields(facts):
        said.append(
            f"On average these fields keep {percent(facts.utility.precision)} of their precision."
        )
    return said


def _protection(facts: ReportFacts) -> str:
    known = known_fields(facts)
    if not facts.after.count or not known:
        return "The recipient knows no field by which to find a row. "
    combination = (
        f"combination of {listed(known, most=5)}" if len(known) > 1 else f"value of {known[0]}"
    )
    before = f"before, {counted(facts.before.unique_rows, 'row')} had a unique combination. "
    if facts.after.smallest > 1:
        return (
            f"Every {combination} is shared by at least {number(facts.after.smallest)} "
            f"released rows; {before}"
        )
    alone = counted(facts.after.unique_rows, "released row is", "released rows are")
    return f"{alone} still the only one with a certain {combination}; {before}"
