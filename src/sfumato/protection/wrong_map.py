"""Wrong-map: each released tuple maps to exactly one subject, and that is not the one it is about
(Sweeney 2000, section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, Pairing, Under
from sfumato.hierarchies import Hierarchy
from sfumato.parts import Direction, ParameterKind, Shape, parameter
from sfumato.policy import ROWS, OutsideNeed, RequirementForm, Role
from sfumato.wording import counted

from .declaration import ModelContext, ModelDeclaration
from .map_checks import map_checks
from .model import Model, verdict_of
from .verdict import Verdict
from .wrong_value_gain import wrong_value_gain

LEAST_WRONG = 3
"""The least number of subjects and of values: of two, a wrong one discloses the right one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongMapRequirement:
    """Each released tuple maps to one subject over `fields`, who is not its own. In `outside` it
    does not have the values collected about that subject."""

    fields: tuple[str, ...] = parameter(
        "quasi fields; all that the recipient knows where none is named",
        default=(),
        kind=ParameterKind.FIELDS,
    )
    outside: tuple[str, ...] = parameter(
        "other released fields, taken together, that must not equal the collected values; "
        "all where none is named",
        default=(),
        kind=ParameterKind.FIELDS,
    )
    gain: float = parameter(
        "largest gain in confidence about the values outside, for one who knows that each is wrong",
        default=1.0,
        above=0,
        most=1,
        stricter=Direction.DOWN,
    )


