"""Fields that make people unique, inference about sensitive fields, and households."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.report import Html, counted, figure, join, number, percent, section, table, tag

from ..risk import AttributeDisclosure, HouseholdFinding, Risks
from ..risk.uniqueness_table import set_words

LINES = 24


def standing_out(result: Risks, charts: Mapping[str, Html]) -> Html:
    """A line for each combination of fields, before and after; like Figure 13 of Sweeney 2000."""
    after = {line.fields: line for line in result.after.table}
    first = result.before.table if result.before is not None else result.after.table
    lines = sorted(
        first, key=lambda line: (-line.share_unique, -line.share_below, len(line.fields))
    )[:LINES]
    if not lines or not result.after.rows:
        return Html("")
    rows = [
        (
            set_words(line.fields, result.known),
            *(
                [percent(line.share_unique), number(float(line.average))]
                if result.before is not None
                else []
            ),
            percent(after[line.fields].share_unique) if line.fields in after else "–",
            percent(after[line.fields].share_below) if line.fields in after else "–",
            number(float(after[line.fields].average)) if line.fields in after else "–",
        )
        for line in lines
    ]
    headers = (
        "Fields",
        *(("Unique before", "Rows alike before") if result.before is not None else ()),
        "Unique after",
        f"In bins under {lines[0].k} after",
        "Rows alike after",
    )
    numbers = table(
        headers, rows, caption="Unique rows, by fields", numeric=set(range(1, len(headers)))
    )
    when = "in the source" if result.before is not None else "in the release"
    most = next((line for line in lines if line.unique), None)
    said = (
        f"Of all combinations counted, {set_words(most.fields, result.known)} single out the most rows {when}: "
        f"{percent(most.share_unique)} have a unique combination."
        if most is not None
        else f"No counted combination singles anybody out {when}."
    )
    return section(
        "fields-alone",
        "Which fields make people unique",
        tag(
            "p",
            tag("strong", said),
            " Fields that single out many should be coarser, or known to fewer.",
        ),
        figure(
            charts.get("risk_fields"),
            f"Rows with a unique combination {when}, by fields.",
            numbers,
        ),
        _households(result),
    )


def coloured(result: Risks) -> str:
    """How before and after are distinguished in a chart that shows both."""
    return ": before (grey) and after (colour)" if result.before is not None else ""


def _households(result: Risks) -> Html:
    found = result.after.households or (
        result.before.households if result.before is not None else None
    )
    if found is None:
        return Html("")
    tables = [
        ("before", result.before.households if result.before else None),
        ("after", result.after.households),
    ]
    rows = [(when, *_household(one)) for when, one in tables if one is not None]
    return join(
        [
            tag("h3", "Households"),
            tag(
                "p",
                f"A recognised person reveals the household (field {found.field}), so a "
                "household is at more risk than each of its members: it is found when any of "
                "them is.",
            ),
            table(
                ("", "Households", "Average chance", "Highest chance", "Rows expected to be found"),
                rows,
                caption="The chance that a household is found",
                numeric={1, 2, 3, 4},
            ),
        ]
    )


def _household(found: HouseholdFinding) -> tuple[str, ...]:
    rows = number(round(found.expected_rows, 1))
    return number(found.households), percent(found.average), percent(found.maximum), rows


def inference(result: Risks, charts: Mapping[str, Html]) -> Html:
    """Inference about somebody without finding their row. Fields are named, values never."""
    if not result.after.attributes or not result.after.rows:
        return Html("")
    tables = [("before", result.before), ("after", result.after)]
    rows = [
        (one.field, when, *_attribute(one))
        for when, found in tables
        if found is not None
        for one in found.attributes
    ]
    numbers = table(
        (
            "Field",
            "",
            "A guess",
            "Inferred on average",
            "Inferred at most",
            f"Rows whose confidence rises by {percent(0.25)}",
            "Rows in bins of one value",
        ),
        rows,
        caption="How surely a sensitive value is inferred",
        numeric={2, 3, 4, 5, 6},
    )
    return section(
        "inference",
        "What is learned without finding anyone",
        tag("p", tag("strong", _learned(result)), " ", _EXPLAINED),
        figure(
            charts.get("risk_inference"),
            "How surely the value of a sensitive field is inferred from the known "
            "fields, on average over rows"
            f"{coloured(result)}. The dark mark is a guess by somebody who has not seen the table.",
            numbers,
        ),
    )


_EXPLAINED = (
    "If all rows of a bin have the same value, membership in the bin reveals it, whatever "
    "the bin's size. The measure is the gain over guessing the most frequent value."
)


def _learned(result: Risks) -> str:
    told = [one for one in result.after.attributes if one.one_value > 0 and not one.reason]
    if not told:
        return "No sensitive value of anybody can be inferred with certainty."
    worst = max(told, key=lambda one: (one.told, one.one_value))
    said = (
        f"{worst.field} is certain for {percent(worst.one_value)} of the rows: all rows of "
        "their bin have the same value."
    )
    more = counted(
        len(told) - 1, "other sensitive field is certain", "other sensitive fields are certain"
    )
    return said if len(told) == 1 else f"{said} {more} for some rows too."


def _attribute(found: AttributeDisclosure) -> tuple[str, ...]:
    if found.reason:
        return percent(found.baseline), found.reason, "", "", ""
    return (
        percent(found.baseline),
        percent(found.average),
        percent(found.maximum),
        percent(found.exceeding[1]),
        percent(found.one_value),
    )
