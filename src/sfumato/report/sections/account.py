"""An account of what was done: every field, every step, what to beware of, and the parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..facts import FieldFacts, ReportFacts, StepFacts
from ..markup import Html, bullets, figure, section, table, tag
from ..number_text import number, percent
from ..tables_facts import TablesFacts

UNPROVEN = "not proven by this solver"
_STEPS_SHOWN = 40


def fields(facts: ReportFacts, charts: Mapping[str, Html]) -> Html:
    return section(
        "fields",
        "Every field and what was done to it",
        table(
            (
                "Field",
                "Role",
                "What was done",
                "Known to the recipient",
                "Values before",
                "Values after",
                "Precision",
            ),
            [_field(field) for field in facts.fields],
            caption="Fields of the source",
            numeric={4, 5, 6},
        ),
        tag(
            "p",
            "Roles: direct names a person; quasi may be known from elsewhere and, with "
            "others, point to one; sensitive must not be learned of a person; insensitive is "
            "neither; text is free text.",
            class_="fine",
        ),
    )


def _field(field: FieldFacts) -> tuple[str, ...]:
    counted = field.known or field.distinct_before > 0
    return (
        field.name,
        field.role,
        field.treatment,
        "yes" if field.known else "no",
        number(field.distinct_before) if counted else "–",
        number(field.distinct_after) if counted else "–",
        percent(field.precision) if field.known else "–",
    )


def solver_steps(facts: ReportFacts, charts: Mapping[str, Html]) -> Html:
    """The steps of the solver; where there are many steps, the first and the last."""
    heading = "How the recoding was found, step by step"
    if not facts.steps:
        return section("steps", heading, tag("p", f"The solver {facts.solver} reports no steps."))
    numbers = table(
        ("Step", "What was done", "Bins", "Rows that still fail"),
        _steps(facts.steps),
        caption="Steps of the solver",
        numeric={0, 2, 3},
    )
    return section(
        "steps",
        heading,
        tag(
            "p",
            f"The solver {facts.solver} works on bins alone and never sees a row. A row "
            "fails while its bin breaks a "
            "requirement; those that fail at the end were suppressed.",
        ),
        figure(charts.get("steps"), "Rows that still fail after each step.", numbers),
        _picture(facts),
    )


def _picture(facts: ReportFacts) -> Html:
    if not facts.picture:
        return Html("")
    caption = (
        "The lattice of recodings: the untouched table at the bottom, everything suppressed at "
        "the top."
    )
    return tag("figure", Html(facts.picture), tag("figcaption", caption))


def _steps(moves: Sequence[StepFacts]) -> list[tuple[str, ...]]:
    lines: list[tuple[str, ...]] = [
        (str(index), move.what, number(move.bins), number(move.rows_failing))
        for index, move in enumerate(moves)
    ]
    if len(lines) <= _STEPS_SHOWN:
        return lines
    half = _STEPS_SHOWN // 2
    return [
        *lines[:half],
        ("…", f"{number(len(lines) - 2 * half)} steps not shown", "", ""),
        *lines[-half:],
    ]


def warnings_and_notes(facts: ReportFacts | TablesFacts, charts: Mapping[str, Html]) -> Html:
    parts = []
    if facts.warnings:
        parts.append(tag("div", tag("h3", "Warnings"), bullets(facts.warnings), class_="warnings"))
    else:
        parts.append(tag("p", "There are no warnings."))
    if facts.notes:
        parts.append(tag("div", tag("h3", "Notes"), bullets(facts.notes), class_="notes"))
    return section("warnings", "Warnings and notes", *parts)


def method(facts: ReportFacts, charts: Mapping[str, Html]) -> Html:
    """The facts that someone else needs to account for the table, or to make it again."""
    policy = (
        "proposed by a survey, not confirmed by a person"
        if facts.proposed
        else "written or confirmed by a person"
    )
    return section(
        "method",
        "Method and parameters",
        table(
            ("Parameter", "Value"),
            [
                ("Made by", f"Sfumato {facts.version}"),
                ("Made on", facts.created),
                ("Recipient profile", facts.recipient),
                ("Policy", policy),
                ("Engine", facts.engine),
                ("Solver", facts.solver),
                ("How close to the optimum", facts.proof or UNPROVEN),
                ("Seed", str(facts.seed)),
                ("Rows of the source", number(facts.rows_source)),
                ("Rows released", number(facts.rows_released)),
            ],
            caption="How the candidate was made",
        ),
    )
