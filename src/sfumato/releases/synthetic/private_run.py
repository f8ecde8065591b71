"""The method `private`: a private synthetic table of one source, from its rows to its manifest.

The order: refuse open fields, stage each person's rows as codes in the engine,
select values and ranges privately, measure and fit. Then draw and write, read back, document,
publish. Nothing that is written follows from the source but through noisy measurements of the
account."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import (
    FROM_THE_POLICY,
    PrivacyAccount,
    PrivacyLimit,
    check_noise_source,
    displayed_epsilon,
)
from sfumato.engines import Engine
from sfumato.errors import PolicyError, Problem, SourceError
from sfumato.policy import (
    SynthesisMethod,
    SynthesisPolicy,
    read_synthesis,
    synthesis_as_table,
)
from sfumato.synthesis import (
    ForbiddenCells,
    SyntheticRows,
    check_optimiser,
    synthesise,
)

from ..manifest import Manifest, ReleaseShape
from .coded_stage import CodedStage, FineField, coded_stage
from .engine_table import EngineTable
from .field_codes import (
    MOST_CELLS,
    RangeCoder,
    ValueCoder,
    even_edges,
    steps_of,
)
from .private_domain import (
    DOMAIN_SHARE,
    cut_range,
    domain_share,
    finest_cells,
    is_long,
    select_values,
)
from .private_row_checks import private_row_checks
from .table_file import TABLE, write_made_table
from .useful_noise import check_noise, check_selection, stated_shares, usefulness

STATEMENT: Final = (
    "These rows are synthetic: a model that was measured with noise made them, and no row is a "
    "person's. The account bounds what can be learned about one person from them; it does not hide "
    "what is true of many."
)
DELTA_SHARE: Final = 0.1
Coder = ValueCoder | RangeCoder


@dataclass(eq=False, kw_only=True)
class PrivateRun:
    """One private run over one table."""

    policy: SynthesisPolicy
    progress: Callable[[str], None]
    chance: np.random.Generator
    coders: list[Coder] = field(default_factory=list)
    delta: float = 0.0
    whole: Fraction = Fraction(0)
    made: SyntheticRows | None = None

    def __post_init__(self) -> None:
        policy = self.policy
        self.limit = PrivacyLimit(epsilon=policy.epsilon, delta=policy.delta)
        self.account = PrivacyAccount.of_run(
            epsilon=policy.epsilon,
            delta=policy.delta,
            limit=policy.limit,
            file=policy.folder / policy.account if policy.account else None,
        )
        self.account.note_outside(f"names and declared domains of the fields{FROM_THE_POLICY}")

    def read(self, engine: Engine) -> None:
        """Stage, charge, measure and fit."""
        self.made = self.measure(self.staged(engine))

    def staged(self, engine: Engine) -> CodedStage:
        """The rows that are counted, as codes in the engine; nothing is charged yet."""
        policy = self.policy
        names = [info.name for info in engine.fields()]
        _check_fields(policy, names)
        wanted = [name for name in names if name in policy.fields]
        self.check_budget(wanted)
        return coded_stage(engine, policy, wanted)

    def check_budget(self, names: Sequence[str]) -> None:
        """Refuse an epsilon that nothing can be done with, or that the account does not have."""
        policy = self.policy
        self.delta = DELTA_SHARE * policy.delta / max(1, len(policy.select))
        # A selection has the lowest threshold that keeps to its delta, so it uses no more of it.
        self.whole = self.limit.rho(Fraction(self.delta) * len(policy.select))
        check_noise(
            epsilon=policy.epsilon,
            rho=self.whole,
            fields=len(names),
            rows_per_person=policy.rows_per_person,
            people=policy.people,
        )
        check_selection(
            epsilon=policy.epsilon,
            rho=self.domain_rho(names),
            delta=self.delta,
            select=policy.select,
            rows_per_person=policy.rows_per_person,
            people=policy.people,
        )
        self.account.check_left(
            self.whole, f"A synthetic table of epsilon {policy.epsilon:g} was asked for."
        )

    def domain_rho(self, names: Sequence[str]) -> Fraction:
        """The part of the budget of each domain that costs something."""
        return domain_share(sum(_is_costly(name, self.policy) for name in names)) * self.whole

    def measure(self, stage: CodedStage) -> SyntheticRows:
        """Everything private: domains that cost something, then the model."""
        rho = self.domain_rho([each.name for each in stage.fields])
        for fine in stage.fields:
            self.progress(f"coding {fine.name}")
            coder = self._coder(stage, fine, rho)
            self.coders.append(coder)
        table = self._coded(stage)
        self.progress("measuring and fitting")
        return synthesise(table, self.account, rho=self.whole - self.account.rho)

    def _coder(self, stage: CodedStage, fine: FineField, rho: Fraction) -> Coder:
        most = self.policy.rows_per_person
        if fine.domain is None:
            return select_values(
                fine.name,
                fine.values,
                stage.counts[fine.name][1:],
                self.account,
                rho=rho,
                delta=self.delta,
                rows_per_person=most,
            )
        if is_long(fine.domain):
            return cut_range(
                fine.name,
                fine.domain,
                stage.counts[fine.name][: finest_cells(fine.domain)],
                self.account,
                rho=rho,
                rows_per_person=most,
            )
        if fine.domain.is_range:
            edges = even_edges(steps_of(fine.domain), MOST_CELLS)
            return RangeCoder(name=fine.name, domain=fine.domain, edges=edges)
        return ValueCoder(name=fine.name, values=fine.domain.values)

    def _coded(self, stage: CodedStage) -> EngineTable:
        places = {coder.name: n for n, coder in enumerate(self.coders)}
        rules = []
        apart: dict[str, list[frozenset[int]]] = {}
        for rule in self.policy.never:
            named = sorted(rule, key=lambda name: places[name])
            codes = tuple(_codes_of(self.coders[places[name]], rule[name]) for name in named)
            for name, inside in zip(named, codes, strict=True):
                apart.setdefault(name, []).append(inside)
            rules.append(ForbiddenCells(fields=tuple(places[n] for n in named), codes=codes))
        return EngineTable(
            stage=stage,
            fields=tuple(coder.spec(apart.get(coder.name, ())) for coder in self.coders),
            codes=tuple(
                fine.codes_for(coder) for fine, coder in zip(stage.fields, self.coders, strict=True)
            ),
            rows_per_person=self.policy.rows_per_person,
            forbidden=tuple(rules),
        )

    def write(self, folder: Path, file_format: str, created: str) -> dict[str, Any]:
        """Draw and write the table; the manifest's facts."""
        self.progress("writing the table")
        made = self.made
        assert made is not None
        beyond = np.zeros(len(self.coders), np.int64)

        def batches() -> Iterator[dict[str, NDArray[np.int64]]]:
            for codes in made.chunks(self.chance):
                for n, (coder, column) in enumerate(zip(self.coders, codes, strict=True)):
                    beyond[n] += int(np.isin(column, coder.outside).sum())
                yield {
                    coder.name: coder.drawn(column, self.chance)
                    for coder, column in zip(self.coders, codes, strict=True)
                }

        columns = {coder.name: coder.column() for coder in self.coders}
        entry = write_made_table(
            folder, TABLE, columns, batches(), rows=made.rows, file_format=file_format
        )
        other = {
            coder.name: int(count) / made.rows
            for coder, count in zip(self.coders, beyond, strict=True)
        }
        return self._manifest(entry, made, created, other).as_dict()

    def _manifest(
        self,
        entry: dict[str, Any],
        made: SyntheticRows,
        created: str,
        other: Mapping[str, float],
    ) -> Manifest:
        account = self.account.as_dict()
        crowded = [c.name for c in self.coders if isinstance(c, RangeCoder) and c.is_crowded]
        ranges = [coder.name for coder in self.coders if isinstance(coder, RangeCoder)]
        beyond = stated_shares(other, ranges)
        listed = stated_shares(other, [name for name in other if name not in ranges])
        outside = {**other, **beyond}
        outcome, reason = usefulness(account["measurements"], made.rows, outside, crowded)
        synthesis = {
            "measured_together": [[self.coders[n].name for n in group] for group in made.groups],
            "bins": {coder.name: bins for coder, bins in zip(self.coders, made.bins, strict=True)},
            "account_is_kept": bool(self.policy.account),
            **({"beyond_range": beyond} if beyond else {}),
            **({"other_values": listed} if listed else {}),
            **({"crowded": crowded} if crowded else {}),
            **({"reason": reason} if reason else {}),
        }
        return Manifest(
            shape=ReleaseShape.SYNTHETIC,
            created=created,
            outcome=outcome,
            sections={
                "statement": STATEMENT,
                "tables": {TABLE: entry},
                "synthesis": synthesis,
                "account": account,
                "policy": synthesis_as_table(self.policy),
            },
        )

    def result(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "manifest": facts,
            "rows": facts["tables"][TABLE]["rows"],
            "epsilon": self.account.epsilon,
            "delta": self.policy.delta,
            "epsilon_of_all": displayed_epsilon(self.account.spent(), self.policy.delta),
            "outcome": facts["outcome"],
        }


