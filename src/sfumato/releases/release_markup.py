"""A release in a few lines, and for a notebook: verdict, what was lost, one chart. No cell value is
in either."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sfumato.report import Html, bullets, html, join, percent, table, tag
from sfumato.wording import counted

if TYPE_CHECKING:
    from .release_record import Release

_COLOURS = {"pass": "#1a7f4b", "review": "#a15c00", "fail": "#b3261e"}
_BAR = "display:inline-block;height:0.7em;background:#4c78a8;vertical-align:middle"
MOST_TABLES = 20


def summarise_release(made: Release) -> str:
    """Outcome and rows in one line; then verdicts, fields that nobody named, and open questions."""
    return "\n".join(_lines(made))


def _lines(made: Release) -> Iterator[str]:
    source = made.rows + made.rows_suppressed
    place = f"in {made.folder}" if made.folder is not None else "in memory"
    yield f"Release {place}: {made.outcome}; {made.rows:,} of {counted(source, 'row')} released"
    for verdict in made.verdicts:
        yield f"  {verdict.outcome}: {verdict.model} ({verdict.requirement}), {verdict.reason}"
    if made.lost:
        back = "it" if len(made.lost) == 1 else "them"
        yield f"  lost: {', '.join(made.lost)}; sfumato.advise(source, made.policy) finds changes that keep {back}"
    yield from (f"  review: {reason}" for reason in made.reviews)
    yield from (f"  not named: {name}, {why}" for name, why in made.surveyed.items())


def release_markup(made: Release) -> str:
    """HTML that loads and runs nothing."""
    source = made.rows + made.rows_suppressed
    outcome = tag("b", made.outcome, style=f"color:{_COLOURS[made.outcome]}")
    said = f": {made.rows:,} of {counted(source, 'row')} released"
    parts: list[str] = [tag("p", outcome, said), _verdicts(made)]
    if made.lost:
        parts.append(tag("p", f"Nothing is left of {', '.join(made.lost)}."))
    if made.reviews:
        parts.append(bullets(made.reviews))
    parts += [_lost(made), _fields(made)]
    return str(tag("div", *parts))


def _verdicts(made: Release) -> Html:
    rows = [(each.outcome, each.model, each.requirement, each.reason) for each in made.verdicts]
    return table(("verdict", "model", "requirement", "reason"), rows, caption="What was counted")


def _lost(made: Release) -> Html:
    """How much of each field is left, as bars; nothing where the manifest does not say."""
    per_field = made.manifest.get("utility", {}).get("per_field", {})
    shares = {name: float(share) for name, share in per_field.items()}
    if not shares:
        return html("")
    rows = [
        tag(
            "tr",
            tag("td", name),
            tag("td", tag("span", style=f"{_BAR};width:{8 * share:.2f}em"), f" {percent(share)}"),
        )
        for name, share in shares.items()
    ]
    caption = tag("caption", "Precision: how much of each quasi-identifier is left")
    return tag("table", caption, tag("tbody", *rows))


def _fields(made: Release) -> Html:
    """The treatment of each field, table by table."""
    tables = list(made.manifest["tables"].items())[:MOST_TABLES]
    return join(
        table(
            ("field", "what was done", "not named"),
            [
                (field, done, made.surveyed.get(f"{name}.{field}", made.surveyed.get(field, "")))
                for field, done in facts["fields"].items()
            ],
            caption="Fields" if len(tables) == 1 else f"Fields of {name}",
        )
        for name, facts in tables
    )
