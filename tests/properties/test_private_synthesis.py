"""Private synthesis is a function of its noisy measurements, and one person changes none of them by
more than was charged."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.accounting import PrivacyAccount, PrivacyLimit
from sfumato.synthesis import BudgetShares, CodedTable, DomainField, synthesise
from sfumato.synthesis.synthesizer import SynthesisRun

FIELDS = (
    DomainField(name="age", size=12, ordered=True),
    DomainField(name="sex", size=3, rare=(2,)),
    DomainField(name="ward", size=5),
    DomainField(name="ill", size=2),
)
LIMIT = PrivacyLimit(epsilon=8.0, delta=1e-6)


def people(seed: int, rows: int = 900) -> np.ndarray:
    chance = np.random.default_rng(seed)
    age = chance.integers(0, 12, rows)
    sex = chance.integers(0, 2, rows)
    ward = (age // 3 + sex + chance.integers(0, 2, rows)) % 5
    ill = (chance.random(rows) < 0.1 + 0.06 * ward).astype(int)
    return np.stack([age, sex, ward, ill])


def coded(rows: np.ndarray, rows_per_person: int = 1) -> CodedTable:
    return CodedTable(fields=FIELDS, codes=tuple(rows), rows_per_person=rows_per_person)


class Replay:
    """Records what is measured and what noise makes of it; played again it gives the same noisy
    numbers, whatever the table."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from sfumato.accounting import charge
        from sfumato.synthesis import synthesizer

        self.seen: list[list[tuple[object, np.ndarray]]] = []
        self.noisy: list[np.ndarray] = []
        real = charge.with_noise

        def noise(counts, line):
            place = len(self.seen[-1])
            self.seen[-1].append((line, np.array(counts)))
            if len(self.seen) == 1:
                self.noisy.append(real(counts, line))
            return self.noisy[place].copy()

        monkeypatch.setattr(charge, "with_noise", noise)
        fixed = np.random.default_rng
        monkeypatch.setattr(synthesizer.np.random, "default_rng", lambda seed=11: fixed(seed))

    def run(self, table: CodedTable):
        self.seen.append([])
        account = PrivacyAccount(limit=LIMIT)
        made = synthesise(table, account, rho=LIMIT.rho())
        assert made.codes  # Rows are drawn while the generator is the fixed one.
        return made, account


def cost(replay: Replay) -> tuple[list[float], Fraction]:
    """The squared shift of each measurement over its bound, and the true cost of all."""
    ratios, total = [], Fraction(0)
    for (line, before), (other, after) in zip(*replay.seen, strict=True):
        assert line == other
        squared = int(((before - after) ** 2).sum())
        ratios.append(squared / line.squared_sensitivity)
        total += Fraction(squared) / (2 * Fraction(line.sigma) ** 2)
    return ratios, total


def test_rows_bins_and_groups_follow_from_noisy_numbers_alone():
    """Another table altogether, with the same noisy numbers, gives the same rows."""
    with pytest.MonkeyPatch.context() as patch:
        replay = Replay(patch)
        made, account = replay.run(coded(people(1)))
        other, second = replay.run(coded(people(2, rows=35)))
    assert made.groups
    assert made.groups == other.groups
    assert made.bins == other.bins
    assert made.rows == other.rows
    assert all(map(np.array_equal, made.codes, other.codes))
    assert account.lines == second.lines


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 3), st.data())
def test_one_person_shifts_no_measurement_beyond_its_charge(seed, most, data):
    rows = people(seed, rows=400)
    count = data.draw(st.integers(1, most))
    own = np.array(
        [[data.draw(st.integers(0, spec.size - 1)) for _ in range(count)] for spec in FIELDS]
    )
    with pytest.MonkeyPatch.context() as patch:
        replay = Replay(patch)
        _, account = replay.run(coded(rows, most))
        replay.run(coded(np.concatenate([rows, own], axis=1), most))
    ratios, total = cost(replay)
    assert max(ratios) <= 1
    assert total <= account.rho <= LIMIT.rho()


