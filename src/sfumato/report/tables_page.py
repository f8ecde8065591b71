"""The report page of a release of several tables: facts in, one HTML file out that loads and runs
nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .charts.tables_charts import draw_tables
from .markup import Html, join
from .page import whole_page
from .sections.account import warnings_and_notes
from .sections.attachments import policy
from .sections.tables_account import files, levels, method
from .sections.tables_each import each
from .sections.tables_overview import overview
from .sections.tables_protection import bin_sizes, verdicts
from .sections.tables_summary import banner, recipient, summary
from .tables_facts import TablesFacts

Part = Callable[[TablesFacts, Mapping[str, Html]], Html]

_PARTS: tuple[Part, ...] = (
    recipient,
    summary,
    verdicts,
    warnings_and_notes,
    overview,
    each,
    levels,
    bin_sizes,
    policy,
    method,
    files,
)


def render_tables(facts: TablesFacts) -> str:
    """The page as text."""
    charts = draw_tables(facts)
    body = join([banner(facts), *(part(facts, charts) for part in _PARTS)])
    return whole_page(
        body,
        title=facts.title,
        created=facts.created,
        version=facts.version,
        styles=("page.css", "tables.css"),
    )
