"""Intervals between dates for a board: how many people the days between two events single out."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.report import Html, listed, number, percent, section, table, tag

from ..attacks.rates import Rate
from ..risk.date_intervals import IntervalFindings

_FIELDS_NAMED = 8


def part(result: IntervalFindings, charts: Mapping[str, Html]) -> Html:
    rows = [
        ("One interval between any two dates", _cell(result.everything)),
        ("Two such intervals", _cell(result.two)),
    ]
    if not result.linked:
        rows += [
            ("One between dates that are known", _cell(result.known)),
            ("One between known or insensitive dates", _cell(result.knowable)),
        ]
    return section(
        "intervals",
        "Do the days between two dates single people out?",
        tag(
            "p",
            "Somebody knows how many days passed between two events of a person, and looks for who "
            "else has that interval. It needs no date, and a shift of all dates of a person leaves it "
            f"as it is. Dates: {listed(list(result.fields), most=_FIELDS_NAMED)}.",
        ),
        table(
            ("Known", "Found among those with two dates"),
            rows,
            caption=f"{number(result.people)} of {number(result.of)} people have two dates or more",
            numeric={1},
        ),
    )


def _cell(rate: Rate) -> str:
    return f"{percent(rate.value)} ({percent(rate.low)} to {percent(rate.high)})"
