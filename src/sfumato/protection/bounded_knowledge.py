"""Bounded knowledge: the register fields and any m others match k people, and disclose no value
(LKC-privacy).

Mohammed, Fung, Hung and Lee 2009, "Anonymizing healthcare data: a case study on the blood
transfusion service". There a recipient knows any L values; here also the register fields, always.
There chosen sensitive values are limited; here all are, unless `values` names some. Cells that are
suppressed one by one are not in the paper: read strictly, `*` is a value of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import comb
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, wild_cells
from sfumato.hierarchies import Label
from sfumato.parts import Direction, ParameterKind, Shape, parameter
from sfumato.policy import ROWS, CellReading, LooksAt, NullRule, Policy, RequirementForm, Role
from sfumato.wording import agreeing, counted

from .declaration import ModelContext, ModelDeclaration
from .histograms import ROUNDING, inside
from .known_combinations import (
    Judge,
    KnownGroups,
    largest_shares,
    sizes_of_groups,
    walk_combinations,
)
from .model import Model, verdict_of
from .reference import LabelAlignment
from .value_steps import SteppedField, limited_values
from .verdict import Verdict

MOST_KNOWN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedKnowledgeRequirement:
    """A recipient who knows the `register` fields and any `m` other quasi fields of a person finds
    `k` people. No sensitive value is inferred with more than `confidence`."""

    k: int = parameter(
        "rows, or people, that share each combination",
        least=1,
        example="5",
        stricter=Direction.UP,
    )
    m: int = parameter(
        "how many quasi fields besides the register fields a recipient may know",
        least=1,
        most=MOST_KNOWN,
        example="2",
        stricter=Direction.UP,
    )
    register: tuple[str, ...] = parameter(
        "quasi fields that registers and neighbours hold: a recipient knows them all",
        default=(),
        kind=ParameterKind.FIELDS,
        example='["birth", "sex"]',
        stricter=Direction.MORE,
    )
    confidence: float | None = parameter(
        "the largest share of those who share a combination with one sensitive value",
        default=None,
        above=0,
        most=1,
        stricter=Direction.DOWN,
    )
    fields: tuple[str, ...] = parameter(
        "sensitive fields of which `confidence` is asked; all where none is named",
        default=(),
        kind=ParameterKind.FIELDS,
        stricter=Direction.MORE,
    )
    values: tuple[str, ...] = parameter(
        "sensitive values that are limited; all where none is named", default=()
    )

    def conflicts(self, given: frozenset[str]) -> Iterator[tuple[str, str, str]]:
        if len(set(self.register)) < len(self.register):
            yield "register", "It names a field twice.", ""
        for name in ("fields", "values"):
            if getattr(self, name) and self.confidence is None:
                yield (
                    "confidence",
                    f"{name} says which values are limited, and no confidence is given.",
                    f"confidence = 0.8, or leaving {name} out.",
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """The knowledge of a bounded recipient, and how cells without a value are read."""

    m: int
    register: tuple[str, ...]
    others: tuple[str, ...]
    reading: CellReading = CellReading.STRICT
    nulls: NullRule = NullRule.VALUE

    monotone_suppression: ClassVar[bool] = False
    bin_monotone: ClassVar[bool] = False

    @property
    def monotone_generalisation(self) -> bool:
        """False where a cell may match anything: a hierarchy may give null or `*` a label that
        matches less."""
        return self.reading is CellReading.STRICT and self.nulls is NullRule.VALUE

    @property
    def fields(self) -> tuple[str, ...]:
        return (*self.register, *self.others)

    @property
    def _in_words(self) -> str:
        """The knowledge, the same for every table."""
        return (
            f"{_named(self.register)}any {self.m} of {counted(len(self.others), 'other')}, "
            f"suppressed cells read {self.reading.value}"
        )

    @property
    def _sets(self) -> str:
        """How many sets of fields were counted."""
        return counted(
            comb(len(self.others), min(self.m, len(self.others))), "set of fields", "sets of fields"
        )

    def _walk(self, bins: Bins, judge: Judge) -> None:
        wild = wild_cells(bins, suppressed=self.reading is CellReading.WILDCARD, nulls=self.nulls)
        walk_combinations(
            bins,
            [bins.column(name) for name in self.register],
            [bins.column(name) for name in self.others],
            min(self.m, len(self.others)),
            wild=wild,
            judge=judge,
        )


def _named(register: tuple[str, ...]) -> str:
    return f"({', '.join(register)}) and " if register else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedKnowledge(_Known):
    """Each combination of `register` and any `m` of `others`, as released, is shared by at least
    `k` rows, or people.

    Read strictly, `*` and null are values of their own. A recipient who knows the true values then
    finds `k` people even where cells are suppressed. In the wildcard reading such a cell carries no
    information, and the person's other cells are counted without it.

    Assumes: a recipient knows no more than that of a person. Does not protect: a recipient who
    knows more; in the wildcard reading, a recipient who infers from a suppressed cell that its
    value is rare. Reference: Mohammed, Fung, Hung and Lee 2009;
    docs/protection/bounded-knowledge.md.

    Example:
        >>> bins = Bins.of(("sex", "job", "town"), {("f", "a", "x"): 2, ("f", "b", "x"): 2, ("f", "a", "y"): 2})
        >>> known = {"register": ("sex",), "others": ("job", "town")}
        >>> BoundedKnowledge(k=2, m=1, **known).judge(bins).outcome
        'pass'
        >>> BoundedKnowledge(k=3, m=1, **known).failing(bins).tolist()
        [False, True, True]
    """

    k: int

    name: ClassVar[str] = "bounded knowledge"
    monotone_rows: ClassVar[bool] = True

    @property
    def least_rows(self) -> int:
        return self.k

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        return self._counted(bins)[0]

    def judge(self, bins: Bins) -> Verdict:
        failing, smallest = self._counted(bins)
        one, many = ("row", "rows") if bins.adds_up else ("person", "people")
        return verdict_of(
            self,
            bins,
            requirement=f"k = {self.k} over {self._in_words}",
            fields=self.fields,
            smallest=smallest,
            measured=f"over {self._sets}, the rarest combination has {smallest} "
            f"{agreeing(smallest, one, many)}",
            failing=failing,
        )

    def _counted(self, bins: Bins) -> tuple[NDArray[np.bool_], int]:
        """Mark the bins that hold a combination that is too rare; also the size of the rarest.

        Bins that fail are skipped in larger combinations once a combination of one person is found,
        which is the rarest."""
        failing = np.zeros(len(bins), bool)
        smallest = bins.people

        def judge(found: KnownGroups) -> NDArray[np.bool_]:
            nonlocal smallest
            sizes = sizes_of_groups(bins, found)[found.groups]
            smallest = min(smallest, int(sizes[found.judged].min(initial=smallest)))
            below = sizes < self.k
            failing[found.at[below & found.judged]] = True
            return below if smallest <= 1 else np.zeros(len(below), bool)

        self._walk(bins, judge)
        return failing, smallest


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedInference(_Known):
    """Of those who share a combination of `register` and any `m` of `others`, at most the share
    `confidence` has the same value of `sensitive`.

    With `values` only those are limited; without, every value is, null among them. Combinations are
    read as `BoundedKnowledge` reads them.

    Assumes: a recipient knows no more than that of a person. Does not protect: a recipient who can
    rule values out; values that mean much the same; a value that most people have anyway, unless
    its share is above `confidence`. Reference: Mohammed, Fung, Hung and Lee 2009;
    docs/protection/bounded-knowledge.md.

    Example:
        >>> from sfumato.bins.toy_bins import bins_of_rows
        >>> rows = [("f", "a", "flu"), ("f", "a", "cold"), ("f", "b", "flu"), ("f", "b", "flu")]
        >>> bins = bins_of_rows(("sex", "job"), rows, sensitive=("problem",))
        >>> asked = BoundedInference(
        ...     confidence=0.8, m=1, register=("sex",), others=("job",), sensitive="problem"
        ... )
        >>> asked.failing(bins).tolist()
        [False, True]
    """

    confidence: float
    sensitive: str
    values: tuple[Label, ...] = field(default=(), repr=False)

    name: ClassVar[str] = "bounded inference"

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.sensitive,)

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        return self._counted(bins)[0]

    def judge(self, bins: Bins) -> Verdict:
        failing, largest = self._counted(bins)
        which = counted(len(self.values), "value") if self.values else "any value"
        return verdict_of(
            self,
            bins,
            requirement=f"confidence = {self.confidence:g} in {which} of {self.sensitive}, over "
            f"{self._in_words}",
            fields=self.fields,
            smallest=bins.smallest,
            measured=f"over {self._sets}, the largest share with one value is {largest:.4g}",
            failing=failing,
        )

    def limited(self, values: tuple[Label, ...]) -> NDArray[np.bool_]:
        """Which of some values are limited."""
        otherwise = 0.0 if self.values else 1.0
        alignment = LabelAlignment(dict.fromkeys(self.values, 1.0), otherwise=otherwise)
        return np.asarray(alignment(values) > 0)

    def _counted(self, bins: Bins) -> tuple[NDArray[np.bool_], float]:
        """Which bins are in a combination from which a value is inferred, and the largest share.

        A bin that is alone in a combination is alone in every larger one, and is skipped there."""
        failing = np.zeros(len(bins), bool)
        limited = self.limited(inside(bins, self.sensitive).values)
        largest = 0.0

        def judge(found: KnownGroups) -> NDArray[np.bool_]:
            nonlocal largest
            shares = largest_shares(bins, found, self.sensitive, limited=limited)[found.groups]
            largest = max(largest, float(shares[found.judged].max(initial=0.0)))
            failing[found.at[(shares > self.confidence + ROUNDING) & found.judged]] = True
            sharing = np.bincount(found.groups, minlength=found.count)
            return np.asarray(sharing[found.groups] == 1)

        self._walk(bins, judge)
        return failing, largest


def _build(asked: BoundedKnowledgeRequirement, context: ModelContext) -> Iterator[Model]:
    """Register fields that the recipient does not link on are not known; any other known fields may
    be."""
    register = tuple(name for name in asked.register if name in context.known)
    others = tuple(name for name in context.known if name not in register)
    reading, nulls = context.policy.require.reading, context.policy.nulls
    yield BoundedKnowledge(
        k=asked.k, m=asked.m, register=register, others=others, reading=reading, nulls=nulls
    )
    for name in _judged_names(asked, context):
        yield BoundedInference(
            confidence=asked.confidence or 1.0,
            sensitive=name,
            values=limited_values(name, asked.values),
            m=asked.m,
            register=register,
            others=others,
            reading=reading,
            nulls=nulls,
        )


def _judged_names(asked: BoundedKnowledgeRequirement, context: ModelContext) -> Iterator[str]:
    """The fields of which confidence is asked. Steps are judged on two grids, so that numbers on
    both sides of a step's end count as close."""
    for name in context.sensitive(asked.fields) if asked.confidence is not None else ():
        yield name
        if isinstance(name, SteppedField) and (moved := name.moved) is not None:
            yield moved


def _covers(asked: BoundedKnowledgeRequirement, policy: Policy) -> Iterable[str]:
    return policy.named(Role.QUASI)


def _looks_at(asked: BoundedKnowledgeRequirement) -> LooksAt:
    return LooksAt.QUASI if asked.confidence is None else LooksAt.SENSITIVE


DECLARATION = ModelDeclaration(
    key="bounded_knowledge",
    doc="a recipient who knows the register fields and any m others finds k people, and infers no value",
    record=BoundedKnowledgeRequirement,
    form=RequirementForm.TABLES,
    looks_at=_looks_at,
    counts_values=True,
    roles={"register": (Role.QUASI,), "fields": (Role.SENSITIVE,)},
    shapes=ROWS | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES},
    covers=_covers,
    build=_build,
    models=(BoundedKnowledge, BoundedInference),
    place=55,
)
