"""The assessment page: facts in, one HTML file out that loads and runs nothing, in the order in
which a board reads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module

from sfumato.report import Html, can_draw, join, section, tag, whole_page

from . import ads0_part, five_safes_part, method_part, short_part, summary_part
from .facts import AssessmentFacts

STYLES = ("page.css", "assessment.css")
PARTS, CHARTS = "sfumato.assessment.page", "sfumato.assessment.charts"

FAMILIES: Mapping[str, tuple[str, str, str]] = {
    "risk": ("How likely a person is found", "risk_part", "risk_charts"),
    "unicity": ("How many values single out a person", "unicity_part", "unicity_chart"),
    "identifying_sets": (
        "Which released fields single people out",
        "identifying_sets_part",
        "",
    ),
    "intervals": ("Do the days between two dates single people out?", "interval_part", ""),
    "groups": ("Is somebody worse protected than others?", "group_part", ""),
    "suda": ("Who is singled out by few fields", "suda_part", "suda_charts"),
    "usefulness": (
        "What was lost, and what the release can be used for",
        "utility_part",
        "utility_charts",
    ),
    "attacks": ("What attacks learn", "attacks_part", "attack_charts"),
}
"""The name of each family where it is missing, its part of the page, and the module of its
charts."""
CHAPTERS: Mapping[str, tuple[str, ...]] = {
    "Risk": ("risk", "unicity", "identifying_sets", "intervals", "groups", "suda"),
    "Usefulness": ("usefulness",),
    "Attacks": ("attacks",),
}


def render_assessment(facts: AssessmentFacts) -> str:
    """The page as text. Charts need the extra "assess"; without it their numbers are tables."""
    drawn = can_draw() and facts.charts
    chapters = [_chapter(name, families, facts, drawn=drawn) for name, families in CHAPTERS.items()]
    parts = [
        summary_part.judgements(facts),
        summary_part.subject(facts),
        summary_part.requirements(facts),
        five_safes_part.five_safes(facts),
        *chapters,
        tag(
            "div",
            tag("p", "Method", class_="chapter"),
            method_part.lattice(facts),
            method_part.method(facts),
        ),
    ]
    first = [
        summary_part.banner(facts, drawn=drawn or not facts.charts),
        short_part.in_short(facts),
    ]
    body = join([*first, _contents(parts), *parts])
    return whole_page(
        body,
        title=facts.title,
        created=facts.created,
        version=facts.version,
        styles=STYLES,
        kind="Disclosure assessment",
    )


def _chapter(name: str, families: tuple[str, ...], facts: AssessmentFacts, *, drawn: bool) -> Html:
    """The families of one chapter under its name; the ADS0 finding belongs to risk."""
    parts = [_family(family, facts, drawn=drawn) for family in families]
    if "risk" in families:
        parts.append(
            ads0_part.ads0(facts.ads0, facts.known)
            if facts.ads0 is not None
            else _left_out("ads0", facts)
        )
    return tag("div", tag("p", name, class_="chapter"), *parts, id=f"chapter-{families[0]}")


def _family(name: str, facts: AssessmentFacts, *, drawn: bool) -> Html:
    if name not in facts.results:
        return _left_out(name, facts)
    _, part, charts = FAMILIES[name]
    result = facts.results[name]
    pictures = import_module(f"{CHARTS}.{charts}").draw(result) if drawn and charts else {}
    return Html(import_module(f"{PARTS}.{part}").part(result, pictures))


def _left_out(name: str, facts: AssessmentFacts) -> Html:
    """A missing part is named in its place."""
    if name not in facts.left_out:
        return Html("")
    heading = FAMILIES[name][0] if name in FAMILIES else ads0_part.HEADING
    return section(
        f"{name}-left-out", heading, tag("p", f"Not measured: {facts.left_out[name].rstrip('.')}.")
    )


def _contents(parts: list[Html]) -> Html:
    """Links to every section, by its own heading."""
    found = re.findall(r'<section id="([^"]+)"><h2>(.*?)</h2>', join(parts))
    links = [tag("li", tag("a", Html(heading), href=f"#{anchor}")) for anchor, heading in found]
    return tag("nav", tag("ol", *links), id="contents", aria_label="On this page")
