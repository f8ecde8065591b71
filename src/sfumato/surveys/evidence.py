"""The evidence that a detector gets of one field: its name, its counts and a sample of its
values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from sfumato.engines import (
    Engine,
    FieldInfo,
    FieldKind,
    FieldProfile,
    profile_held,
    sample_held,
)

from .coded_rows import CodedField
from .name_words import singular, split_words, words_of

SAMPLE = 400
GLANCE = 50
"""A test that fails on nearly all of the first values is not run on the rest."""

GENERIC = {
    *(
        "code",
        "codes",
        "value",
        "values",
        "item",
        "entry",
        "term",
        "description",
        "descriptions",
        "desc",
    ),
    *("reason", "label", "text", "type", "status", "quantity"),
}
"""Names without a meaning of their own: the table `procedures` decides what its codes are."""

Test = Callable[[str], bool]


@dataclass(frozen=True)
class Evidence:
    """One field, as a detector reads it. The sample is of distinct values and is never shown.

    `table` is the name of the table that has the field, where there are several.
    """

    profile: FieldProfile
    sample: tuple[str, ...] = field(repr=False)
    table: str = ""

    @property
    def name(self) -> str:
        return self.profile.info.name

    @cached_property
    def words(self) -> tuple[str, ...]:
        own = split_words(words_of(self.name))
        return own if not set(own) <= GENERIC else (*map(singular, words_of(self.table)), *own)

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The sampled values without the space around them, and without blank ones."""
        return tuple(text for text in (value.strip() for value in self.sample) if text)

    @property
    def present(self) -> int:
        """The rows with a value."""
        return self.profile.rows - self.profile.nulls

    @property
    def unique_share(self) -> float:
        """The share of the rows with a value whose value occurs nowhere else."""
        return self.profile.unique / self.present if self.present else 0.0

    @property
    def distinct_share(self) -> float:
        return self.profile.distinct / self.present if self.present else 0.0

    @property
    def all_numbers(self) -> bool:
        return self.present > 0 and self.profile.numbers == self.present

    @property
    def all_integers(self) -> bool:
        return self.present > 0 and self.profile.integers == self.present

    @cached_property
    def kind(self) -> FieldKind:
        """The type that all values have, even where the source keeps them as text; 02138 stays
        text."""
        declared = self.profile.info.kind
        if declared is not FieldKind.TEXT or not self.present:
            return declared
        if any(len(value) > 1 and value[0] == "0" and value[1] != "." for value in self.values):
            return FieldKind.TEXT
        if self.all_integers:
            return FieldKind.INTEGER
        if self.all_numbers:
            return FieldKind.REAL
        return FieldKind.DATE if self.profile.dates == self.present else FieldKind.TEXT

    def share(self, test: Test) -> float:
        """The share of the sampled values that pass `test`."""
        if not self.values:
            return 0.0
        glanced = sum(map(test, self.values[:GLANCE]))
        seen = min(GLANCE, len(self.values))
        if seen == len(self.values) or glanced < seen / 10:
            return glanced / seen
        return (glanced + sum(map(test, self.values[GLANCE:]))) / len(self.values)


def gather(engine: Engine, name: str, *, table: str = "") -> Evidence:
    """Ask the engine for everything the detectors need about one field."""
    return Evidence(engine.profile(name), engine.sample(name, SAMPLE), table)


def gather_held(info: FieldInfo, held: CodedField, *, table: str = "") -> Evidence:
    """The same of a field whose rows are all held."""
    found = np.bincount(held.codes + 1, minlength=held.distinct + 1).tolist()
    counts = dict(zip(held.values, found[1:], strict=True))
    profile = profile_held(info, counts, nulls=found[0])
    return Evidence(profile, sample_held(held.values, SAMPLE), table)


def percent(share: float) -> str:
    """A share in words for a reason: never rounded up to all, never down to none.

    Example:
        >>> percent(0.97), percent(0.9999), percent(0.0001), percent(1)
        ('97 %', 'over 99 %', 'under 1 %', '100 %')
    """
    if 0.995 <= share < 1:
        return "over 99 %"
    if 0 < share < 0.005:
        return "under 1 %"
    return f"{100 * share:.0f} %"


def sentence(reasons: Sequence[str]) -> str:
    """Reasons as one sentence.

    Example:
        >>> sentence(["the name says 'zip'", "all are ZIPs"])
        "The name says 'zip'; all are ZIPs."
    """
    text = "; ".join(reasons)
    return f"{text[:1].upper()}{text[1:]}."
