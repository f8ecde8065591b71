"""A rule that any answer would meet protects nobody, so the gate opens no table under it."""

from __future__ import annotations

import pytest
from gates import POLICY, a_gate, people

from sfumato.errors import PolicyError

NUMBERS = POLICY.replace('[fields.cost]\nrole = "insensitive"', '[fields.cost]\nrole = "sensitive"')
ASKED = {
    "l_diversity": '{ l = 3, fields = ["cost"] }',
    "alpha_k": '{ alpha = 0.5, k = 5, fields = ["cost"] }',
    "p_sensitive": '{ p = 3, k = 5, fields = ["cost"] }',
    "value_spread": '{ width = 0.001, fields = ["cost"] }',
}


def measured():
    """People of whom everybody costs something else, and neighbours nearly the same."""
    return [row | {"cost": 1000 + number * 0.01} for number, row in enumerate(people(300))]


@pytest.mark.parametrize("key", ASKED)
def test_a_rule_that_any_answer_meets_is_refused(tmp_path, key):
    policy = NUMBERS + f"{key} = {ASKED[key]}\n"
    with pytest.raises(PolicyError) as caught, a_gate(tmp_path, measured(), policy=policy):
        pass
    assert {problem.where for problem in caught.value.problems} == {f"require.{key}"}


def test_a_rule_about_closeness_opens(tmp_path):
    policy = NUMBERS + 'value_spread = { width = 1, share = 0.9, fields = ["cost"] }\n'
    with a_gate(tmp_path, measured(), policy=policy) as gate:
        assert "people" in gate.keeper.holdings
