"""The R-U map for a board: the risk and the utility of each candidate, and the point of diminishing
return."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.report import (
    Html,
    bullets,
    counted,
    figure,
    join,
    listed,
    number,
    one_in,
    percent,
    section,
    table,
    tag,
)

from ..number_guidance import guidance_for
from ..utility.ru_map import RISKS, UTILITIES, RuMap, RuPoint

__all__ = ["part"]


def part(found: RuMap, charts: Mapping[str, Html]) -> Html:
    """The map, its numbers, and the candidates that could not be made."""
    return join([_map(found, charts), _rule(found), _missing(found)])


def _map(found: RuMap, charts: Mapping[str, Html]) -> Html:
    numbers = _table(found)
    said = _said(found)
    second = charts.get("ru-map-average")
    same = tag("figcaption", "The same over the average chance to find a person.")
    return section(
        "ru-map",
        "Risk against utility",
        tag(
            "p",
            f"Each point is a release that could be made with another {found.over}, which "
            "is printed beside it. Further to "
            f"the left is less risk: the {RISKS[found.risk]}. Higher up is more use: "
            f"{UTILITIES[found.utility]}. "
            "Nothing was released to draw this.",
        ),
        *(tag("p", tag("strong", line)) for line in said),
        figure(
            charts.get("ru-map"),
            "Candidates by risk and utility. Grey: another one is better in both.",
            numbers,
        ),
        tag("figure", second, same) if second else "",
    )


def _said(found: RuMap) -> list[str]:
    out = []
    for solver, place in found.knees.items():
        point = found.points[place]
        risk, worth = point.risks[found.risk], point.utilities[found.utility]
        out.append(
            f"With {solver}, returns diminish at {found.over} = {point.setting:g}: risk "
            f"{percent(risk)}, utility {percent(worth)}. Beyond it, more risk brings little "
            "more utility."
        )
    without = [
        solver
        for solver in dict.fromkeys(point.solver for point in found.points)
        if solver not in found.knees
    ]
    if without:
        out.append(f"With {listed(without)}, no point of diminishing return can be named.")
    return out


def _table(found: RuMap) -> Html:
    knees, dominated = found.knees.values(), found.dominated
    rows = [
        _line(found, point, note=_note(is_knee=place in knees, is_dominated=dominated[place]))
        for place, point in enumerate(found.points)
        if not point.reason
    ]
    if found.source is not None:
        rows.append(_line(found, found.source, note="the source as it is"))
    headers = (
        found.over,
        "Solver",
        "Highest chance",
        "Average chance",
        "Information kept",
        "Precision",
        "Counts right",
        "Rows left out",
        "Contacts",
        "Bins",
        "",
    )
    return table(headers, rows, caption="Candidates", numeric={2, 3, 4, 5, 6, 7, 8, 9})


def _line(found: RuMap, point: RuPoint, *, note: str) -> tuple[str, ...]:
    def share(of: Mapping[str, float], name: str) -> str:
        return percent(of[name]) if name in of else ""

    return (
        f"{point.setting:g}" if point.solver else "source",
        point.solver,
        f"{one_in(point.smallest)} ({share(point.risks, 'highest')})",
        share(point.risks, "average"),
        share(point.utilities, "information"),
        share(point.utilities, "precision"),
        share(point.utilities, "queries"),
        number(point.rows_suppressed),
        f"{point.contacts:,.1f}" if point.contacts else "",
        number(point.bins),
        note,
    )


def _note(*, is_knee: bool, is_dominated: bool) -> str:
    words = [
        *(["diminishing return"] if is_knee else []),
        *(["another is better"] if is_dominated else []),
    ]
    return "; ".join(words)


def _rule(found: RuMap) -> Html:
    guidance = guidance_for(found.over)
    about = (
        []
        if guidance is None
        else [
            f"{found.over} defends {guidance.defends}.",
            f"It leaves open: {guidance.leaves_open}.",
        ]
    )
    return section(
        "ru-rule",
        "How to read this",
        bullets(
            [
                "A grey point can be ignored: some other candidate has no more risk and no "
                "less utility.",
                "The ring marks the point of diminishing return. Up to there, each per cent "
                "of the range of risk brings at least a per cent of the range of utility; "
                "after it, less. It is a place to start a discussion, not a decision: how "
                "much risk is too much depends on the people, the data and who receives it.",
                "Risk and utility are computed from the counts of the source and of each "
                "candidate, for the fields that the policy counts as known. They are not "
                "those of a written table: a release is counted again.",
                "Contacts are the people whom an intruder contacts on average until the right one "
                "answers, in the bins of each candidate.",
                *about,
            ]
        ),
    )


def _missing(found: RuMap) -> Html:
    gone = [point for point in found.points if point.reason]
    if not gone:
        return Html("")
    rows = [(f"{point.setting:g}", point.solver, point.reason) for point in gone]
    return section(
        "ru-missing",
        "Without a candidate",
        tag("p", f"For {counted(len(gone), 'setting')} no recoding was found."),
        table((found.over, "Solver", "Why"), rows, caption="No recoding"),
    )
