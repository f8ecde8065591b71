"""The smallest sets of released fields that single people out, for a board."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.report import Html, counted, listed, number, percent, section, share_of, table, tag

from ..risk.identifying_sets import IdentifyingSets
from ..unicity_verdicts import in_units


def part(result: IdentifyingSets, charts: Mapping[str, Html]) -> Html:
    """A line for each set; the sets that were not counted are reported."""
    rows = [
        (", ".join(one.fields), number(one.rows), percent(share_of(one.rows, result.rows)))
        for one in result.sets
    ]
    units = "People" if result.unit == "person" else "Rows"
    numbers = table(
        ("Fields", units, "Share"),
        rows,
        caption=f"{units} with a unique combination of these fields, and of no fewer",
        numeric={1, 2},
    )
    return section(
        "identifying-sets",
        "Which released fields single people out",
        tag("p", tag("strong", _answer(result)), " ", _meaning(result)),
        numbers if rows else "",
    )


def _answer(result: IdentifyingSets) -> str:
    if not result.sets:
        most = counted(len(result.counted), "released field")
        nobody = "person" if result.unit == "person" else "row"
        return f"No {nobody} has a unique combination of up to {most} that were counted."
    sizes = [
        f"{number(alone)} by up to {counted(size, 'field')}"
        for size, alone in enumerate(result.alone, 1)
        if alone
    ]
    return f"Of {in_units(result.rows, result)}, {listed(sizes)} are singled out."


def _meaning(result: IdentifyingSets) -> str:
    said = (
        "Every released field counts, also those that the policy calls insensitive or "
        "sensitive: these few values identify the row. "
    )
    if result.unit == "person":
        said += (
            "A set is counted in one row of a person, with the fields of tables that have one row "
            "for each person; sets over two tables of several rows are not. "
        )
    if result.is_whole:
        return said + f"All sets of up to {counted(len(result.counted), 'field')} were counted."
    told = [
        f"{number(tried)} of {number(many)} sets of {counted(size, 'field')}"
        for size, (tried, many) in enumerate(zip(result.counted, result.possible, strict=True), 1)
        if tried < many
    ]
    return said + f"Counted were {listed(told)}, those with the most values first."
