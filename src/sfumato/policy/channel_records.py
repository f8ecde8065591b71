"""The policy of a release with names (Garfinkel et al. 2007): channels, tolerances, which inputs
may be combined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class CombinationRule(StrEnum):
    """A holder's rule about which input channels may be one output channel (Garfinkel et al. 2007,
    end of section 7 and section 8).

    no-gaps: with two values of the field, all those between them in the rule's order (low or high
    only with normal). apart: no two of the rule's values of the field, or of all its values where
    the rule names none. alike: the field keeps its value; the same as apart for all values. span:
    values are at most so far apart, in places of the rule's order, or as numbers where it names
    none; a value that is not in the order, or is no number, is only with itself."""

    NO_GAPS = "no-gaps"
    APART = "apart"
    ALIKE = "alike"
    SPAN = "span"


READINGS = ("subjects", "garfinkel-2007")
"""How (5) and the rules are read: for the subjects of a channel, or for its members alone, as in
the paper."""
CANDIDATES = ("priced", "enumerated")
"""How output channels are found: priced as they are needed among all there are, or a fixed set of
them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelRule:
    """One rule about one field; `values` in their order where it is about gaps or a span, which is
    at most `most`."""

    field: str
    rule: CombinationRule
    values: tuple[str, ...] = ()
    most: float | None = None

    def __repr__(self) -> str:
        return (
            f"ChannelRule(field={self.field!r}, rule={self.rule.value!r}, {len(self.values)} "
            "values)"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidentialField:
    """A further field that nobody may infer too well: its risky values, and those that disclose
    nothing."""

    name: str
    tolerance: Mapping[str, float] = field(repr=False)
    none: tuple[str, ...] = field(default=(), repr=False)
    weights: Mapping[str, float] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Channels:
    """A release with identifiers in which nobody can infer the confidential field too well.

    `fields` are the confidentiality-related fields, `identifiers` those that are released as they
    are, on purpose. `tolerance` is u_k for each risky value, `none` are the values that disclose
    nothing (null never does). `bound` is b, with `weights` c_k, 1 where none is given. `reading` is
    whether a member of a channel needs subjects in it. `max_undisclosed` is the share of subjects
    about whom nothing may be disclosed. `count` is how many channels are enumerated, `label` the
    name of the released field with a row's output channel.

    `least_not_at_risk` is the least share of each output channel's subjects in input channels that
    are not risky. A `compact` release has the sets of values once, in the table of channels, and
    not in every row. `also` are further confidential fields; the bound is on the sum over all of
    them.

    `max_differing` is in how many fields any two input channels of one output channel may differ.
    `field_weights` are what a field adds to the cost of a subject, as a multiple of it, where the
    field has several values in the subject's output channel. `statistics` makes the published
    statistics coarser than the channels: for a field the groups of values that are counted
    together, none where the field is not in them. `altered` is the name of a released field with
    the confidential values that a subject may have."""

    fields: tuple[str, ...]
    confidential: str
    identifiers: tuple[str, ...]
    tolerance: Mapping[str, float] = field(repr=False)
    none: tuple[str, ...] = field(default=(), repr=False)
    weights: Mapping[str, float] = field(default_factory=dict, repr=False)
    bound: float | None = None
    whole_subjects: bool = True
    candidates: str = "priced"
    max_inputs: int | None = None
    rules: tuple[ChannelRule, ...] = ()
    count: int = 2048
    seconds: float = 60.0
    work: int | None = None
    reading: str = "subjects"
    max_undisclosed: float | None = None
    label: str = "channel"
    least_not_at_risk: float | None = None
    compact: bool = False
    also: tuple[ConfidentialField, ...] = ()
    max_differing: int | None = None
    field_weights: Mapping[str, float] = field(default_factory=dict)
    statistics: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict, repr=False)
    altered: str = ""

    @property
    def confidential_fields(self) -> tuple[ConfidentialField, ...]:
        """All confidential fields, the first one first."""
        first = ConfidentialField(
            name=self.confidential, tolerance=self.tolerance, none=self.none, weights=self.weights
        )
        return (first, *self.also)

    @property
    def confidential_names(self) -> tuple[str, ...]:
        return (self.confidential, *(each.name for each in self.also))

    @property
    def own_fields(self) -> tuple[str, ...]:
        """The released fields that the table does not have: output channel and altered values."""
        return (self.label, *((self.altered,) if self.altered else ()))

    @property
    def risky_values(self) -> tuple[tuple[str, str], ...]:
        """Each risky value with its field, in the order of all tables."""
        return tuple(
            (each.name, value) for each in self.confidential_fields for value in each.tolerance
        )

    @property
    def all_tolerances(self) -> dict[str, float]:
        """The tolerance of each risky value; those of further fields are FIELD=VALUE."""
        return _by_value(self, "tolerance")

    @property
    def all_weights(self) -> dict[str, float]:
        return _by_value(self, "weights")


def _by_value(channels: Channels, part: str) -> dict[str, float]:
    out = dict(getattr(channels, part))
    for each in channels.also:
        out |= {f"{each.name}={value}": number for value, number in getattr(each, part).items()}
    return out
