"""The protection: the verdicts, the bin sizes, the chance to pick the right row, and ADS0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.protection import Outcome

from ..facts import ReportFacts
from ..markup import Html, figure, section, table, tag
from ..number_text import counted, listed, number, one_in, percent, share_of
from ..readings import chances, classes, known_fields

_SIGNED: dict[Outcome, str] = {"pass": "✓ pass", "review": "! review", "fail": "✕ fail"}


MOST_NAMED = 6
"""Names in a cell beside the requirement, which has them all or says how many there are."""


def badge(outcome: Outcome) -> Html:
    return tag("span", _SIGNED[outcome], class_=f"badge {outcome}")


def verdicts(facts: ReportFacts, charts: Mapping[str, Html]) -> Html:
    """One line per requirement. A reason names fields and counts, never a value."""
    heading = "What was required, and what was found"
    if not facts.verdicts:
        return section(
            "verdicts",
            heading,
            tag("p", "The policy states no requirement, so nothing was judged."),
        )
    rows = [
        (
            verdict.model,
            badge(verdict.outcome),
            verdict.requirement,
            _over(verdict.fields),
            number(verdict.smallest),
            f"{number(verdict.bins_below)} of {number(verdict.bins)}",
            f"{number(verdict.rows_below)} of {number(verdict.rows)}",
            verdict.reason,
        )
        for verdict in facts.verdicts
    ]
    return section(
        "verdicts",
        heading,
        tag(
            "p",
            "A bin is all rows that share the same values of the fields named. Each line "
            "is one requirement of the "
            "policy, judged on the table as it was written.",
        ),
        table(
            (
                "Model",
                "Outcome",
                "Requirement",
                "Over",
                "Smallest",
                "Bins that break it",
                "Rows in them",
                "Reason",
            ),
            rows,
            caption="Verdicts",
            numeric={4, 5, 6},
        ),
    )


def _over(fields: Sequence[str]) -> str:
    few = len(fields) <= MOST_NAMED + 1
    return ", ".join(fields) if few else listed(fields, most=MOST_NAMED)


def bin_sizes(facts: ReportFacts, charts: Mapping[str, Html]) -> Html:
    found = classes(facts.before, facts.after)
    numbers = table(
        ("Rows in the bin", "Rows of the table before", "Rows of the table after"),
        [(size, number(before), number(after)) for size, before, after in found],
        caption="Rows by the size of their bin",
        numeric={1, 2},
    )
    before, after = facts.before, facts.after
    return section(
        "bins",
        "How many rows look alike",
        tag(
            "p",
            f"Before, the table had {counted(before.count, 'bin')}, with "
            f"{number(float(before.average))} rows each on "
            f"average; after, it has {number(after.count)} with "
            f"{number(float(after.average))}. A row in a large bin "
            "is hidden among many; a row in a bin of 1 is unique.",
        ),
        figure(
            charts.get("bins"),
            "Rows by the size of their bin, before (grey) and after (colour).",
            numbers,
        ),
    )


def chance(facts: ReportFacts, charts: Mapping[str, Html]) -> Html:
    known = listed(known_fields(facts), most=5) or "nothing"
    numbers = table(
        ("", "Before", "After"),
        [
            (what, _chance(before), _chance(after))
            for what, before, after in chances(facts.before, facts.after)
        ],
        caption="Chance to pick the right row",
        numeric={1, 2},
    )
    return section(
        "chance",
        "The chance to find a person",
        tag(
            "p",
            f"Suppose that the recipient knows {known} of a person in the table, and picks "
            "one of the rows that fit. The chart shows the chance that it is the right one: "
            "for the person most exposed, and on average over all rows. A recipient who does "
            "not know that the person is in the table has no better chance.",
        ),
        figure(
            charts.get("chance"),
            "Highest and average chance, before (grey) and after (colour).",
            numbers,
        ),
    )


def _chance(size: float) -> str:
    return f"{one_in(size)} ({percent(1 / size)})" if size else "no row"


def ads0(facts: ReportFacts, charts: Mapping[str, Html]) -> Html:
    """Property 9 of Sweeney 2000 in words, then the finding as it was reached."""
    found = facts.ads0
    if found.holds:
        answer = (
            "No. Each released row that points to its person points to someone else too, or "
            "is not unique."
        )
    else:
        share = percent(share_of(found.offending, found.tuples))
        answer = (
            f"Yes: {counted(found.offending, 'row')} ({share}). Each fits one person only, "
            "and no other row of the "
            "release fits that person."
        )
    if found.k_map:
        fits = f"Each released row fits {counted(found.k_map, 'person', 'people')} or more"
    else:
        fits = (
            f"{counted(found.pointing_to_nobody, 'released row fits', 'released rows fit')} nobody"
        )
    mapped = (
        f"{fits} of those compared with: a register where the policy names one, else the "
        "source itself."
    )
    return section(
        "ads0",
        "Does a row point to one person only?",
        tag("p", tag("strong", answer), " ", mapped),
        tag(
            "p",
            "In the terms of the literature, the release "
            f"{'is' if found.holds else 'is not'} a basic anonymous data "
            f"system (ADS₀). As found: {found.reason}.",
            class_="fine",
        ),
    )
