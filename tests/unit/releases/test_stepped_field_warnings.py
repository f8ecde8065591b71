"""Warnings about a field that a step changed do not say that it is kept as it is."""

from __future__ import annotations

import sfumato
from sfumato.keys import Key

KEY = Key(bytes(range(32)))
POLICY = """
[fields]
sex = "quasi"
income = "insensitive"
{steps}
[require]
k = 5
"""
NOISE = """
[[steps]]
technique = "noise"
fields = ["income"]
share = 5000.0
"""


def warned(tmp_path, steps):
    rows = [f"{'fm'[number % 2]},{1000 + 37 * number}" for number in range(40)]
    source = tmp_path / "people.csv"
    source.write_text("\n".join(["sex,income", *rows, ""]), encoding="utf-8")
    made = sfumato.release(source, POLICY.format(steps=steps), key=KEY)
    return [line for line in made.manifest["warnings"] if "no two rows share" in line]


def test_a_field_with_noise_is_not_kept_as_it_is(tmp_path):
    (line,) = warned(tmp_path, NOISE)
    assert line.startswith("income is changed by noise")
    assert "kept as it is" not in line


def test_a_field_in_clear_is_kept_as_it_is(tmp_path):
    (line,) = warned(tmp_path, "")
    assert line.startswith("income is kept as it is")