@dataclass(frozen=True, kw_only=True)
class WrongMap:
    """Each released tuple covers exactly one subject, whom no row with that tuple is about. No such
    row has the values collected of that subject outside the quasi-identifier. There are at least
    three rows, subjects and values outside.

    Swapping the quasi-identifiers of people as a unit can achieve it. The bins of a release do not
    identify the subject of a row, so the holder must: `pairing` has the released rows beside their
    subjects, with values of level 0. A released label covers every value under it. Where a release
    suppressed rows, or cut bins in portions, the pairing knows the rows that could be in a bin.
    Each of them is taken to be in it. A row that the pairing does not know is taken to match its
    own subject.

    Assumes: the pairing was made where the true link was known, on the rows that are released. Does
    not protect: the person who is wrongly matched, from the harm of it; against a recipient who can
    undo the swapping; against inference from a wrong value where there are few others. Reference:
    Sweeney 2000, section 5, wrong-map protection; docs/protection/wrong-map.md.

    Example:
        >>> people = [("1965", "02138"), ("1964", "02139"), ("1963", "02141")]
        >>> pairing = Pairing.of(("birth", "zip"), subjects=people, released=people, own=(1, 0, 2))
        >>> release = Bins.of(("birth", "zip"), dict.fromkeys(people, 1))
        >>> WrongMap(fields=("birth", "zip"), pairing=pairing).failing(release).tolist()
        [False, False, True]
    """

    fields: tuple[str, ...]
    pairing: Pairing = field(repr=False)
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict, repr=False)
    gain: float = 1.0

    name: ClassVar[str] = "wrong-map"
    monotone_generalisation: ClassVar[bool] = False
    monotone_suppression: ClassVar[bool] = False
    bin_monotone: ClassVar[bool] = False
    reads_labels: ClassVar[bool] = True

    @property
    def is_compromised(self) -> bool:
        """Whether a wrong subject or value discloses the right one, because there are too few, or
        the inference from it exceeds the limit."""
        return bool(self.impossible)

    @cached_property
    def impossible(self) -> str:
        """Why no recoding makes it hold: wrong subjects and values are what they are at all levels."""
        if len(self.pairing.subjects) < LEAST_WRONG:
            return f"there are fewer than {LEAST_WRONG} subjects, so a wrong one discloses the right one"
        if self.inferred >= 1.0 and len(np.unique(self.pairing.collected)) < LEAST_WRONG:
            return (
                f"fewer than {LEAST_WRONG} values outside were collected: of two, a wrong one "
                "discloses the right one"
            )
        if self.inferred >= 1.0:
            return "half of the rows or more have one value outside, so a wrong one discloses it"
        if self.inferred > self.gain:
            return (
                f"a recipient who knows that all values outside are wrong gains {self.inferred:.4g} "
                f"in confidence, and gain is {self.gain:g}"
            )
        return ""

    @cached_property
    def inferred(self) -> float:
        """The gain in confidence about a value outside, for a recipient who knows that each is
        wrong; 0 where there is none outside."""
        collected = self.pairing.collected
        if not len(collected) or not self.fields:
            return 0.0
        if len(np.unique(collected)) < LEAST_WRONG:
            return 1.0
        said = self.pairing.wrong_values(self.fields)
        size = int(max(collected.max(initial=0), said.max(initial=0))) + 1
        prior = np.bincount(collected, minlength=size) / len(collected)
        return wrong_value_gain(np.bincount(said, minlength=size), prior) if len(said) else 0.0

    def under(self, bins: Bins) -> Under:
        """For each released bin: the subjects that it covers, and its rows that match their own
        subject or have its value."""
        return self.pairing.under(bins, self.fields, self.hierarchies)

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        if not self.fields:
            return np.zeros(len(bins), bool)
        if bins.rows < LEAST_WRONG or self.is_compromised:
            return np.ones(len(bins), bool)
        found = self.under(bins)
        groups, together = bins.group_of(self.fields)
        unknown = together[groups] > found.rows
        failing: NDArray[np.bool_] = (
            (found.subjects != 1) | (found.home > 0) | (found.right > 0) | unknown
        )
        return failing

    def judge(self, bins: Bins) -> Verdict:
        return verdict_of(
            self,
            bins,
            requirement=f"each tuple covers one of {len(self.pairing.subjects)} subjects, and not its "
            "own" + (f", gain = {self.gain:g}" if self.gain < 1.0 else ""),
            fields=self.fields,
            smallest=bins.smallest,
            measured=self._measured(bins.project(self.fields)) if self.fields else "",
        )

    def _measured(self, bins: Bins) -> str:
        if len(self.pairing.subjects) < LEAST_WRONG or self.inferred >= 1.0:
            return (
                f"fewer than {LEAST_WRONG} subjects, or one value that half of the rows have, so "
                "that wrong values reveal the right one"
            )
        if bins.rows < LEAST_WRONG:
            return f"fewer than {LEAST_WRONG} rows are released"
        found = self.under(bins)
        several, none = (
            int(bins.counts[mark].sum()) for mark in (found.subjects > 1, found.subjects == 0)
        )
        told = [
            counted(int(found.home.sum()), "row leads to its", "rows lead to their")
            + " own subject",
            f"{int(found.right.sum())} have the collected values of the subject that they lead to",
        ]
        if len(self.pairing.collected):
            told.append(
                f"a recipient who knows that all are wrong gains {self.inferred:.4g} in confidence"
            )
        told += [f"{several} lead to several"] if several else []
        told += [f"{none} lead to none"] if none else []
        return ", ".join(told)


def _build(asked: WrongMapRequirement, context: ModelContext) -> Iterator[Model]:
    assert context.pairing is not None
    yield WrongMap(
        fields=context.named(asked.fields),
        pairing=context.pairing,
        hierarchies=context.hierarchies,
        gain=asked.gain,
    )


DECLARATION = ModelDeclaration(
    key="wrong_map",
    doc="each released tuple maps to exactly one subject, who is not the one that it is about",
    record=WrongMapRequirement,
    form=RequirementForm.FLAG,
    needs=OutsideNeed.PAIRING,
    roles={"fields": (Role.QUASI,), "outside": (Role.SENSITIVE, Role.INSENSITIVE)},
    shapes=ROWS - {Shape.NULL_READINGS, Shape.SEVERAL_TABLES},
    reasons={
        Shape.SEVERAL_ROWS: "the subject of a released row is followed for one row per person",
        Shape.NULL_READINGS: "a missing value is looked up as a value of its own",
    },
    checks=map_checks(
        "wrong_map",
        attempt='[[steps]] with technique = "wrong_map" on all of them.',
        every_field=False,
    ),
    against_blanks="a blanked cell leads to everyone, where each tuple must lead to one person",
    build=_build,
    models=(WrongMap,),
    place=360,
)
