"""The report page: facts in, one HTML file out that needs no network, no script and no other file."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.resources import files
from string import Template

from .facts import ReportFacts
from .markup import Html, html, join
from .sections import PARTS

_EXTRA = ("altair", "vl_convert")


def render(facts: ReportFacts) -> str:
    """The page as text. Charts need the extra "report"; without it their numbers stand as tables."""
    charts = _charts(facts)
    return Template(_resource("page.html")).substitute(
        title=html(facts.title),
        created=html(facts.created),
        version=html(facts.version),
        style=_resource("page.css"),
        body=join(part(facts, charts) for part in PARTS),
    )


def _charts(facts: ReportFacts) -> Mapping[str, Html]:
    try:
        for name in _EXTRA:
            import_module(name)
    except ImportError:
        return {}
    from .charts import draw

    return draw(facts)


def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
