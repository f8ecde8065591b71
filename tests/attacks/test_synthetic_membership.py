"""Membership in a synthetic table: an attacker who knows everybody else asks whether one person was
among the rows.

The person is alone with a value. Without noise its presence gives them away; with it, the best
threshold on what is released may gain no more than Gaussian noise of that cost allows: with
mu = sqrt(2 rho), a total variation of 2 * Phi(mu / 2) - 1."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.accounting import PrivacyAccount, PrivacyLimit, charge
from sfumato.releases.synthetic.private_domain import select_values
from sfumato.synthesis import CodedTable, DomainField, synthesise

RUNS = 400
LIMIT = PrivacyLimit(epsilon=1.0, delta=1e-6)
OTHERS = np.repeat([0, 1, 2], 100)


def released(codes: np.ndarray) -> int:
    """How many synthetic rows have the value that the person alone has."""
    table = CodedTable(fields=(DomainField(name="ward", size=4),), codes=(codes,))
    made = synthesise(table, PrivacyAccount(limit=LIMIT), rho=LIMIT.rho())
    return int((made.codes[0] == 3).sum())


def advantage() -> tuple[float, float]:
    """The best threshold's gain over guessing, less three standard errors; and what is allowed."""
    absent = np.array([released(OTHERS) for _ in range(RUNS)])
    present = np.array([released(np.append(OTHERS, 3)) for _ in range(RUNS)])
    gains = [
        abs(float((present >= cut).mean() - (absent >= cut).mean()))
        for cut in range(1, int(max(present.max(), absent.max())) + 2)
    ]
    mu = math.sqrt(2 * float(LIMIT.rho()))
    return max(gains) - 3 * math.sqrt(0.5 / RUNS), math.erf(mu / 2 / math.sqrt(2))


def test_synthetic_rows_do_not_give_a_person_away():
    gain, allowed = advantage()
    assert gain <= allowed


@pytest.mark.long("the control of the attack; test_synthesis_audit.py keeps planted faults")
def test_the_attacker_is_strong_enough_to_see_noise_that_is_too_small(monkeypatch):
    """A planted fault: noise an eighth of what was charged."""
    real = charge.with_noise

    def too_little(counts, line):
        noise = real(np.zeros_like(counts), line)
        return counts + np.rint(noise / 8).astype(np.int64)

    monkeypatch.setattr(charge, "with_noise", too_little)
    gain, allowed = advantage()
    assert gain > allowed


@pytest.mark.parametrize("own", [1, 3])
def test_a_value_of_one_person_alone_is_not_selected(own):
    for _ in range(200):
        coder = select_values(
            "city",
            ["Atlantis", "Rome"],
            np.array([own, 3_000]),
            PrivacyAccount(limit=LIMIT),
            rho=LIMIT.rho() / 4,
            delta=1e-9,
            rows_per_person=own,
        )
        assert coder.values == ("Rome",)
