"""The replacement of a reference: a surrogate, a tag, a mask or nothing; and what of it is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ..kinds import ReferenceKind


class ReplacementMethod(StrEnum):
    """How a reference is replaced."""

    SURROGATE = "surrogate"
    """Another of its kind, made up; where nobody knows how, it is suppressed."""
    TAG = "tag"
    """Its kind and a number: [NAME 1]; the same person or number has the same one throughout."""
    MASK = "mask"
    """As many asterisks as it had characters."""
    SUPPRESS = "suppress"


class Trait(StrEnum):
    """The traits of a name that its surrogate keeps. Each discloses something about the person:
    keep those that are needed."""

    GENDER = "gender"
    INITIALS = "initials"
    ORIGIN = "origin"


class DateStyle(StrEnum):
    """The treatment of dates. Coarser ones than the style keeps, such as a year alone, stay."""

    SHIFT = "shift"
    """All dates of one person move by the same number of days."""
    MONTH = "month"
    YEAR = "year"
    SUPPRESS = "suppress"


class PlaceStyle(StrEnum):
    """The treatment of towns, regions, countries and postcodes."""

    LIKE = "like"
    """Another of like size, in another region of the same country."""
    REGION = "region"
    """Towns and postcodes are cut to their region; regions and countries stay."""


class UnsureStyle(StrEnum):
    """The treatment of a name, place or number that is masked and not certain."""

    TAG = "tag"
    """Its kind with a question mark: [NAME?]. A reader sees that something was taken out."""
    SURROGATE = "surrogate"
    """As everything else."""
    KEEP = "keep"
    """It stays: a missed identity may stay with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How the references of a collection are replaced; `by_kind` names the exceptions.

    `day_first` is how 05/06/07 is read where no other date of the document decides it. `suppressed`
    is put in the place of a suppressed reference; Fig. 22 of Sweeney 2000 has nothing there.

    Example:
        >>> style = Style(method=ReplacementMethod.MASK, by_kind={ReferenceKind.NAME: ReplacementMethod.TAG})
        >>> style.method_for(ReferenceKind.NAME), style.method_for(ReferenceKind.PHONE)
        (<ReplacementMethod.TAG: 'tag'>, <ReplacementMethod.MASK: 'mask'>)
    """

    method: ReplacementMethod = ReplacementMethod.SURROGATE
    by_kind: Mapping[ReferenceKind, ReplacementMethod] = field(default_factory=dict)
    keep: frozenset[Trait] = frozenset({Trait.GENDER})
    dates: DateStyle = DateStyle.SHIFT
    places: PlaceStyle = PlaceStyle.LIKE
    day_first: bool = False
    unsure: UnsureStyle = UnsureStyle.TAG
    suppressed: str = "[...]"

    def method_for(self, kind: ReferenceKind) -> ReplacementMethod:
        return self.by_kind.get(kind, self.method)
