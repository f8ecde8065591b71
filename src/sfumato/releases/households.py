"""Households are left out together: where one row must be left out, all rows of its household are,
until nothing fails.

Somebody who knows that a family took part could otherwise infer the missing member from the rows of
the others. A row without a household is a household of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, GlobalRecoding, LabelledRecoding, LocalRecoding, Recoding, group
from sfumato.engines import Engine
from sfumato.errors import Bug, NoRecodingFound, SourceChanged
from sfumato.hierarchies import Codes, Label
from sfumato.measures import HouseholdRisk, household_risk
from sfumato.policy import Policy
from sfumato.protection import needs_of
from sfumato.solvers import Solution
from sfumato.wording import counted

from .prepared_source import PreparedSource
from .suppression import suppression_limit

HIGH_RISK = 0.5

Marks = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, kw_only=True)
class Together:
    """The rows to write. Where there are households, bins are cut by them, so that part of a bin
    can be left out.

    `planned` are the same bins with the household as a further field, by which the rows are found,
    and `written` is the recoding of these."""

    prepared: PreparedSource
    solution: Solution
    planned: Bins
    written: Recoding
    risk: HouseholdRisk | None = None


def keep_together(engine: Engine, prepared: PreparedSource, solution: Solution) -> Together:
    """The solution with whole households left out; as it is where the policy names no household."""
    household, recoding = prepared.policy.household, solution.recoding
    if household is None:
        return Together(
            prepared=prepared, solution=solution, planned=prepared.bins, written=recoding
        )
    homes = _Homes.count(engine, prepared, household=household, recoding=recoding)
    kept, rounds = homes.keep(homes.left_out)
    _check_limit(prepared, solution, homes, kept, rounds=rounds)
    planned, known = homes.bins, len(prepared.known)
    cut = Bins(prepared.known, planned.labels[:known], planned.codes[:, :known], planned.counts)
    note = f"Rows are left out with everyone of their {household}."
    return Together(
        prepared=replace(prepared, bins=cut),
        solution=replace(
            solution, recoding=homes.recoding(kept, fields=known), notes=(*solution.notes, note)
        ),
        planned=planned,
        written=homes.recoding(kept, fields=len(planned.fields)),
        risk=homes.risk(kept),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _Homes:
    """The bins over known fields and household, and how they are recoded and judged.

    `bin_of` is the bin of the source that each of them is part of, as the solver saw it; `labels`
    and `codes` are what is released in their place."""

    prepared: PreparedSource
    bins: Bins
    household: str
    solved: Recoding
    bin_of: NDArray[np.int64]
    labels: tuple[tuple[Label, ...], ...]
    codes: Codes

    @classmethod
    def count(
        cls, engine: Engine, prepared: PreparedSource, *, household: str, recoding: Recoding
    ) -> _Homes:
        known = prepared.known
        fields = tuple(dict.fromkeys((*known, household)))
        bins = Bins.count(engine, fields, sensitive=needs_of(prepared.models))
        if bins.labels[: len(known)] != prepared.bins.labels:
            raise SourceChanged
        bin_of = _parts_of(prepared.bins, bins)
        labels, codes = _cells(prepared, recoding)
        return cls(
            prepared=prepared,
            bins=bins,
            household=household,
            solved=recoding,
            bin_of=bin_of,
            labels=(*labels, *bins.labels[len(known) :]),
            codes=np.concatenate([codes[bin_of], bins.codes[:, len(known) :]], axis=1),
        )

    @property
    def left_out(self) -> Marks:
        """The parts of bins that the solver suppresses."""
        return self.solved.suppressed[self.bin_of]

    def recoding(self, kept: Marks, *, fields: int) -> Recoding:
        """The recoding of the first `fields` fields of these bins, of which those that are `kept`
        stay."""
        solved = self.solved
        if isinstance(solved, GlobalRecoding):
            return GlobalRecoding(levels=solved.levels, suppressed=~kept)
        whole, rows = np.arange(len(self.bins)), self.bins.counts
        if isinstance(solved, LocalRecoding) and fields == len(self.prepared.known):
            return LocalRecoding(
                bin_of=whole, rows=rows, levels=solved.levels[self.bin_of], suppressed=~kept
            )
        losses = solved.losses if isinstance(solved, LabelledRecoding) else ()
        losses = (*losses, *(np.zeros(len(labels)) for labels in self.labels[len(losses) :]))
        return LabelledRecoding(
            bin_of=whole,
            rows=rows,
            labels=self.labels[:fields],
            codes=self.codes[:, :fields],
            losses=losses[:fields],
            suppressed=~kept,
        )

    @property
    def home(self) -> NDArray[np.int32]:
        return self.bins.codes[:, self.bins.column(self.household)]

    @property
    def alone(self) -> Marks:
        """The rows without a household."""
        names = self.bins.labels[self.bins.column(self.household)]
        return np.array([name is None for name in names], bool)[self.home]

    def keep(self, leaving: Marks) -> tuple[Marks, int]:
        """The rows that stay when the households of those `leaving` are left out, and again those
        of rows that fail then; and the number of rounds."""
        kept, rounds, alone = np.ones(len(self.bins), bool), 0, self.alone
        while leaving.any():
            gone = np.zeros(int(self.home.max()) + 1, bool)
            gone[self.home[leaving & ~alone]] = True
            kept &= ~(leaving | (gone[self.home] & ~alone))
            leaving = self._failing(kept)
            rounds += 1
        return kept, rounds

    def _released(self, kept: Marks) -> tuple[Bins, NDArray[np.int64]]:
        """The bins of the release, and for each entry that is kept the number of its bin."""
        recoded, place = self.bins.with_cells(self.labels, self.codes).only(kept).recoded({}, {})
        groups, _ = recoded.group_of(self.prepared.known)
        return recoded.project(self.prepared.known), groups[place]

    def _failing(self, kept: Marks) -> Marks:
        out = np.zeros(len(self.bins), bool)
        if not kept.any():
            return out
        released, place = self._released(kept)
        broken = np.zeros(len(released), bool)
        for model in self.prepared.models:
            broken |= model.failing(released)
        out[kept] = broken[place]
        return out

    def risk(self, kept: Marks) -> HouseholdRisk:
        """Over the households that stay; each row without one counts as one."""
        released, place = self._released(kept)
        rows = self.bins.counts[kept]
        sizes, alone = np.repeat(released.counts[place], rows), np.repeat(self.alone[kept], rows)
        number = np.repeat(self.home[kept].astype(np.int64), rows)
        number[alone] = np.arange(int(alone.sum())) + len(
            self.bins.labels[self.bins.column(self.household)]
        )
        return household_risk(sizes, number)


def _check_limit(
    prepared: PreparedSource, solution: Solution, homes: _Homes, kept: Marks, *, rounds: int
) -> None:
    """Refuse where leaving out whole households exceeds the limit on suppressed rows."""
    policy = prepared.policy
    limit, key = suppression_limit(policy)
    total, left_out = prepared.rows, int(homes.bins.counts[~kept].sum())
    if left_out <= limit * total and left_out < total:
        return
    alone = solution.recoding.rows_suppressed(prepared.bins)
    raise NoRecodingFound(
        f"Whole households ({homes.household}) with at most {limit:.1%} of rows suppressed "
        "were asked for.",
        found=f"The recoding of {solution.solver} leaves out {counted(alone, 'row')}. With "
        "everyone of their "
        f"households, and what fails without these, it is {left_out} of {total} rows "
        f"({left_out / total:.1%}) after "
        f"{counted(rounds, 'round')}.",
        attempt=f"a larger {key}, a smaller one that makes the solver recode more and leave out "
        "fewer, or a smaller k.",
    )


def _parts_of(source: Bins, finer: Bins) -> NDArray[np.int64]:
    """The bin of the source that each finer one is part of."""
    columns = [finer.column(name) for name in source.fields]
    both = np.concatenate([source.codes, finer.codes[:, columns]])
    groups, _ = group(both, [len(names) for names in source.labels])
    bin_of = np.full(int(groups.max(initial=-1)) + 1, -1, np.int64)
    bin_of[groups[: len(source)]] = np.arange(len(source))
    found: NDArray[np.int64] = bin_of[groups[len(source) :]]
    if (found < 0).any():
        raise SourceChanged
    return found


def _cells(
    prepared: PreparedSource, recoding: Recoding
) -> tuple[tuple[tuple[Label, ...], ...], Codes]:
    """The released labels of each bin of the source. A bin that is cut would have no one answer."""
    bins, hierarchies = prepared.bins, prepared.hierarchies
    if not isinstance(recoding, GlobalRecoding):
        if not np.array_equal(recoding.bin_of, np.arange(len(bins))):
            raise Bug("a recoding cut bins whose rows are to be left out by household")
        return recoding.cells(bins, hierarchies)
    labels, codes = list(bins.labels), bins.codes.copy()
    for column, name in enumerate(bins.fields):
        if level := recoding.levels.get(name, 0):
            labels[column] = hierarchies[name].labels[level]
            codes[:, column] = hierarchies[name].up[level][codes[:, column]]
    return tuple(labels), codes


def household_facts(policy: Policy, risk: HouseholdRisk | None) -> dict[str, object] | None:
    """The manifest's facts about households."""
    if policy.household is None or risk is None:
        return None
    return {"field": policy.household, "average_risk": risk.average, "maximum_risk": risk.maximum}


def household_warnings(
    policy: Policy, released: tuple[str, ...], risk: HouseholdRisk | None
) -> tuple[str, ...]:
    """Warnings about households to read before the release is published."""
    if policy.household is None or risk is None:
        return ()
    out = []
    if risk.maximum > HIGH_RISK:
        out.append(
            f"In some household ({policy.household}) somebody can be recognised with "
            f"probability {risk.maximum:.0%}, "
            f"and so everyone in it; on average {risk.average:.0%}."
        )
    if policy.household in released:
        out.append(
            f"{policy.household} is released, as it is or replaced, so rows of one "
            "household can be recognised: what is "
            "required holds for each row, not for the rows of a household taken together."
        )
    return tuple(out)
