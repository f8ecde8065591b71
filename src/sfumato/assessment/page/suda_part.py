"""Minimal uniques for a board: how few fields single a row out, and which."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.report import (
    Html,
    counted,
    figure,
    listed,
    number,
    percent,
    section,
    share_of,
    table,
    tag,
)

from ..risk.suda2 import DIS_STEPS, Suda2

_HEADING = "How little is enough to single a row out?"
_MOST = 10


def part(result: Suda2, charts: Mapping[str, Html]) -> Html:
    """One section: the answer, then how few fields, how likely a match is right, and which fields
    do it."""
    if not result.singled_out:
        return section(
            "suda", _HEADING, tag("p", tag("strong", _nobody(result)), " ", _method(result))
        )
    return section(
        "suda",
        _HEADING,
        tag("p", tag("strong", _answer(result)), " ", _meaning()),
        figure(
            charts.get("suda_sizes"),
            "Rows by the fewest fields that single them out.",
            _sizes(result),
        ),
        tag("p", _dis(result)),
        figure(
            charts.get("suda_scores"),
            "Rows by the chance that a match with them is right.",
            _scores(result),
        ),
        tag(
            "p",
            f"The field with the largest part in this is {_first(result)}; recode it, or the "
            "next ones, first. Several fields together often single out a row, and each of "
            "them counts: the shares add up to more than 100 %.",
        ),
        figure(
            charts.get("suda_fields"), "Each field's part in singling rows out.", _fields(result)
        ),
        _together(result),
        tag("p", _method(result), class_="fine"),
    )


def _nobody(result: Suda2) -> str:
    looked = listed(result.fields, most=6)
    if result.largest < len(result.fields):
        few = counted(result.largest, "field")
        return (
            f"No row of the release can be singled out by {few} or fewer of {looked}: at least "
            "two rows always fit."
        )
    return (
        "No row of the release can be singled out: at least two rows fit any known values of "
        f"{looked}."
    )


def _answer(result: Suda2) -> str:
    share = percent(share_of(result.singled_out, result.records))
    by_few = sum(result.records_by_smallest[:2])
    rows = counted(result.singled_out, "row")
    words = (
        f"{rows} of {number(result.records)} ({share}) can be singled out by the values of "
        "these fields."
    )
    if by_few:
        words += f" For {counted(by_few, 'row')} one or two fields are enough."
    return words


def _meaning() -> str:
    return (
        "A person who is unique only over all fields together is unique by chance. A person "
        "whom two or three fields single out is special, and more often unique in the whole "
        "population too."
    )


def _sizes(result: Suda2) -> Html:
    rows = [
        (str(size), number(records), percent(share_of(records, result.records)), number(uniques))
        for size, (records, uniques) in enumerate(
            zip(result.records_by_smallest, result.by_size, strict=True), start=1
        )
    ]
    headers = (
        "Fields needed",
        "Rows that need no more",
        "Share of rows",
        "Combinations of so many that single out",
    )
    return table(
        headers, rows, caption="Rows by the fewest fields that single them out", numeric={1, 2, 3}
    )


def _dis(result: Suda2) -> str:
    highest = float(result.dis.max())
    return (
        f"If the release is {percent(result.fraction)} of the people it could be about, a "
        "single row that fits a person is the right one with a chance of up to "
        f"{percent(highest)}; the chart shows the chance by number of rows. The chance is "
        "spread over the rows by how few fields single them out (DIS-SUDA)."
    )


def _scores(result: Suda2) -> Html:
    steps = [f"over {percent(low)} up to {percent(low + 0.1)}" for low in DIS_STEPS[:-1]]
    classes = ("not singled out", *steps, f"over {percent(DIS_STEPS[-1])}")
    rows = [
        (called, number(records), percent(share_of(records, result.records)))
        for called, records in zip(classes, result.dis_distribution, strict=True)
    ]
    return table(
        ("Chance that a match is right", "Rows", "Share of rows"),
        rows,
        caption="Rows by the chance that a match with them is right",
        numeric={1, 2},
    )


def _first(result: Suda2) -> str:
    name, share = max(result.contributions.items(), key=lambda pair: pair[1])
    return f"{name} ({percent(share / 100)} of all scores)"


def _fields(result: Suda2) -> Html:
    named = sorted(result.contributions.items(), key=lambda pair: -pair[1])
    rows = [(name, percent(share / 100)) for name, share in named]
    return table(
        ("Field", "Share of all scores it has a part in"),
        rows,
        caption="Part of each field",
        numeric={1},
    )


def _together(result: Suda2) -> Html:
    """The sets of fields that single out most; names of fields, never of values."""
    if result.found is None:
        return tag(
            "p", "There are too many combinations of fields to list those that single out most."
        )
    most = list(result.by_fields().items())[:_MOST]
    return table(
        ("Fields that single out together, and no fewer of them", "Rows"),
        [(listed(names), number(rows)) for names, rows in most],
        caption="Combinations that single out most rows",
        numeric={1},
    )


def _method(result: Suda2) -> str:
    named = {
        "elliot": "after Elliot, Manning, Mayes, Gurd and Bane (2005)",
        "ihsn": "as in the program of the IHSN",
    }
    missing = {
        "value": "An empty or suppressed cell counts as a value that can be seen.",
        "left out": "An empty or suppressed cell never counts as singling out.",
    }
    limit = (
        "of every size"
        if result.largest == len(result.fields)
        else f"of up to {result.largest} fields"
    )
    return (
        f"All minimal sample uniques {limit} were found (SUDA2); scores are "
        f"{named[result.scoring]}, with a sampling "
        f"fraction of {percent(result.fraction)}. {missing[result.missing]}"
    )
