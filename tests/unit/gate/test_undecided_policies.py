"""The gate answers at once, so that it opens no table under a policy that nobody has decided."""

from __future__ import annotations

import pytest
from gates import POLICY, a_gate, people

from sfumato.errors import PolicyError


def test_a_policy_that_nobody_decided_is_refused_with_every_open_field(tmp_path):
    undecided = "proposed = true\n" + POLICY.replace(
        'role = "insensitive"', 'role = "insensitive"\nopen = true'
    )
    with (
        pytest.raises(PolicyError) as caught,
        a_gate(tmp_path, people(300), policy=undecided),
    ):
        pass
    assert {problem.where for problem in caught.value.problems} == {"proposed", "fields.cost.open"}
