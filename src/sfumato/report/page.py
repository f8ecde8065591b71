"""The report page: facts in, one HTML file out that needs no network, no script and no other
file."""

from __future__ import annotations

from importlib import import_module
from importlib.resources import files
from string import Template

from .charts import draw
from .facts import ReportFacts
from .markup import Html, html, join
from .sections import PARTS

_EXTRA = ("altair", "vl_convert")


def render(facts: ReportFacts) -> str:
    """The page as text."""
    charts = draw(facts)
    body = join(part(facts, charts) for part in PARTS)
    return whole_page(body, title=facts.title, created=facts.created, version=facts.version)


def whole_page(
    body: Html,
    *,
    title: str,
    created: str,
    version: str,
    styles: tuple[str, ...] = ("page.css",),
    kind: str = "Disclosure report",
) -> str:
    """The body between head and foot, with the style sheets written into it."""
    return Template(_resource("page.html")).substitute(
        kind=html(kind),
        kind_small=html(kind.lower()),
        title=html(title),
        created=html(created),
        version=html(version),
        style="".join(map(_resource, styles)),
        body=body,
    )


def can_draw() -> bool:
    """Whether Vega-Lite is there, which draws the charts of assessments: the extra "assess"."""
    try:
        for name in _EXTRA:
            import_module(name)
    except ImportError:
        return False
    return True


def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
