"""The page of a continuum: one HTML file that loads and runs nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.report import (
    Html,
    bullets,
    can_draw,
    counted,
    figure,
    folded,
    join,
    listed,
    percent,
    section,
    table,
    tag,
    whole_page,
)

from ..continuum_order import ContinuumPlace, TechniqueResult


def render_continuum(
    places: Sequence[ContinuumPlace],
    *,
    title: str,
    created: str,
    version: str,
    rows: int,
    measured: int,
    fields: Sequence[str],
    left_out: Mapping[str, str],
) -> str:
    """The page as text. Charts need the extra "assess"; without it their numbers are tables."""
    chart = None
    if can_draw():
        from ..charts.continuum_chart import draw

        chart = draw(places)
    some = (
        counted(measured, "row")
        if measured == rows
        else f"{counted(measured, 'row')} of {rows:,}, picked at random"
    )
    opening = tag(
        "p", f"{some}; {listed(fields, most=8)}. Nothing was released to draw this.", class_="lead"
    )
    body = join([opening, _order(places, chart), _reading(), _each(places), _left_out(left_out)])
    when = created.replace("T", " ").replace("+00:00", " UTC")
    return whole_page(
        body, title=title, created=when, version=version, kind="Continuum of techniques"
    )


def _order(places: Sequence[ContinuumPlace], chart: Html | None) -> Html:
    headers = ("Technique", "Least", "Median", "Most", "Results")
    rows = [
        (
            place.name,
            percent(place.low),
            percent(place.median),
            percent(place.high),
            str(len(place.results)),
        )
        for place in places
    ]
    numbers = table(headers, rows, caption="Distortion", numeric={1, 2, 3, 4})
    return section(
        "continuum",
        "Techniques by how much they distort",
        tag(
            "p",
            "At the left, a released cell still discloses the source's cell; at the right, "
            "it discloses nothing about it. Each technique was tried with several settings "
            "on each field that it is for: the bar spans the results, the mark is their "
            "median, and the order is that of the marks.",
        ),
        figure(
            chart,
            "Each dot is one technique with one setting on one field. Ranges overlap.",
            numbers,
        ),
    )


def _reading() -> Html:
    return section(
        "continuum-reading",
        "How to read this",
        bullets(
            [
                "Distortion is H(X|Y) / H(X): of the entropy of a source's cell X, the "
                "share that is left when the "
                "released cell Y is known to one who knows the technique and its settings, "
                "and not its secret.",
                "It is about single cells. What a technique does to relations between "
                "fields, to sums or to the order of rows is not in it: scrambling changes no "
                "cell.",
                "More distortion is not more protection. Whether a release protects is "
                "judged by its requirements.",
                "Fields with many values are read in classes of neighbouring ones, so that "
                "finer changes are not measured.",
            ]
        ),
    )


def _each(places: Sequence[ContinuumPlace]) -> Html:
    parts = [folded(place.name, _results(place.name, place.results)) for place in places]
    return section("continuum-results", "Every result", *parts)


def _results(name: str, results: Sequence[TechniqueResult]) -> Html:
    rows = [(result.field, result.setting, percent(result.distortion)) for result in results]
    return table(("Field", "Setting", "Lost"), rows, caption=name, numeric={2})


def _left_out(left_out: Mapping[str, str]) -> Html:
    if not left_out:
        return Html("")
    return section(
        "continuum-left-out",
        "Not measured",
        table(
            ("What", "Why"), list(left_out.items()), caption="Techniques that could not be applied"
        ),
    )
