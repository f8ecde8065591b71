"""Datafly's overall anonymity level, as the bin sizes that it requires for a number of rows
(Sweeney 1997)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from sfumato.parts import ParameterKind, Shape, parameter
from sfumato.policy import ROWS, SOLVERS, Policy

from .bin_sizes import BinSizes
from .declaration import ModelContext, ModelDeclaration
from .k_anonymity import KAnonymity
from .model import Model

ROUNDING = 1e-9
_R2 = re.compile(r"sqrt|sawtooth|N/[1-9][0-9]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnonymityLevel:
    """Datafly's overall anonymity level A, and the parameters that turn it into bin sizes.

    Reference: Sweeney 1997, sections 3.1 to 3.6; docs/solvers/datafly.md.
    """

    level: float = parameter(
        "A: 0 is the least, 1 the most anonymous", least=0, most=1, example="0.7"
    )
    r1: float = parameter("the least bin size", default=0.0, least=0)
    r2: float | str = parameter(
        'the largest bin size: a number, "sqrt", "sawtooth" or a part of the rows such as "N/100"',
        default="sawtooth",
        kind=ParameterKind.NUMBER_OR_RULE,
        least=0,
    )
    e: float | None = parameter(
        "the bin size that outweighs the recipient's effort; r2 if none", default=None, least=0
    )
    loss: float = parameter(
        "the share of rows that one field may drop", default=0.10, least=0, most=1
    )

    def conflicts(self, given: frozenset[str]) -> Iterator[tuple[str, str, str]]:
        if isinstance(self.r2, str) and not _R2.fullmatch(self.r2):
            yield (
                "r2",
                "It is none of the rules for r2.",
                'a number, "sqrt", "sawtooth" or "N/100".',
            )
        if isinstance(self.r2, float) and self.r2 <= self.r1:
            yield "r2", f"It is {self.r2:g}, and must be more than r1 = {self.r1:g}.", ""


def sawtooth(rows: int) -> float:
    """Section 3.2: r2 = res * N with res = 10^-(k-2) where 10^(k-1) < N <= 10^k, and 1/10 where k =
    2.

    Example:
        >>> sawtooth(300)
        30.0
    """
    if rows <= 1:
        return float(rows)
    k = math.ceil(math.log10(rows) - ROUNDING)
    return min(float(rows), rows / 10 if k == 2 else rows / 10 ** (k - 2))


def upper_bin_size(rows: int, r2: float | str) -> float:
    """r2 as given: a number, "sqrt", "sawtooth", or a fraction of N such as "N/100"."""
    if isinstance(r2, int | float):
        return float(r2)
    if r2 == "sqrt":
        return math.sqrt(rows)
    if r2 == "sawtooth":
        return sawtooth(rows)
    return rows / float(r2.removeprefix("N/"))


def overall_bin_size(level: float, *, r1: float, r2: float) -> int:
    """Section 3.1: b = (r2 - r1) * A + r1, rounded down as in Sweeney 2000, Fig. 27.

    Example:
        >>> [overall_bin_size(a / 10, r1=0, r2=548.05) for a in range(1, 10)]
        [54, 109, 164, 219, 274, 328, 383, 438, 493]
    """
    return math.floor((r2 - r1) * level + r1 + ROUNDING)


@dataclass(frozen=True, slots=True)
class Sizes:
    """The bin size that each field needs alone, and that of the concatenated field."""

    per_field: Mapping[str, int]
    concatenated: tuple[str, ...]
    together: int

    def models(self) -> tuple[Model, ...]:
        out: list[Model] = []
        if self.per_field:
            out.append(BinSizes(sizes=self.per_field))
        if self.concatenated:
            out.append(KAnonymity(k=self.together, fields=self.concatenated))
        return tuple(out)


def sizes_for(
    fields: tuple[str, ...],
    rows: int,
    *,
    level: float,
    linking: Mapping[str, float],
    r1: float,
    r2: float | str,
    e: float | None,
) -> Sizes:
    """Sections 3.4 and 3.6: b where P_f = 0, b_f between, max(b, e) over all fields where P_f = 1.

    `rows` is the number of people where they have several rows each; bin sizes are then numbers of
    people too."""
    largest = upper_bin_size(rows, r2)
    b = overall_bin_size(level, r1=r1, r2=largest)
    per_field = {}
    for name in fields:
        likelihood = linking.get(name, 1.0)
        if likelihood == 0:
            per_field[name] = b
        elif likelihood < 1:
            per_field[name] = b + overall_bin_size(likelihood, r1=r1, r2=largest)
    effort = largest if e is None else e
    together = max(b, math.floor(effort + ROUNDING))
    concatenated = tuple(name for name in fields if linking.get(name, 1.0) == 1)
    return Sizes(per_field, concatenated, together)


def sizes_asked(policy: Policy, asked: AnonymityLevel, known: tuple[str, ...], rows: int) -> Sizes:
    """The bin sizes that the level requires for a number of rows, or people, under a policy.

    Datafly II enforces one k over the quasi-identifier, k = (r2 - r1) * A + r1 (Sweeney 2000,
    section 6.2); every other solver has the bin sizes of 1997."""
    if SOLVERS[policy.solve.solver].abilities.level_is_k:
        largest = upper_bin_size(rows, asked.r2)
        k = overall_bin_size(asked.level, r1=asked.r1, r2=largest)
        return Sizes({}, known, max(1, k, math.floor((asked.e or 0.0) + ROUNDING)))
    return sizes_for(
        known,
        rows,
        level=asked.level,
        linking={name: policy.profile.links_on(name) for name in known},
        r1=asked.r1,
        r2=asked.r2,
        e=asked.e,
    )


def level_changes_nothing(
    policy: Policy, asked: AnonymityLevel, known: tuple[str, ...], rows: int
) -> int | None:
    """The bin size that holds at every level, because the effort e exceeds them all; None where the
    level matters."""
    low, high = (
        sizes_asked(policy, replace(asked, level=level), known, rows) for level in (0.0, 1.0)
    )
    return low.together if known and low == high else None


def level_asks_for_pairs(
    policy: Policy, asked: AnonymityLevel, known: tuple[str, ...], rows: int
) -> bool:
    """Whether any bin must have two rows or more."""
    found = sizes_asked(policy, asked, known, rows)
    sizes = (*found.per_field.values(), *([found.together] if found.concatenated else []))
    return max(sizes, default=0) >= 2


def _build(asked: AnonymityLevel, context: ModelContext) -> Iterator[Model]:
    yield from sizes_asked(context.policy, asked, context.known, context.rows).models()


DECLARATION = ModelDeclaration(
    key="anonymity",
    doc="Datafly's overall anonymity level, which sets the bin size of each field",
    record=AnonymityLevel,
    shapes=ROWS | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.ROW_NUMBERS},
    counted=True,
    holds_unlinked=True,
    build=_build,
    models=(BinSizes, KAnonymity),
    place=60,
    written_whole=True,
)