def test_the_audit_sees_contributions_that_are_not_cut():
    rows = people(4)
    own = np.repeat([[3], [1], [2], [1]], 3, axis=1)
    with pytest.MonkeyPatch.context() as patch:
        replay = Replay(patch)
        _, account = replay.run(coded(rows))
        replay.run(coded(np.concatenate([rows, own], axis=1)))
    ratios, total = cost(replay)
    assert max(ratios) > 1
    assert total > account.rho


def test_everything_is_charged_and_nothing_beyond_the_budget():
    account = PrivacyAccount(limit=LIMIT)
    half = LIMIT.rho() / 2
    synthesise(coded(people(6)), account, rho=half)
    assert Fraction(9, 10) * half < account.rho <= half


@pytest.mark.parametrize("rows", [1, 2, 40])
@pytest.mark.parametrize("epsilon", [0.01, 1.0])
def test_small_tables_and_little_budget_give_rows_of_the_domain(rows, epsilon):
    limit = PrivacyLimit(epsilon=epsilon, delta=1e-6)
    made = synthesise(coded(people(7, rows=rows)), PrivacyAccount(limit=limit), rho=limit.rho())
    assert made.rows >= 1
    for spec, column in zip(FIELDS, made.codes, strict=True):
        assert len(column) == made.rows
        assert 0 <= column.min() <= column.max() < spec.size


def test_rare_codes_that_no_noisy_count_shows_are_in_no_row():
    """Not even where few people in many fields let the fit pull all bins to uniform counts."""
    chance = np.random.default_rng(5)
    limit = PrivacyLimit(epsilon=1.0, delta=1e-6)
    missing = {"rare": (8,), "apart": (frozenset({8}),)}
    run = SynthesisRun(
        table=CodedTable(
            fields=tuple(
                DomainField(name=f"f{n}", size=9, ordered=True, **missing) for n in range(12)
            ),
            codes=tuple(chance.integers(0, 4, 300) for _ in range(12)),
        ),
        account=PrivacyAccount(limit=limit),
        rho=limit.rho(),
        shares=BudgetShares(),
    )
    run.count_fields()
    run.cut_bins()
    run.count_again()
    unseen = [n for n in range(12) if run.ones[n][8] == 0]
    assert unseen
    made = run.fitted()
    assert not any(8 in made.codes[n] for n in unseen)


def test_constant_and_single_fields_can_be_synthesised():
    table = CodedTable(
        fields=(DomainField(name="a", size=1), DomainField(name="b", size=4)),
        codes=(np.zeros(300, np.int64), np.zeros(300, np.int64)),
    )
    made = synthesise(table, PrivacyAccount(limit=LIMIT), rho=LIMIT.rho())
    assert set(made.codes[0].tolist()) == {0}
    one = CodedTable(fields=table.fields[1:], codes=table.codes[1:])
    assert synthesise(one, PrivacyAccount(limit=LIMIT), rho=LIMIT.rho()).groups == ()


def test_independent_fields_are_counted_again_with_the_rest_of_the_budget():
    chance = np.random.default_rng(9)
    rows = np.stack([chance.integers(0, spec.size, 500) for spec in FIELDS])
    limit = PrivacyLimit(epsilon=0.3, delta=1e-6)
    account = PrivacyAccount(limit=limit)
    # No pair is worth a noise of that price, whatever the look shows.
    shares = BudgetShares(noise_price=1e9)
    made = synthesise(coded(rows), account, rho=limit.rho(), shares=shares)
    assert made.groups == ()
    counted = [line for line in account.lines if line.what == "counts of a field"]
    # Once, again as the noise is much of 500 people, and with what is left.
    assert len(counted) == 3 * len(FIELDS)
    assert account.rho > Fraction(9, 10) * limit.rho()
