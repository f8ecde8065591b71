"""The report page of a table of counts, for its holder and a review board."""

from __future__ import annotations

from typing import Final

import sfumato
from sfumato.policy import TablesOfCounts
from sfumato.report import figure, join, section, table, tag, whole_page

from .method_facts import MethodFacts

_OUTCOMES: Final = {
    "pass": "The table was read back and checked.",
    "review": "A person decides: the method has no bound that a check could hold it to, the "
    "declared values do not fit the source, or noise hides most of its people.",
    "fail": "The table is not protected as the policy asks.",
}


def tabulation_page(made: MethodFacts, policy: TablesOfCounts, *, created: str) -> str:
    """One page: the outcome, what was measured, the chart, and what the table is."""
    gone = sum(value is None for value in made.table.values)
    size = f"{len(made.table):,} cells"
    if gone:
        size += f", of which {gone:,} are suppressed ({gone / len(made.table):.0%})"
    summary = section(
        "outcome",
        f"{made.outcome.capitalize()}: {policy.declaration.title}",
        tag("p", f"{_OUTCOMES[made.outcome]} The table has {size}."),
        tag("p", made.statement),
    )
    parts = [
        summary,
        section(
            "protection",
            "What was measured",
            table(("what", "found"), made.findings, caption="For the holder of the source"),
        ),
    ]
    if made.chart is not None:
        numbers = join(made.details) if made.details else join(())
        parts.append(
            section("chart", "At a glance", figure(made.chart, made.chart_caption, numbers))
        )
    elif made.details:
        parts.append(section("details", "Details", *made.details))
    parts.append(section("policy", "What was asked", _asked(policy)))
    return whole_page(
        join(parts),
        title="Table of counts",
        created=created,
        version=sfumato.__version__,
        kind="Table of counts",
    )


def _asked(policy: TablesOfCounts) -> str:
    rows = [
        ("fields", ", ".join(policy.fields) or "none"),
        ("levels of areas", ", ".join(policy.levels) or "none"),
        ("tables", "; ".join(" by ".join(fields) for fields in policy.tables)),
        ("whose a row is", policy.entity or "each row is taken for a person"),
    ]
    if policy.measure:
        rows.append(("summed", policy.measure))
    return table(("key", "value"), rows, caption="The policy")
