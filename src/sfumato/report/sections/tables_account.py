"""An account of several tables: the levels that were chosen, how they were made, their files and
how to check them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..markup import Html, join, section, table, tag
from ..number_text import number
from ..tables_facts import TablesFacts
from .account import UNPROVEN


def levels(facts: TablesFacts, charts: Mapping[str, Html]) -> Html:
    heading = "How far each field was generalised"
    if not facts.levels:
        words = (
            "No field was taken to one level throughout. Each table lists what was done to its "
            "fields."
        )
        return section("levels", heading, tag("p", words))
    return section(
        "levels",
        heading,
        tag(
            "p",
            "Each quasi-identifier has a ladder of levels, from the value itself to "
            "nothing at all. A field has the "
            "same level in every row, and in every table that its rows are counted with.",
        ),
        table(("Field", "Released at level"), facts.levels, caption="Levels that were chosen"),
    )


def method(facts: TablesFacts, charts: Mapping[str, Html]) -> Html:
    """The facts that someone else needs to account for the tables, or to make them again."""
    policy = (
        "proposed by a survey, not confirmed by a person"
        if facts.proposed
        else "written or confirmed by a person"
    )
    made = [
        ("Made by", f"Sfumato {facts.version}"),
        ("Made on", facts.created),
        ("Recipient profile", facts.recipient),
        ("Policy", policy),
        ("Engine", facts.engine),
        ("Solver", facts.solver or "none: nothing had to be searched for"),
        ("How close to the optimum", facts.proof or UNPROVEN),
        ("People in the release", number(facts.people)),
        ("Rows of the source", number(sum(one.rows_source for one in facts.tables))),
        ("Rows released", number(sum(one.rows_released for one in facts.tables))),
    ]
    return section(
        "method",
        "Method and parameters",
        table(("Parameter", "Value"), made, caption="How the candidate was made"),
        _snapshot(facts.snapshot),
    )


def _snapshot(snapshot: Mapping[str, Any]) -> Html:
    """The state of the source: numbers that name it, such as that of a transaction, stay as they
    are."""
    if not snapshot:
        return tag("p", "The engine names no state of the source.")
    words = (
        "All tables were read in one state of the source, so that no row could come or go in "
        "between:"
    )
    rows = [(name, str(value)) for name, value in snapshot.items() if not isinstance(value, list)]
    return join(
        [
            tag("p", words),
            table(("What names it", "Value"), rows, caption="The state that was read"),
        ]
    )


def files(facts: TablesFacts, charts: Mapping[str, Html]) -> Html:
    listed = [(name, tag("code", digest, class_="digest")) for name, digest in facts.files.items()]
    return section(
        "files",
        "Files, and how to check them",
        table(("File", "SHA-256 digest"), listed, caption="Files of the candidate")
        if listed
        else tag("p", "The manifest says where the tables are."),
        tag(
            "p",
            "To check that the tables are those described here, and to count and judge "
            "them again, run ",
            tag("code", "sfumato verify DIR"),
            ", where DIR is the folder with the manifest. It needs the released tables and "
            "their manifest, not the "
            "source, so a recipient can run it too.",
        ),
    )
