"""Each field before and after, for a board: distances, distributions, statistics and biases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sfumato.report import Html, counted, figure, folded, join, number, percent, section, table, tag

from ..utility import Bias, FieldChange, Statistics, Usefulness

_SPREAD = {
    "evenly": "Where a released label covers several values, its rows are spread evenly over "
    "those that occur in the source: a recipient without other knowledge can do no "
    "better.",
    "as-source": "Where a released label covers several values, its rows are spread over "
    "them as often as each occurs in the source. A recipient cannot do that: it "
    "isolates what was left out or changed.",
}


def fields(result: Usefulness, charts: Mapping[str, Html]) -> Html:
    change = figure(
        charts.get("field-change"),
        "How far each field's distribution moved. 0 %: as it was; 100 %: nothing in "
        "common. For numbers it is the "
        "largest gap between the cumulative shares (Kolmogorov-Smirnov), for categories "
        "the share of rows that would "
        "have to change (total variation).",
        _change_table(result.fields),
    )
    shown = [found for found in result.fields if found.classes]
    classes = figure(
        charts.get("distributions"),
        "Share of rows by class, before (grey) and after (colour). Classes that fewer than "
        "10 people of the source "
        "have are joined with others.",
        _class_table(shown),
    )
    statistics = [line for found in result.fields for line in _statistics(found)]
    return section(
        "fields-worth",
        "Field by field",
        tag("p", _SPREAD[result.spread], " A fully suppressed cell is counted as missing."),
        change,
        classes if shown else tag("p", "No distribution can be shown."),
        _statistics_table(statistics) if statistics else Html(""),
        _bias(result.biases),
    )


def _change_table(fields: Sequence[FieldChange]) -> Html:
    rows = [
        (
            found.name,
            {"number": "number", "date": "date", "category": "category"}[found.reading],
            f"{number(found.values_before)} → {number(found.labels_after)}",
            f"{percent(found.missing_before)} → {percent(found.missing_after)}",
            percent(found.says_nothing_after),
            share(found.distance),
            share(found.total_variation_as_released),
            found.reason,
        )
        for found in fields
    ]
    headers = (
        "Field",
        "Read as",
        "Different values",
        "Missing",
        "Missing",
        "Distance",
        "Distance of labels as released",
        "Undecided",
    )
    return table(headers, rows, caption="Change per field, before → after", numeric={2, 3, 4, 5, 6})


def _class_table(fields: Sequence[FieldChange]) -> Html:
    rows = [
        (found.name, one.name, percent(one.before), percent(one.after))
        for found in fields
        for one in found.classes
    ]
    return table(
        ("Field", "Class", "Before", "After"), rows, caption="Shares of rows", numeric={2, 3}
    )


def _statistics(found: FieldChange) -> Iterator[tuple[str, ...]]:
    if found.reading == "date":
        return
    for how, one in (
        ("before", found.before),
        ("after, spread over values", found.after),
        ("after, middle of each label", found.by_midpoint),
    ):
        if one is not None:
            yield found.name, how, _plain(one.mean), _plain(one.sd), *_quantiles(one)


def _quantiles(one: Statistics) -> tuple[str, ...]:
    return tuple(
        _plain(one.quantiles[q]) if q in one.quantiles else ""
        for q in ("0.05", "0.25", "0.5", "0.75", "0.95")
    )


def _statistics_table(rows: Sequence[tuple[str, ...]]) -> Html:
    headers = (
        "Field",
        "When",
        "Mean",
        "Standard deviation",
        "5 %",
        "25 %",
        "Median",
        "75 %",
        "95 %",
    )
    numbers = table(headers, rows, caption="Numbers before and after", numeric=set(range(2, 9)))
    note = tag(
        "p",
        "Each quantile is the mean of ten people around it, so no one's own value is shown.",
        class_="fine",
    )
    return folded("Means and quantiles of numbers", numbers, note, class_="numbers")


def _bias(found: Sequence[Bias]) -> Html:
    if not found:
        return Html("")
    rows = [
        (
            one.field,
            one.value if one.value is not None else "mean",
            _value(one, one.before),
            _value(one, one.after),
            f"{_value(one, one.low, sign=True)} to {_value(one, one.high, sign=True)}",
            percent(one.overlap),
            "yes" if one.misleads else "no",
        )
        for one in found
    ]
    headers = (
        "Field",
        "Of",
        "Before",
        "After",
        "Bias, 95 % interval",
        "Intervals overlap",
        "More than chance",
    )
    numbers = table(headers, rows, caption="Bias of means and proportions", numeric={2, 3, 4, 5})
    wrong = sum(one.misleads for one in found)
    said = (
        f"Of {counted(len(found), 'mean or proportion', 'means and proportions')} that a "
        "recipient would compute, "
        f"{number(wrong)} {'is' if wrong == 1 else 'are'} further from the source's than "
        "chance explains. With many "
        "rows even a small bias is more than chance: look at its size."
    )
    return join(
        [tag("p", said), folded("Bias of means and proportions", numbers, class_="numbers")]
    )


def _value(one: Bias, value: float, *, sign: bool = False) -> str:
    if one.value is None:
        return f"{value:+,.3g}" if sign else _plain(value)
    return f"{value * 100:+.1f}\u00a0%" if sign else percent(value)


def share(value: float | None) -> str:
    return "undecided" if value is None else percent(value)


def _plain(value: float) -> str:
    return f"{value:,.4g}" if abs(value) < 10_000 else f"{value:,.0f}"
