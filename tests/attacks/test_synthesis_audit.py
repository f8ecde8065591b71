"""The measuring part of private synthesis, audited on neighbouring tables: no statistic of an attacker
shifts by more than is claimed, and planted faults do. `python -m benchmarks synthesis_audit` makes
10,000 runs; here are a few at a larger epsilon, at which faults are seen sooner."""

from __future__ import annotations

import pytest
from benchmarks.synthesis_audit import FAULTS, RUNS, audit

EPSILON, FEW = 6.0, 60
MORE = {"halved sensitivity": 300}
"""The smallest fault takes more runs to be seen."""


def test_the_measuring_part_keeps_to_its_claim():
    _, _, limit, claim = audit(FEW, EPSILON)
    assert 0 < claim < 3
    assert limit <= claim


@pytest.mark.long(
    "the smallest fault takes 300 runs; three larger ones stay",
    but=("a domain from the data", "an un-noised size", "unclipped contributions"),
)
@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_exceed_the_claim(fault):
    with FAULTS[fault]():
        _, _, limit, claim = audit(MORE.get(fault, FEW), EPSILON)
    assert limit > claim


@pytest.mark.long("10,000 runs on each table; the tests above make 60")
def test_ten_thousand_runs_keep_to_the_claim():
    _, _, limit, claim = audit(RUNS)
    assert limit <= claim
