"""Test rows by a policy alone: each cell is drawn from its declared domain, and no source is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import PolicyError, Problem
from sfumato.policy import (
    DOMAINS,
    DomainRowsPolicy,
    SynthesisMethod,
    open_synthesis_as_table,
    read_domain_rows,
)

from ..manifest import Manifest, ReleaseShape
from .field_codes import FieldCoder, RangeCoder, ValueCoder, even_edges, kind_of, steps_of
from .open_checks import domain_row_checks
from .table_file import TABLE, copy_name, write_table

STATEMENT: Final = (
    "These rows are test data: each cell was drawn from the domain that the policy declares, all "
    "values alike and each field alone. No source was read, and nothing follows from these rows about "
    "anybody."
)
MOST_TRIALS: Final = 200
"""How often rows with ruled-out combinations are drawn again."""


@dataclass(eq=False, kw_only=True)
class DomainRun:
    """One run of a policy of test rows."""

    policy: DomainRowsPolicy
    progress: Callable[[str], None]
    chance: np.random.Generator

    def read(self, engine: Any) -> None:
        """No source is read."""

    def write(self, folder: Path, file_format: str, created: str) -> dict[str, Any]:
        coders = [_coder(name, self.policy) for name in self.policy.domains]
        kinds = {coder.name: kind_of(coder) for coder in coders}
        tables = {}
        for number in range(1, self.policy.copies + 1):
            self.progress(f"drawing copy {number} of {self.policy.copies}")
            codes = self.drawn(coders)
            columns = {
                coder.name: coder.decode(column, self.chance)
                for coder, column in zip(coders, codes, strict=True)
            }
            name = copy_name(number)
            tables[name] = write_table(
                folder,
                name,
                columns,
                kinds={name: kind for name, kind in kinds.items() if kind is not None},
                file_format=file_format,
            )
        return Manifest(
            shape=ReleaseShape.SYNTHETIC,
            created=created,
            outcome="pass",
            sections={
                "statement": STATEMENT,
                "tables": tables,
                "synthesis": {"method": "domains", "private": True},
                "policy": open_synthesis_as_table(self.policy),
            },
        ).as_dict()

    def drawn(self, coders: list[FieldCoder]) -> list[NDArray[np.int64]]:
        """Codes of all rows, without combinations that the policy rules out. No code is for other
        or missing values."""
        rows = self.policy.rows
        sizes = [coder.spec().size - len(coder.spec().rare) for coder in coders]
        codes = [self.chance.integers(0, size, rows) for size in sizes]
        for _ in range(MOST_TRIALS):
            again = np.flatnonzero(self.ruled_out(coders, codes))
            if not len(again):
                return codes
            for column, size in zip(codes, sizes, strict=True):
                column[again] = self.chance.integers(0, size, len(again))
        raise PolicyError(
            [
                Problem(
                    where="synthesis.never",
                    found="The rules leave hardly any combination of the domains.",
                    attempt="fewer rules, or narrower domains.",
                )
            ],
            name=f"Policy {self.policy.name}",
        )

    def ruled_out(
        self, coders: list[FieldCoder], codes: list[NDArray[np.int64]]
    ) -> NDArray[np.bool_]:
        places = {coder.name: n for n, coder in enumerate(coders)}
        out = np.zeros(self.policy.rows, bool)
        for rule in self.policy.never:
            inside = np.ones(self.policy.rows, bool)
            for name, values in rule.items():
                coder = coders[places[name]]
                assert isinstance(coder, ValueCoder)
                inside &= np.isin(codes[places[name]], list(coder.codes_of(values)))
            out |= inside
        return out

    def result(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        return {"manifest": facts, "rows": facts["tables"][TABLE]["rows"]}


def _coder(name: str, policy: DomainRowsPolicy) -> FieldCoder:
    domain = policy.domains[name]
    if not domain.is_range:
        return ValueCoder(name=name, values=domain.values)
    steps = steps_of(domain)
    return RangeCoder(name=name, domain=domain, edges=even_edges(steps, min(steps, 1)))


def _run(policy: Any, progress: Callable[[str], None], chance: np.random.Generator) -> DomainRun:
    return DomainRun(policy=policy, progress=progress, chance=chance)


DECLARATION = SynthesisMethod(
    key=DOMAINS,
    doc="test rows of declared domains alone; no source is read",
    record=DomainRowsPolicy,
    read=read_domain_rows,
    as_table=open_synthesis_as_table,
    run=_run,
    verify=partial(domain_row_checks, statement=STATEMENT),
    wants_source=False,
)
