"""The top of the page of several tables: the outcome in words, their recipient, and a summary."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.protection import Outcome

from ..markup import Html, join, section, tag
from ..number_text import counted, listed, number, one_in, percent, share_of
from ..tables_facts import TablesFacts
from ..tables_readings import people_below
from .detail import card
from .outcome_banner import banner_of, lost_fields

_HEADLINE: dict[Outcome, str] = {
    "pass": "Pass: every requirement holds",
    "review": "Review: a person has to decide",
    "fail": "Fail: do not share these tables",
}
_MEANING: dict[Outcome, str] = {
    "pass": "The written tables were counted again, each by itself and along their links, and keep "
    "every requirement "
    "of the policy. Whether they may be shared is for those who approve releases to "
    "decide.",
    "review": "No requirement was found broken, but not everything could be decided by counting. "
    "Read the verdicts "
    "and the warnings before anything is shared.",
    "fail": "The written tables were counted again and break at least one requirement of the "
    "policy. The verdicts "
    "say which, and by how much.",
}


def banner(facts: TablesFacts) -> Html:
    """The outcome, with what it means; the sign and the words carry it without the colour."""
    lines = [
        tag("p", _HEADLINE[facts.outcome], class_="headline"),
        *lost_fields(facts.lost, keep=facts.keep),
        tag("p", _MEANING[facts.outcome]),
    ]
    broken = sum(verdict.outcome == "fail" for verdict in facts.verdicts)
    if broken:
        link = tag(
            "a",
            f"{number(broken)} of {counted(len(facts.verdicts), 'requirement')}",
            href="#verdicts",
        )
        lines.append(tag("p", link, " is broken." if broken == 1 else " are broken."))
    return banner_of(facts, lines)


def recipient(facts: TablesFacts, charts: Mapping[str, Html]) -> Html:
    quasi = [
        f"{table.name}.{name}"
        for table in facts.tables
        for name, role, _ in table.fields
        if role == "quasi"
    ]
    if quasi:
        knows = (
            "Quasi-identifiers, which may be known of a person from elsewhere: "
            f"{listed(quasi, most=12)}."
        )
    else:
        knows = "No field is a quasi-identifier, which may be known of a person from elsewhere."
    return section(
        "recipient",
        "Whom the tables are for",
        tag("p", tag("strong", facts.recipient), ". ", facts.recipient_description),
        tag("p", knows),
        tag(
            "p",
            "This report itself is for the data holder and the review board. It counts the "
            "tables as they were "
            "before, so it should not travel with the release; the manifest is made for that.",
            class_="fine",
        ),
    )


def summary(facts: TablesFacts, charts: Mapping[str, Html]) -> Html:
    return section(
        "summary",
        "In short",
        tag("p", join(_sentences(facts)), class_="lead"),
        tag("div", *_cards(facts), class_="cards"),
    )


def _sentences(facts: TablesFacts) -> list[str]:
    """People first: rows are facts about them. Only counts on the release are stated."""
    said = [
        f"The release holds {counted(facts.people, 'person', 'people')} in "
        f"{counted(len(facts.tables), 'table')}. ",
        _alike(facts),
    ]
    numbers = [
        table.row_counts
        for table in facts.tables
        if table.row_counts is not None and table.row_counts.after
    ]
    if numbers and not any(people_below(found.after, found.bin_size) for found in numbers):
        fewest = number(min(found.bin_size for found in numbers))
        where = counted(len(numbers), "table") if len(facts.tables) > 1 else "it"
        said.append(
            f"In {where}, each number of rows that someone has is that of {fewest} people or more. "
        )
    sets = sum(len(table.sets) for table in facts.tables)
    if sets:
        said.append(
            f"The values of {counted(sets, 'field')} were generalised as sets that people hold."
        )
    return said


def _alike(facts: TablesFacts) -> str:
    """The bins of the person's table, in people: each has one row there, or is counted once in each
    bin."""
    if facts.before is None or facts.after is None or not facts.after.count:
        return ""
    before = (
        f"before, {counted(facts.before.unique_rows, 'combination was', 'combinations were')} "
        "one person's only. "
    )
    if facts.after.smallest > 1:
        fewest = number(facts.after.smallest)
        return (
            f"Each combination of a person's quasi-identifiers is that of {fewest} people or "
            f"more; {before}"
        )
    alone = counted(
        facts.after.unique_rows,
        "combination of quasi-identifiers is",
        "combinations of quasi-identifiers are",
    )
    return f"{alone} still one person's only; {before}"


def _cards(facts: TablesFacts) -> list[Html]:
    source, released = (
        sum(getattr(t, name) for t in facts.tables) for name in ("rows_source", "rows_released")
    )
    cards = [
        card(
            number(facts.people),
            "people",
            f"in {counted(len(facts.tables), 'table')} of the release.",
        ),
        card(
            percent(share_of(released, source)),
            "rows released",
            f"{number(released)} of {number(source)} in the source.",
        ),
    ]
    if facts.after is not None and facts.after.count:
        cards.append(
            card(
                one_in(facts.after.smallest),
                "highest chance",
                "to pick a person's row, for a recipient who knows the quasi-identifiers.",
            )
        )
    kept = [verdict for verdict in facts.verdicts if verdict.outcome == "pass"]
    cards.append(
        card(
            f"{number(len(kept))} of {number(len(facts.verdicts))}",
            "requirements hold",
            "as counted on what was written.",
        )
    )
    return cards
