"""What the holder reads when a gate opens: where noisy numbers cover more rows of a person than there
are, or leave many out."""

from __future__ import annotations

import pytest
from gates import a_gate

from sfumato.gate.server import _notices
from sfumato.gate.settings import Mode, Terms

POLICY = """
entity = "name"
[fields.name]
role = "direct"
[fields.town]
role = "quasi"
[require]
k = 2
"""


def notices(folder, rows_of_each, terms):
    rows = [
        {"name": f"p{person}", "town": "A"}
        for person, count in enumerate(rows_of_each)
        for _ in range(count)
    ]
    with a_gate(folder, rows, policy=POLICY, terms=terms) as gate:
        return [each for each in _notices(gate) if "rows_per_person" in each]


def test_rows_that_are_left_out_are_counted(tmp_path):
    (notice,) = notices(tmp_path, [1, 2, 4, 13], Terms(rows_per_person=3))
    assert notice.startswith("Noisy numbers leave out 55% of the rows of people: they count 3 of")
    assert "rows_per_person = 12 leaves out at most 5%, with 4.0 times the noise" in notice


@pytest.mark.parametrize(
    ("rows", "terms"),
    [([2] * 20, Terms(rows_per_person=2)), ([1, 9], Terms(mode=Mode.EXACT, rows_per_person=1))],
)
def test_nothing_is_said_where_few_are(tmp_path, rows, terms):
    assert not notices(tmp_path, rows, terms)


def test_noise_for_rows_that_nobody_has(tmp_path):
    (notice,) = notices(tmp_path, [1] * 6, Terms(rows_per_person=8))
    assert notice.startswith("Nobody has two rows in people, and noise covers 8 rows")
