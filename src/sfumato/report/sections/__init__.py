"""The parts of the page, in the order of reading: each takes the facts and the charts and gives
HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..facts import ReportFacts
from ..markup import Html
from .account import fields, method, solver_steps, warnings_and_notes
from .attachments import files, policy
from .detail import card, levels, usefulness
from .hierarchies import hierarchies
from .outcome_banner import SIGN
from .protection import ads0, bin_sizes, chance, verdicts
from .summary import banner, recipient, summary

Part = Callable[[ReportFacts, Mapping[str, Html]], Html]

PARTS: tuple[Part, ...] = (
    banner,
    recipient,
    summary,
    verdicts,
    bin_sizes,
    chance,
    levels,
    usefulness,
    ads0,
    fields,
    solver_steps,
    warnings_and_notes,
    hierarchies,
    policy,
    method,
    files,
)


__all__ = ["PARTS", "SIGN", "Part", "card"]
