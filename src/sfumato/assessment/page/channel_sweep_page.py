"""The page of a sweep over channels: what more tolerance buys, in the figures of Garfinkel, Gopal
and Thompson 2007."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sfumato.report import (
    Html,
    bullets,
    can_draw,
    counted,
    figure,
    join,
    number,
    percent,
    section,
    table,
    tag,
    whole_page,
)

from ..channel_trade_off import RULES, ChannelTradeOff

if TYPE_CHECKING:
    from ..channel_sweep import ChannelSweep

_FIGURES = {
    "loss": "Loss by tolerance (their Figure 7): 0 discloses every subject's input channel, 1 none.",
    "loss-informed": "The same without subjects about whom nothing is disclosed (Figure 8).",
    "saved": "Of the loss at the lowest setting, the share that is saved (Figure 9).",
    "rate": "Of that loss, the share that one more per cent saves (Figure 10).",
    "inputs": "Input channels that a subject could be in, of those in several (Figure 11).",
}


def render_channel_sweep(made: ChannelSweep, *, version: str) -> str:
    """The page as text. Charts need the extra "assess"; without it their numbers are tables."""
    found, charts = made.trade_off, {}
    if can_draw():
        from ..charts.channel_charts import draw_trade_off

        charts = draw_trade_off(found)
    opening = tag(
        "p",
        f"{counted(made.subjects, 'subject')} in {counted(made.input_channels, 'input channel')}; "
        f"{counted(len(found.points), 'setting')} of {found.over}. Nothing was released to draw "
        "this.",
        class_="lead",
    )
    when = made.created.replace("T", " ").replace("+00:00", " UTC")
    body = join([opening, _trade_off(found, charts), _rules(), _missing(found)])
    return whole_page(
        body, title=made.title, created=when, version=version, kind="Risk-utility map of channels"
    )


def _trade_off(found: ChannelTradeOff, charts: Mapping[str, Html]) -> Html:
    numbers, rest = _table(found), [name for name in charts if name != "loss"]
    return section(
        "trade-off",
        "Loss against tolerance",
        *(tag("p", tag("strong", line)) for line in found.words),
        figure(charts.get("loss"), _FIGURES["loss"], numbers),
        *(tag("figure", charts[name], tag("figcaption", _FIGURES[name])) for name in rest),
    )


def _table(found: ChannelTradeOff) -> Html:
    saved = found.saved
    rows = [
        (
            f"{point.setting:g}",
            f"{point.loss:.4f}",
            "" if point.least_loss is None else f"{point.least_loss:.4f}",
            percent(share),
            percent(point.untold),
            f"{point.inputs_each:.2f}",
            number(point.output_channels),
            percent(point.at_risk),
        )
        for point, share in zip(found.solved, saved, strict=True)
    ]
    heads = (
        found.over,
        "Loss",
        "Proven least",
        "Saved",
        "Told nothing",
        "Inputs per subject",
        "Output channels",
        "At risk",
    )
    return table(heads, rows, caption="Settings", numeric=set(range(1, len(heads))))


def _rules() -> Html:
    return section(
        "rules",
        "How to read this",
        bullets(
            [
                f"Diminishing return: {RULES['diminishing_return']}.",
                f"Less than one for one: {RULES['below_one']}.",
                "Loss is the number of subjects that a subject can be confused with, over its "
                "largest value. At risk are subjects whose own input channel infers a value too "
                "well.",
                "These are places to start a discussion. What is tolerated is a decision of people.",
            ]
        ),
    )


def _missing(found: ChannelTradeOff) -> Html | str:
    gone = [point for point in found.points if point.reason]
    if not gone:
        return ""
    rows = [(f"{point.setting:g}", point.reason) for point in gone]
    return section(
        "missing",
        "Without a plan",
        tag("p", f"For {counted(len(gone), 'setting')} no plan exists."),
        table((found.over, "Why"), rows, caption="No plan"),
    )
