"""A source as codes, in its engine: each field as whole numbers of its finest domain, of each person
at most so many rows. Marginals are counted there by GROUPING SETS; no row is read into Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import Engine, FieldKind, Lookup, NumberGrid, Quota, WritePlan, declared_text
from sfumato.policy import DeclaredDomain, SynthesisPolicy

from .field_codes import RangeCoder, ValueCoder, even_edges, number_grid
from .private_domain import finest_cells

Wholes = NDArray[np.int64]
NUMBERS: Final = (FieldKind.INTEGER, FieldKind.REAL)


@dataclass(frozen=True, eq=False, kw_only=True)
class FineField:
    """The finest codes of a field. `values` are those of a field whose values are selected: code 0
    is a missing value. `domain` is the declared one of the others."""

    name: str
    size: int
    values: tuple[str, ...] = field(default=(), repr=False)
    domain: DeclaredDomain | None = None

    def codes_for(self, coder: ValueCoder | RangeCoder) -> Wholes:
        """The code that a coder has for each of the finest codes."""
        if isinstance(coder, RangeCoder):
            assert self.domain is not None
            cells = finest_cells(self.domain)
            firsts = even_edges(int(coder.edges[-1]), cells)[:-1]
            codes = np.searchsorted(coder.edges, firsts, side="right") - 1
            others = np.arange(self.size - cells) + coder.missing
            return np.append(codes, others).astype(np.int64)
        if self.domain is not None:
            return np.arange(self.size)
        return coder.encode([None, *self.values])


@dataclass(eq=False, kw_only=True)
class CodedStage:
    """The rows that are counted, as finest codes."""

    engine: Engine
    fields: tuple[FineField, ...]

    @cached_property
    def counts(self) -> dict[str, Wholes]:
        """Exact counts of the finest codes of each field, by one question."""
        found = self.engine.counted_codes(
            [(each.name,) for each in self.fields],
            {each.name: np.arange(each.size) for each in self.fields},
        )
        return {each.name: counts for each, counts in zip(self.fields, found, strict=True)}


def coded_stage(engine: Engine, policy: SynthesisPolicy, names: Sequence[str]) -> CodedStage:
    """Stage the codes of the named fields. Which values occur is read only for fields that are
    selected, whose labels then pass through noise."""
    kinds = {info.name: info.kind for info in engine.fields()}
    grids: dict[str, NumberGrid] = {}
    lookups: list[Lookup] = []
    sizes: dict[str, int] = {}
    seen: dict[str, dict[Any, int]] = {}
    for name in names:
        domain = policy.domains.get(name)
        if domain is None:
            seen[name] = {None: 0}
            lookups.append(_lookup(engine, name, _numbering(seen[name], kinds[name])))
        elif domain.is_range:
            grid = number_grid(domain, finest_cells(domain))
            sizes[name] = grid.size
            if kinds[name] in NUMBERS and not domain.days:
                grids[name] = grid
            else:
                lookups.append(_lookup(engine, name, _gridding(name, domain, grid)))
        else:
            coder = ValueCoder(name=name, values=domain.values, kind=kinds[name])
            sizes[name] = len(domain.values) + 2
            lookups.append(_lookup(engine, name, coder.encode))
    view = engine.with_grids(grids) if grids else engine
    plan = WritePlan(
        fields=tuple(names),
        lookups=tuple(lookups),
        drop=nobodys(policy.entity) if policy.entity else None,
        quota=row_quota(engine, policy.entity, policy.rows_per_person) if policy.entity else None,
    )
    stage = view.staged(plan)
    sizes |= {name: len(values) for name, values in seen.items()}
    return CodedStage(
        engine=stage,
        fields=tuple(
            FineField(
                name=name,
                size=sizes[name],
                values=tuple(seen.get(name, ()))[1:],
                domain=policy.domains.get(name),
            )
            for name in names
        ),
    )


def row_quota(engine: Engine, person: str, most: int) -> Quota:
    """Of each person at most so many rows, chosen at random, independently of other people."""

    def batches() -> Iterator[Mapping[str, NDArray[Any]]]:
        held = engine.rows_per_person(person).values[-1]
        rows = sorted(int(each or 0) for each in held)
        more = np.array([each for each in rows if each > most], np.int64)
        yield {"rows": more, "keep": np.full(len(more), most, np.int64)}

    return Quota(person=person, fields=(), batches=batches)


def nobodys(entity: str) -> Lookup:
    """Rows that belong to nobody."""
    nobody = np.array([None], object)
    return Lookup(keys=(entity,), fields=(), batches=lambda: iter([{f"key:{entity}": nobody}]))


def _lookup(engine: Engine, name: str, encode: Callable[[Sequence[Any]], Wholes]) -> Lookup:
    """The code of each value that occurs, some values at a time."""

    def batches() -> Iterator[Mapping[str, NDArray[Any]]]:
        for batch in engine.distinct((name,)):
            values = batch[name]
            yield {f"key:{name}": values, f"new:{name}": encode(values.tolist())}

    return Lookup(keys=(name,), fields=(name,), batches=batches, whole=True)


def _numbering(seen: dict[Any, int], kind: FieldKind) -> Callable[[Sequence[Any]], Wholes]:
    """Numbers of values in the order in which they are met, after that of a missing one."""

    def encode(values: Sequence[Any]) -> Wholes:
        texts = (declared_text(value, kind) for value in values)
        return np.array([seen.setdefault(text, len(seen)) for text in texts], np.int64)

    return encode


def _gridding(
    name: str, domain: DeclaredDomain, grid: NumberGrid
) -> Callable[[Sequence[Any]], Wholes]:
    coder = RangeCoder(name=name, domain=domain, edges=np.array([0, 1]))
    return lambda cells: coder.places(cells, grid)
