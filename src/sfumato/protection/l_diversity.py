"""l-diversity as a policy requires it: one of its three kinds, with its numbers and sensitive
fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from sfumato.parts import Direction, ParameterKind, Shape, parameter
from sfumato.policy import ROWS, LooksAt, RequirementForm, Role

from .declaration import ModelContext, ModelDeclaration
from .distinct_l_diversity import DistinctLDiversity
from .entropy_l_diversity import EntropyLDiversity
from .model import Model
from .recursive_cl_diversity import RecursiveCLDiversity


class Diversity(StrEnum):
    """How l-diversity counts: different values, their entropy, or the commonest against the
    rest."""

    DISTINCT = "distinct"
    ENTROPY = "entropy"
    RECURSIVE = "recursive"


@dataclass(frozen=True, slots=True, kw_only=True)
class LDiversityRequirement:
    """Each bin holds `l` values, in the sense of `kind`; `c` is for the recursive kind."""

    l: float = parameter(  # noqa: E741
        "values in each bin; a whole number, unless the kind is entropy",
        least=1,
        example="3",
        stricter=Direction.UP,
    )
    kind: Diversity = parameter("how values are counted", default=Diversity.DISTINCT)
    c: float | None = parameter(
        "how often the commonest value may occur for one of the rare",
        default=None,
        above=0,
        stricter=Direction.DOWN,
    )
    fields: tuple[str, ...] = parameter(
        "sensitive fields; all where none is named",
        default=(),
        kind=ParameterKind.FIELDS,
        stricter=Direction.MORE,
    )

    def __post_init__(self) -> None:
        if self.kind is not Diversity.ENTROPY and self.is_whole:
            object.__setattr__(self, "l", int(self.l))

    @property
    def is_whole(self) -> bool:
        return float(self.l).is_integer()

    def conflicts(self, given: frozenset[str]) -> Iterator[tuple[str, str, str]]:
        if self.kind is not Diversity.ENTROPY and not self.is_whole:
            yield (
                "l",
                f"It is {self.l:g}, and must be a whole number.",
                'kind = "entropy", or a whole number.',
            )
        if self.kind is Diversity.RECURSIVE and "c" not in given:
            yield "c", "Recursive diversity needs its c.", "c = 2.0."
        if self.kind is not Diversity.RECURSIVE and "c" in given:
            yield "c", "Only recursive diversity has a c.", 'kind = "recursive", or leaving it out.'


def _build(asked: LDiversityRequirement, context: ModelContext) -> Iterator[Model]:
    for name in context.sensitive(asked.fields):
        if asked.kind is Diversity.ENTROPY:
            yield EntropyLDiversity(l=asked.l, fields=context.known, sensitive=name)
        elif asked.kind is Diversity.RECURSIVE:
            yield RecursiveCLDiversity(
                c=asked.c or 1.0, l=int(asked.l), fields=context.known, sensitive=name
            )
        else:
            yield DistinctLDiversity(l=int(asked.l), fields=context.known, sensitive=name)


DECLARATION = ModelDeclaration(
    key="l_diversity",
    doc="each bin holds at least l values of a sensitive field, as its kind counts them",
    record=LDiversityRequirement,
    form=RequirementForm.TABLES,
    looks_at=LooksAt.SENSITIVE,
    counts_values=True,
    roles={"fields": (Role.SENSITIVE,)},
    shapes=ROWS | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.GATE},
    build=_build,
    models=(DistinctLDiversity, EntropyLDiversity, RecursiveCLDiversity),
    place=110,
)
