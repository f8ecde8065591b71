"""Unicity for a board: the share of people whom few released values single out."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.report import Html, counted, figure, join, listed, number, percent, section, table, tag

from ..risk.unicity import Unicity, UnicityCurve

_FIELDS_NAMED = 8


def part(result: Unicity, charts: Mapping[str, Html]) -> Html:
    return section(
        "unicity",
        "How many values single out a person",
        tag("p", tag("strong", _answer(result)), " ", _meaning(result)),
        figure(
            charts.get("unicity"),
            "People who are found by some random values of theirs. The bars are 95 % intervals "
            "of the true share.",
            _numbers(result),
        ),
        tag("p", _tried(result), class_="fine"),
    )


def _answer(result: Unicity) -> str:
    half = next((m for m, rate in enumerate(result.everything.rates, 1) if rate.value >= 0.5), None)
    if half is None:
        last = len(result.everything.rates)
        return (
            f"{counted(last, 'random value')} of everything released "
            f"{'finds' if last == 1 else 'find'} {percent(result.everything.at(last).value)} of "
            "people."
        )
    find = "finds" if half == 1 else "find"
    return f"{counted(half, 'random value')} of everything released {find} half of the people."


def _meaning(result: Unicity) -> str:
    """The method, and its fields."""
    said = (
        "Somebody happens to know a few values of a person, such as a reading, a date or an "
        "answer, and looks for who else has all of them. "
    )
    if result.linked:
        return said + (
            "The release identifies the rows of one person, so all their values count as known."
        )
    fields = [name for name in result.knowable.fields if name not in result.known.fields]
    named = listed(fields, most=_FIELDS_NAMED) if fields else "none"
    return said + f"Insensitive fields, which the policy counts nobody as knowing: {named}."


def _numbers(result: Unicity) -> Html:
    some = [] if result.linked else [result.known, result.knowable]
    curves = [result.everything, *some]
    headings = ["Everything released", *(["Known fields", "With insensitive ones"] if some else [])]
    rows = [
        (number(m), *(_cell(curve, m) for curve in curves))
        for m in range(1, len(result.everything.rates) + 1)
    ]
    return table(
        ("Values known", *headings),
        rows,
        caption="Share of people found",
        numeric=set(range(len(headings) + 1)),
    )


def _cell(curve: UnicityCurve, m: int) -> str:
    if m > len(curve.rates):
        return "–"
    rate = curve.at(m)
    return f"{percent(rate.value)} ({percent(rate.low)} to {percent(rate.high)})"


def _tried(result: Unicity) -> str:
    said = (
        f"{counted(result.sampled, 'person', 'people')} of {number(result.people)} were tried, "
        f"{number(result.trials)} times in all; on average a person has "
        f"{number(round(result.everything.values_per_person, 1))} values. "
        "Empty and suppressed cells, and values that everybody has, do not count."
    )
    if result.left_out:
        names = listed([name for name, _ in result.left_out], most=_FIELDS_NAMED)
        said += f" Not counted: {names}."
    return join([said, " The notion is from de Montjoye et al. (2013)."])
