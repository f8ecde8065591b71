"""Risk by group for a board: the groups whose people are easier to find than others."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.report import Html, counted, folded, number, percent, section, table, tag

from ..risk.group_risk import FEWEST_PEOPLE, MOST_VALUES, GroupRisks

LINES = 24


def part(result: GroupRisks, charts: Mapping[str, Html]) -> Html:
    if not result.groups:
        return Html("")
    rows = [
        (f"{one.field}: {one.value}", number(one.rows), percent(one.average), percent(one.alone))
        for one in result.groups[:LINES]
    ]
    everybody = ("everybody", number(result.rows), percent(result.average), percent(result.alone))
    numbers = table(
        ("Group", "People", "Average chance to be found", "Alone"),
        [everybody, *rows],
        caption="Risk by group, worst first",
        numeric={1, 2, 3},
    )
    return section(
        "groups",
        "Is somebody worse protected than others?",
        tag("p", tag("strong", _answer(result)), " ", _meaning(result)),
        folded("The groups", numbers),
    )


def _answer(result: GroupRisks) -> str:
    worse = result.worse
    if not worse:
        return "No group is found twice as easily as everybody."
    first = worse[0]
    more = f" So are {counted(len(worse) - 1, 'other group')}." if len(worse) > 1 else ""
    return (
        f"{first.field} {first.value} is found with a chance of {percent(first.average)} on "
        f"average; the chance over all people is {percent(result.average)}.{more}"
    )


def _meaning(result: GroupRisks) -> str:
    return (
        f"Groups are the values of released fields with up to {MOST_VALUES} values and at least "
        f"{FEWEST_PEOPLE} people each. The chance is that of somebody who knows the known and the "
        "insensitive fields; where rows are linked to people, of any one row."
    )
