"""The remaining utility of the table: the levels chosen, precision, loss, entropy, and the
suppressed rows."""

from __future__ import annotations

from collections.abc import Mapping

from ..facts import FieldFacts, ReportFacts
from ..markup import Html, figure, join, section, table, tag
from ..number_text import counted, number, percent, share_of
from ..readings import level_name, level_shares, recoded_fields


def levels(facts: ReportFacts, charts: Mapping[str, Html]) -> Html:
    """The ladder of each field, and the step that was chosen on it."""
    heading = "How far each field was generalised"
    ladders = recoded_fields(facts)
    if not ladders:
        return section("levels", heading, tag("p", "No field was generalised."))
    numbers = table(
        ("Field", "Level", "Name", "Different values", "Rows", "Share of rows"),
        [line for field in ladders for line in _ladder(field)],
        caption="Levels per field",
        numeric={1, 3, 4, 5},
    )
    return section(
        "levels",
        heading,
        tag(
            "p",
            "Each field has a ladder of levels. Level 0 is the original value; each level "
            "after it is coarser, and the last one often covers every value. The coloured "
            "steps are those on which rows are released.",
        ),
        figure(
            charts.get("ladder"),
            "Levels per field; the deeper the colour, the more rows are released there.",
            numbers,
        ),
    )


def _ladder(field: FieldFacts) -> list[tuple[str, ...]]:
    labels = (*field.labels_per_level, *[0] * len(field.rows_at_level))
    return [
        (
            field.name,
            str(level),
            level_name(field, level),
            number(labels[level]) if labels[level] else "",
            number(field.rows_at_level[level]),
            percent(share),
        )
        for level, share in enumerate(level_shares(field))
    ]


def usefulness(facts: ReportFacts, charts: Mapping[str, Html]) -> Html:
    """Four numbers with what each means, then precision field by field."""
    found = facts.utility
    released = percent(share_of(found.rows_released, found.rows_released + found.rows_suppressed))
    cards = (
        card(
            percent(found.precision),
            "precision",
            "100 % means that no field was generalised, 0 % that every field was suppressed.",
        ),
        card(
            percent(found.loss),
            "loss",
            "How much of its field a released value covers, on average. 0 %: one value.",
        ),
        card(
            percent(found.entropy),
            "data quality",
            "Entropy: the bits it takes to write the release, against the source.",
        ),
        card(released, "rows released", f"{counted(found.rows_suppressed, 'row')} suppressed."),
    )
    numbers = table(
        ("Field", "Precision", "Mean level"),
        [
            (name, percent(value), _level(found.mean_level.get(name)))
            for name, value in found.per_field.items()
        ],
        caption=f"Precision per field; all fields {percent(found.precision)}",
        numeric={1, 2},
    )
    chart = figure(
        charts.get("precision"), "Precision kept per field; the dashed line is the mean.", numbers
    )
    return section(
        "usefulness",
        "What the table is still worth",
        tag("div", *cards, class_="cards"),
        chart if found.per_field else tag("p", "No field was recoded, so all precision is kept."),
        tag("p", _suppressed(found.rows_suppressed, facts.rows_source)),
    )


def card(value: str, name: str, meaning: str) -> Html:
    parts = join(
        [
            tag("p", value, class_="value"),
            tag("p", name, class_="name"),
            tag("p", meaning, class_="meaning"),
        ]
    )
    return tag("div", parts, class_="card")


def _level(level: float | None) -> str:
    return "" if level is None else f"{level:.2f}"


def _suppressed(rows: int, of: int) -> str:
    if not rows:
        return "No row was suppressed: everyone in the source is still in the release."
    return (
        f"{counted(rows, 'row was', 'rows were')} suppressed, {percent(share_of(rows, of))} "
        "of the source. People with rare values are left out more often than others, so "
        "counts of small groups in the release are too low. In the numbers above, a "
        "suppressed row counts as having lost everything."
    )
