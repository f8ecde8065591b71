"""Synthesis by trees, which is not private: copies of a source with all or some fields drawn anew.

The order: read the policy, refuse its open fields and fields that identify the person of a row,
attack membership on a half of the source. Then draw each copy, write, document. The verdict is
`review`: a person has to decide whether such rows may be released."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from sfumato.engines import FieldKind
from sfumato.errors import PolicyError, Problem, SourceError
from sfumato.measures import MembershipGap, gap_between, nearest_distance
from sfumato.policy import (
    POPULATION,
    TREES,
    SynthesisMethod,
    TreePolicy,
    open_synthesis_as_table,
    read_tree_synthesis,
)
from sfumato.synthesis import (
    RAAB,
    RAGHUNATHAN,
    REITER,
    CodedTable,
    CombiningRule,
    check_trees,
    draw_by_trees,
)

from ..manifest import Manifest, ReleaseShape
from .observed_codes import ObservedField, coarsened, observed
from .open_checks import tree_row_checks
from .table_file import TABLE, copy_name, write_table

STATEMENT: Final = (
    "These rows are synthetic and NOT private: trees that were fitted to the source without noise "
    "made them. They hold values of real people, a row may repeat a person's, and no bound is proven "
    "on what can be learned about one person."
)
PARTIAL_STATEMENT: Final = (
    "These rows are partially synthetic and NOT private: each is a person's row, of which only the "
    "fields that the policy names were drawn anew. All other cells are the person's own."
)
PEOPLE: Final = 4_000
MOST_ROWS: Final = 20_000
"""The most rows of a half that the attack on membership fits and compares."""
FEWEST: Final = 200
"""Rows of a source below which membership is not attacked."""


@dataclass(eq=False, kw_only=True)
class TreeRun:
    """One run of a policy of trees."""

    policy: TreePolicy
    progress: Callable[[str], None]
    chance: np.random.Generator
    fields: tuple[ObservedField, ...] = ()
    kinds: dict[str, FieldKind] = field(default_factory=dict)

    def read(self, engine: Any) -> None:
        check_trees()
        known = {info.name: info.kind for info in engine.fields()}
        _check_fields(self.policy, tuple(known))
        names = [name for name in known if name in self.policy.released]
        columns: dict[str, list[Any]] = {name: [] for name in names}
        for batch in engine.cells(names):
            for name in names:
                columns[name].extend(batch[f"cell:{name}"].tolist())
        self.fields = tuple(observed(name, cells) for name, cells in columns.items())
        self.kinds = {
            name: kind
            for name, kind in known.items()
            if name in columns and kind in (FieldKind.INTEGER, FieldKind.REAL)
        }
        self.check_rows()

    def check_rows(self) -> None:
        if not self.rows:
            raise SourceError("The source has no rows.", attempt="a source with rows.")
        problems = [
            Problem(
                where=f"synthesis.fields.{each.name}",
                found="Most rows have a value of their own, and trees copy values of real rows.",
                attempt=f'leave_out = ["{each.name}"].',
            )
            for each in self.fields
            if each.name in self.policy.fields and each.is_identifying
        ]
        if problems:
            raise PolicyError(problems, name=f"Policy {self.policy.name}")

    @property
    def rows(self) -> int:
        return len(self.fields[0].codes)

    @property
    def kept(self) -> tuple[int, ...]:
        return tuple(n for n, each in enumerate(self.fields) if each.name in self.policy.keep)

    @property
    def rule(self) -> CombiningRule:
        """The combining rule for the kind of synthesis."""
        population = self.policy.draws == POPULATION
        name = REITER if self.policy.keep else RAGHUNATHAN if population else RAAB
        return CombiningRule(
            name=name,
            copies=self.policy.copies,
            rows=self.policy.rows or self.rows,
            source_rows=self.rows,
        )

    def table(self, rows: Any = slice(None)) -> CodedTable:
        return CodedTable(
            fields=tuple(each.spec for each in self.fields),
            codes=tuple(each.codes[rows] for each in self.fields),
        )

    def write(self, folder: Path, file_format: str, created: str) -> dict[str, Any]:
        """Draw, write and describe every copy; the manifest's facts."""
        self.progress("attacking membership")
        gap = self.membership()
        tables: dict[str, Any] = {}
        leaves: dict[str, int] = {}
        order: tuple[int, ...] = ()
        for number in range(1, self.policy.copies + 1):
            self.progress(f"drawing copy {number} of {self.policy.copies}")
            drawn = draw_by_trees(
                self.table(),
                rows=self.rule.rows,
                chance=self.chance,
                kept=self.kept,
                least_rows=self.policy.least_rows,
                resampled=self.rule.name != RAAB,
            )
            columns = {
                each.name: each.decode(codes)
                if each.name in self.policy.keep
                else each.draw(codes, self.chance)
                for each, codes in zip(self.fields, drawn.codes, strict=True)
            }
            name = copy_name(number)
            tables[name] = write_table(
                folder, name, columns, kinds=self.kinds, file_format=file_format
            )
            order = drawn.order
            leaves = {self.fields[n].name: drawn.leaves[n] for n in order}
        facts: Mapping[str, Any] = {
            "method": "trees",
            "private": False,
            "order": [self.fields[n].name for n in order],
            "leaves": leaves,
            "combining_rule": self.rule.as_dict(),
            "membership": self._not_attacked() if gap is None else gap.as_dict(),
        }
        return Manifest(
            shape=ReleaseShape.SYNTHETIC,
            created=created,
            outcome="review",
            sections={
                "statement": statement_of(self.policy),
                "tables": tables,
                "synthesis": facts,
                "policy": open_synthesis_as_table(self.policy),
            },
        ).as_dict()

    def membership(self) -> MembershipGap | None:
        """Rows are drawn from a random half of the source. Both halves are distinguished by the
        distance of these rows, beside a sample of the other half. The copies see all rows, so that
        one person is in them with less weight."""
        if self.rows < FEWEST or self.policy.keep:
            return None
        mixed = self.chance.permutation(self.rows)[: 2 * MOST_ROWS]
        inside, outside = mixed[: len(mixed) // 2], mixed[len(mixed) // 2 :]
        drawn = draw_by_trees(
            self.table(inside),
            rows=len(inside),
            chance=self.chance,
            least_rows=self.policy.least_rows,
        )
        made = self.compared(drawn.codes)
        real = self.compared([each.codes for each in self.fields])
        others, reference = outside[::2], outside[1::2]
        count = min(PEOPLE, len(others))
        near = [
            nearest_distance(real[people[:count]], real[reference])
            - nearest_distance(real[people[:count]], made)
            for people in (inside, others)
        ]
        return gap_between(*near)

    def _not_attacked(self) -> str:
        kept = "each row is a person's, whose kept cells tell who is a member"
        return f"not attacked: {kept if self.policy.keep else 'too few rows'}"

    def compared(self, columns: Sequence[Any]) -> Any:
        """Rows as an attacker compares them: near numbers are alike."""
        coarse = [coarsened(each, codes) for each, codes in zip(self.fields, columns, strict=True)]
        kind = np.int16 if max(each.spec.size for each in self.fields) < 2**15 else np.int64
        return np.stack(coarse, axis=1).astype(kind)

    def result(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        return {"manifest": facts, "rows": facts["tables"][TABLE]["rows"], "outcome": "review"}


def statement_of(policy: TreePolicy) -> str:
    return PARTIAL_STATEMENT if policy.keep else STATEMENT


def _check_fields(policy: TreePolicy, names: tuple[str, ...]) -> None:
    """Every field of the source has been decided about, and every decision has its field."""
    if TABLE in names:
        raise SourceError(
            f"The source has a field {TABLE}, which would mark synthetic rows.",
            attempt="another name for it.",
        )
    decided = {*policy.released, *policy.leave_out}
    problems = [
        Problem(
            where=f"synthesis.fields.{name}",
            found=f"Nobody has said whether {name} is synthesised.",
            attempt=f'fields = ["{name}"], or keep, which releases its cells, or leave_out.',
        )
        for name in names
        if name not in decided
    ]
    problems += [
        Problem(where="synthesis", found=f"The source has no field {name}.")
        for name in sorted(decided - set(names))
    ]
    if problems:
        raise PolicyError(problems, name=f"Policy {policy.name}")


def _run(policy: Any, progress: Callable[[str], None], chance: np.random.Generator) -> TreeRun:
    return TreeRun(policy=policy, progress=progress, chance=chance)


DECLARATION = SynthesisMethod(
    key=TREES,
    doc="rows of trees that are fitted to the source without noise; not private",
    record=TreePolicy,
    read=read_tree_synthesis,
    as_table=open_synthesis_as_table,
    run=_run,
    verify=partial(tree_row_checks, statement=statement_of),
)
