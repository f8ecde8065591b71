"""Audit of private synthesis: its measuring part runs 10,000 times on each of two neighbouring tables,
and an attacker who knows both tells them apart: python -m benchmarks synthesis_audit.

The tables differ by one person with three rows, of which the policy counts one, and who alone has a
city. The attacker has three statistics: the likelihood ratio of all noisy numbers, the number of rows,
and whether that city is among the labels. For rho-zCDP no statistic shifts by more than
sqrt(exp(2 rho) - 1) of its standard deviations (Hammersley, Chapman and Robbins, with the Rényi
divergence of order 2). The best statistic is chosen on the first half of the runs, and the 99 % lower
limit of its shift is taken on the second. Planted faults must exceed the claim."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np

from sfumato.accounting import THRESHOLD, PrivacyAccount, charge
from sfumato.engines import FieldInfo, FieldKind, Quota, WritePlan
from sfumato.policy import read_synthesis
from sfumato.releases.synthetic import coded_stage, private_run
from sfumato.releases.synthetic.field_codes import ValueCoder
from sfumato.synthesis import SyntheticRows, synthesizer
from sfumato.synthesis.coded_table import counts_of

RUNS = 10_000
Z99 = 2.326
CITIES = ("Oslo", "Rome")
POLICY: dict[str, Any] = {
    "epsilon": 1.0,
    "delta": 1e-9,
    "entity": "person",
    "select": ["city"],
    "domains": {"sex": ["F", "M"], "age": {"least": 0, "most": 9}},
}
STATISTICS = ("likelihood", "size", "labels")


class Columns:
    """A table in memory that answers what a run asks of a source: its values, how many rows people
    have, a stage of codes with a quota, and counts of codes."""

    def __init__(self, rows: Mapping[str, Sequence[Any]]) -> None:
        self.rows = {name: np.array(cells, object) for name, cells in rows.items()}

    def fields(self) -> tuple[FieldInfo, ...]:
        return tuple(FieldInfo(name, FieldKind.TEXT, "text") for name in self.rows)

    def distinct(self, names: Sequence[str]) -> Iterator[dict[str, Any]]:
        (name,) = names
        yield {name: np.unique(self.rows[name])}

    def rows_per_person(self, person: str) -> Any:
        held = np.unique(np.unique(self.rows[person], return_counts=True)[1])
        return SimpleNamespace(values=(tuple(map(str, held)),))

    def staged(self, plan: WritePlan) -> Columns:
        keep = np.arange(len(next(iter(self.rows.values()))))
        if plan.quota is not None:
            people, (quota,) = self.rows[plan.quota.person], plan.quota.batches()
            most = dict(zip(quota["rows"].tolist(), quota["keep"].tolist(), strict=True))
            own = [np.flatnonzero(people == each) for each in np.unique(people)]
            keep = np.concatenate(
                [
                    np.random.default_rng().permutation(each)[: most.get(len(each), len(each))]
                    if len(each) in most
                    else each
                    for each in own
                ]
            )
        out = {}
        for lookup in plan.lookups:
            (name,) = lookup.fields
            codes = {
                key: int(new)
                for batch in lookup.batches()
                for key, new in zip(batch[f"key:{name}"], batch[f"new:{name}"], strict=True)
            }
            out[name] = [codes[cell] for cell in self.rows[name][keep]]
        return Columns(out)

    def counted_codes(self, groups: Sequence[Sequence[str]], bins: Mapping[str, Any]) -> list[Any]:
        out = []
        for group in groups:
            columns = [bins[name][self.rows[name].astype(np.int64)] for name in group]
            out.append(counts_of(columns, [int(bins[name].max()) + 1 for name in group]))
        return out


def tables(people: int = 600) -> tuple[Columns, Columns]:
    """One table, and the same with one person more."""
    chance = np.random.default_rng(1)
    city = chance.integers(0, 2, people)
    sex = (city + (chance.random(people) < 0.2)) % 2
    age = np.clip(chance.integers(0, 6, people) + 3 * sex, 0, 9)
    rows = {
        "person": [str(n) for n in range(people)],
        "city": [CITIES[n] for n in city],
        "sex": ["FM"[n] for n in sex],
        "age": [str(n) for n in age],
    }
    more = {"person": "target", "city": "Atlantis", "sex": "F", "age": "9"}
    return Columns(rows), Columns(
        {name: [*cells, *[more[name]] * 3] for name, cells in rows.items()}
    )


@dataclass
class Noise:
    """Records true and noisy numbers of a run; played again it gives the same noisy numbers, so that
    the true numbers of the other table are seen for the same choices."""

    draw: Callable[[Any, Any], Any]
    true: list[Any] = field(default_factory=list)
    noisy: list[Any] = field(default_factory=list)
    sigmas: list[float] = field(default_factory=list)
    other: list[Any] | None = None

    def __call__(self, counts: Any, line: Any) -> Any:
        if self.other is None:
            self.true.append(np.array(counts, float).ravel())
            self.noisy.append(self.draw(counts, line))
            self.sigmas.append(line.sigma)
            return self.noisy[-1].copy()
        place = len(self.other)
        if line.mechanism == THRESHOLD and place < len(self.noisy):
            return self._selection(counts, place)
        self.other.append(np.array(counts, float).ravel())
        if place >= len(self.noisy) or self.noisy[place].shape != np.shape(counts):
            raise _Differs
        return self.noisy[place].copy()

    def _selection(self, counts: Any, place: int) -> Any:
        """Values that both tables have get the same noisy counts; the person's own city sorts first
        and is never selected from them. That it is selected is the statistic of labels."""
        assert self.other is not None
        shared = min(len(counts), len(self.noisy[place]))
        self.true[place] = self.true[place][-shared:]
        self.other.append(np.array(counts, float)[-shared:])
        answer = np.full(len(counts), -(10**9), np.int64)
        answer[-shared:] = self.noisy[place][-shared:]
        self.noisy[place] = self.noisy[place][-shared:]
        return answer


class _Differs(Exception):
    """The other table was measured in other places: labels tell the two apart, not numbers."""


@dataclass(frozen=True)
class Outcome:
    rho: float
    size: float
    labels: float


def measure(table: Columns, epsilon: float) -> Outcome:
    """The measuring part of one run: rows cut, values selected, fields, pairs and looks counted."""
    policy = read_synthesis({"synthesis": {**POLICY, "epsilon": epsilon}})
    run = private_run.PrivateRun(
        policy=policy, progress=lambda stage: None, chance=np.random.default_rng()
    )
    made = run.measure(run.staged(table))
    city = next(coder for coder in run.coders if coder.name == "city")
    assert isinstance(city, ValueCoder)
    return Outcome(float(run.account.rho), float(made.rows), float("Atlantis" in city.values))


def without_fit(table: Any, account: PrivacyAccount, *, rho: Any) -> SyntheticRows:
    run = synthesizer.SynthesisRun(
        table=table, account=account, rho=rho, shares=synthesizer.BudgetShares()
    )
    run.count_fields()
    run.cut_bins()
    run.measure_pairs()
    return SyntheticRows(groups=(), rows=max(1, round(run.total)), bins=run.sizes)


def statistics_of(own: Columns, pair: tuple[Columns, Columns], epsilon: float) -> dict[str, float]:
    """Run on one of both tables, and on the other with the same noisy numbers."""
    noise = Noise(draw=charge.with_noise)
    other = pair[1] if own is pair[0] else pair[0]
    with patch.object(charge, "with_noise", noise):
        found = measure(own, epsilon)
        noise.other = []
        try:
            measure(other, epsilon)
        except _Differs:
            noise.other = None
    ratio = math.nan
    if noise.other is not None and len(noise.other) == len(noise.true):
        sign = 1 if own is pair[0] else -1
        ratio = 0.0
        for true, noisy, else_where, sigma in zip(
            noise.true, noise.noisy, noise.other, noise.sigmas, strict=True
        ):
            apart = sign * (else_where - true)
            middle = (else_where + true) / 2
            ratio += float((noisy.ravel() - middle) @ apart) / sigma**2
    return {"likelihood": ratio, "size": found.size, "labels": found.labels, "rho": found.rho}


def shift(absent: Any, present: Any) -> tuple[float, float]:
    """How far the mean moves, in standard deviations of the table without the person, and the 99 %
    lower limit."""
    absent, present = absent[np.isfinite(absent)], present[np.isfinite(present)]
    if min(len(absent), len(present)) < 20:
        return 0.0, 0.0
    apart, spread = abs(present.mean() - absent.mean()), absent.std()
    if spread == 0:
        return (math.inf, math.inf) if apart > 0 else (0.0, 0.0)
    error = math.sqrt(absent.var() / len(absent) + present.var() / len(present))
    return apart / spread, (apart - Z99 * error) / spread


def audit(runs: int, epsilon: float = 1.0) -> tuple[str, float, float, float]:
    """The best statistic, its shift, the lower limit of that, and the claim."""
    pair = tables()
    with patch.object(private_run, "synthesise", without_fit):
        seen = [[statistics_of(own, pair, epsilon) for _ in range(runs)] for own in pair]
    values = {
        name: [np.array([each[name] for each in side]) for side in seen] for name in STATISTICS
    }
    half = runs // 2
    best = max(STATISTICS, key=lambda name: shift(*(side[:half] for side in values[name]))[0])
    found, limit = shift(*(side[half:] for side in values[best]))
    rho = max(each["rho"] for each in seen[0])
    return best, found, limit, math.sqrt(math.expm1(2 * rho))


@contextmanager
def half_the_noise() -> Iterator[None]:
    """Noise for half of the sensitivity that is charged."""
    real = charge.with_noise

    def too_little(counts: Any, line: Any) -> Any:
        noise = real(np.zeros_like(counts), line)
        return counts + np.rint(noise / 2).astype(np.int64)

    with patch.object(charge, "with_noise", too_little):
        yield


@contextmanager
def unclipped() -> Iterator[None]:
    """All rows of each person are counted."""

    def no_quota(engine: Any, person: str, most: int) -> Quota | None:
        return None

    with patch.object(coded_stage, "row_quota", no_quota):
        yield


@contextmanager
def labels_of_the_data() -> Iterator[None]:
    """Values are listed as they occur."""

    def listed(name: str, values: Any, counts: Any, account: Any, **more: Any) -> ValueCoder:
        return ValueCoder(name=name, values=tuple(values))

    with patch.object(private_run, "select_values", listed):
        yield


@contextmanager
def exact_size() -> Iterator[None]:
    """The number of rows is the true one."""
    real = synthesizer.SynthesisRun.estimate_fields

    def exact(run: Any) -> None:
        real(run)
        run.total = float(run.singles[0].sum())

    with patch.object(synthesizer.SynthesisRun, "estimate_fields", exact):
        yield


FAULTS = {
    "halved sensitivity": half_the_noise,
    "unclipped contributions": unclipped,
    "a domain from the data": labels_of_the_data,
    "an un-noised size": exact_size,
}


def main() -> None:
    start = time.process_time()
    print(_line("as it is", audit(RUNS)), flush=True)
    for name, fault in FAULTS.items():
        with fault():
            print(_line(name, audit(RUNS // 5)), flush=True)
    print(f"{time.process_time() - start:.0f} CPU s")


def _line(name: str, found: tuple[str, float, float, float]) -> str:
    best, moved, limit, claim = found
    verdict = "exceeds" if limit > claim else "is within"
    return (
        f"{name}: {best} shifts by {moved:.3f}, surely {limit:.3f}; {verdict} the claim {claim:.3f}"
    )
