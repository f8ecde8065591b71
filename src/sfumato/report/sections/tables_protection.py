"""The protection of several tables: the verdicts, the worst first, and the bin sizes of the
person's table."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.protection import Outcome, Verdict

from ..markup import Html, figure, join, section, table, tag
from ..number_text import counted, number, one_in
from ..readings import classes
from ..tables_facts import TablesFacts
from ..tables_readings import person_table
from .protection import badge

_WORST_FIRST: tuple[Outcome, ...] = ("fail", "review", "pass")


def verdicts(facts: TablesFacts, charts: Mapping[str, Html]) -> Html:
    """One line per requirement. A reason names fields and counts, never a value."""
    heading = "What was required, and what was found"
    if not facts.verdicts:
        return section(
            "verdicts",
            heading,
            tag("p", "The policy states no requirement, so nothing was judged."),
        )
    worst_first = sorted(facts.verdicts, key=lambda verdict: _WORST_FIRST.index(verdict.outcome))
    return section(
        "verdicts",
        heading,
        tag(
            "p",
            "Each line is one requirement of the policy, judged on the tables as they were "
            "written. A bin is all rows or people with the same values of the fields named; "
            "for k^m-anonymity it is a combination of values of a person. The count found is "
            "that of the smallest bin.",
        ),
        table(
            (
                "Requirement",
                "Outcome",
                "Count found",
                "Bins that break it",
                "Rows or people in them",
                "Reason",
            ),
            [_line(verdict) for verdict in worst_first],
            caption="Verdicts, the worst first",
            numeric={2, 3, 4},
        ),
    )


def _line(verdict: Verdict) -> tuple[str, ...]:
    """The fields are named where neither the requirement nor the reason does."""
    over = ", ".join(verdict.fields)
    asked = [verdict.model, tag("p", verdict.requirement, class_="fine")]
    if over not in verdict.requirement and over not in verdict.reason:
        asked.append(tag("p", f"over {over}", class_="fine"))
    return (
        join(asked),
        badge(verdict.outcome),
        number(verdict.smallest),
        f"{number(verdict.bins_below)} of {number(verdict.bins)}",
        f"{number(verdict.rows_below)} of {number(verdict.rows)}",
        verdict.reason,
    )


def bin_sizes(facts: TablesFacts, charts: Mapping[str, Html]) -> Html:
    """The bins of the person's table, before and after; nothing to draw where it has no
    quasi-identifier."""
    heading = "How many people look alike"
    at = person_table(facts)
    name = facts.tables[at].name if at is not None else "the person's table"
    before, after = facts.before, facts.after
    if before is None or after is None:
        return section(
            "bins",
            heading,
            tag("p", f"No quasi-identifier of {name} was counted, so it has no bins."),
        )
    numbers = table(
        ("Size of the bin", "In bins of this size before", "In bins of this size after"),
        [(size, number(first), number(second)) for size, first, second in classes(before, after)],
        caption=f"Rows of {name} by the size of their bin",
        numeric={1, 2},
    )
    return section(
        "bins",
        heading,
        tag(
            "p",
            f"People who share all quasi-identifiers in {name} are one bin. Before, there "
            f"were {counted(before.count, 'bin')} with {number(float(before.average))} rows "
            f"each on average; after, there are {number(after.count)} with "
            f"{number(float(after.average))}. Whoever knows these values of a person, and "
            "that the person is there, picks the right row with a chance of at most "
            f"{one_in(after.smallest)}; before, it was {one_in(before.smallest)}.",
        ),
        figure(
            charts.get("bins"),
            f"Rows of {name} by the size of their bin, before and after.",
            numbers,
        ),
    )
