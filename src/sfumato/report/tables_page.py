"""The report page of a release of several tables: facts in, one HTML file out that loads and runs
nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .markup import Html, join
from .page import can_draw, whole_page
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
    """The page as text. Charts need the extra "report"; without it their numbers stand as tables.

    The drawing of the tables and the bars of their rows are made by hand and are always there.
    """
    drawn = can_draw()
    charts = _charts(facts) if drawn else {}
    body = join([banner(facts, drawn=drawn), *(part(facts, charts) for part in _PARTS)])
    return whole_page(
        body,
        title=facts.title,
        created=facts.created,
        version=facts.version,
        styles=("page.css", "tables.css"),
    )


def _charts(facts: TablesFacts) -> Mapping[str, Html]:
    from .charts.tables_charts import draw_tables

    return draw_tables(facts)