def _is_costly(name: str, policy: SynthesisPolicy) -> bool:
    return name in policy.select or is_long(policy.domains[name])


def _codes_of(coder: Coder, values: tuple[str, ...]) -> frozenset[int]:
    assert isinstance(coder, ValueCoder)
    return coder.codes_of(values)


def _check_fields(policy: SynthesisPolicy, names: list[str]) -> None:
    """Every field of the source has been decided about, and every decision has its field."""
    if TABLE in names:
        raise SourceError(
            f"The source has a field {TABLE}, which would mark synthetic rows.",
            attempt="another name for it.",
        )
    decided = {*policy.fields, *policy.leave_out, policy.entity}
    problems = [
        Problem(
            where=f"synthesis.domains.{name}",
            found=f"Nobody has said which values {name} may have.",
            attempt=f'a list or a range, select = ["{name}"], which costs '
            f"{DOMAIN_SHARE:.0%} of the budget, or leave_out.",
        )
        for name in names
        if name not in decided
    ]
    problems += [
        Problem(where="synthesis", found=f"The source has no field {name}.")
        for name in sorted(decided - {""} - set(names))
    ]
    if problems:
        raise PolicyError(problems, name=f"Policy {policy.name}")


def _run(policy: Any, progress: Callable[[str], None], chance: np.random.Generator) -> PrivateRun:
    check_noise_source()
    check_optimiser()
    return PrivateRun(policy=policy, progress=progress, chance=chance)


DECLARATION = SynthesisMethod(
    key="private",
    doc="rows of a model that is measured with noise, with an account for each person",
    record=SynthesisPolicy,
    read=read_synthesis,
    as_table=synthesis_as_table,
    run=_run,
    verify=partial(private_row_checks, statement=STATEMENT),
    has_account=True,
)
