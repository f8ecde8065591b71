"""The losses, and the remaining uses of the release, for a board: fields, pairs of fields,
questions, models, and bins."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.report import (
    Html,
    bullets,
    counted,
    folded,
    join,
    number,
    percent,
    section,
    share_of,
    table,
    tag,
)
from sfumato.report.sections import card

from ..utility import Usefulness
from .utility_fields import fields, share
from .utility_uses import models, pairs, questions

__all__ = ["part"]


def part(result: Usefulness, charts: Mapping[str, Html]) -> Html:
    """All sections about the utility of the release."""
    return join(
        [
            _overview(result),
            fields(result, charts),
            pairs(result, charts),
            questions(result, charts),
            models(result, charts),
        ]
    )


def _overview(result: Usefulness) -> Html:
    lost, asked = result.losses, result.queries
    released = percent(share_of(result.rows_released, result.rows_source))
    gone = max(result.rows_source - result.rows_released, 0)
    cards = [
        card(
            released,
            "rows released",
            f"{counted(gone, 'row')} of {number(result.rows_source)} left out.",
        )
    ]
    if lost is not None:
        meaning = (
            "How much of its field a released cell covers, on average. 0 %: one value; 100 "
            "%: every value."
        )
        cards.append(card(percent(lost.loss), "loss", meaning))
    if asked is not None:
        meaning = (
            "How far a count from the release is usually off, over random questions about one "
            "to three fields."
        )
        cards.append(card(percent(asked.whole.median), "error of a count", meaning))
    kept = [model.gain_kept for model in result.models if model.gain_kept is not None]
    if kept:
        meaning = "The share of a model's gain on the source that it also has on the release."
        cards.append(card(percent(max(0.0, min(kept))), "of a model's gain", meaning))
    return section(
        "worth",
        "What was lost, and what the release can be used for",
        tag("div", *cards, class_="cards"),
        _bins(result),
        _missing(result),
    )


def _bins(result: Usefulness) -> Html:
    lost = result.losses
    if lost is None:
        return Html("")
    rows = [
        (
            "Precision",
            share(lost.precision),
            "100 % means that no field was generalised, 0 % that every field was suppressed.",
        ),
        (
            "Loss",
            percent(lost.loss),
            "The share of its field that a released cell covers, mean over cells and fields.",
        ),
        (
            "Loss, ARX's mean",
            percent(lost.loss_arx),
            "The same with ARX's geometric mean over the fields.",
        ),
        (
            "Non-uniform entropy",
            share(lost.non_uniform_entropy),
            "Bits lost, given how often each value occurs.",
        ),
        (
            "Data quality",
            share(lost.entropy),
            "Bits it takes to write the release, against the source (entropy).",
        ),
        (
            "Discernibility",
            f"{percent(lost.discernibility_before)} → {percent(lost.discernibility)}",
            "The share of all rows that a row cannot be distinguished from, a suppressed row "
            "counting as all; before and after.",
        ),
        (
            "Average bin size",
            f"{number(lost.average_bin_size_before)} → {number(lost.average_bin_size)}",
            "Rows that share the same known values; before and after.",
        ),
    ]
    numbers = table(
        ("Measure", "Value", "What it means"), rows, caption="What the bins lost", numeric={1}
    )
    return folded("All measures of loss", numbers, class_="numbers")


def _missing(result: Usefulness) -> Html:
    words = [f"{name}: undecided, because {why}." for name, why in result.not_said.items()]
    words += [f"{name} was not compared: {why}." for name, why in result.left_out.items()]
    return (
        folded("What was not measured, and why", bullets(words), class_="long")
        if words
        else Html("")
    )
