"""The input of a technique besides cells, and its account of what it did."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sfumato.policy import Policy

from .cells import Cells
from .keyed_random import KeyedRandom


@dataclass(frozen=True, kw_only=True)
class StepContext:
    """`chance` is for this step alone. `secret` gives a key of 32 bytes for a purpose, and refuses
    where the holder has given none. `folder` is where file names in the policy start."""

    policy: Policy
    chance: KeyedRandom = field(repr=False)
    secret: Callable[[str], bytes] = field(repr=False)
    folder: Path = Path()


@dataclass(frozen=True, kw_only=True)
class StepResult:
    """The cells afterwards, the treatment of each field in words that a recipient can use, and
    numbers that let results be corrected (such as the variance of noise; none that lets it be
    undone), and what a person should know."""

    cells: Cells
    words: Mapping[str, str]
    facts: Mapping[str, object] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
