"""Warnings about bins in which every row has one value: few fields by name, many in one line."""

from __future__ import annotations

import pandas

import sfumato
from sfumato.releases.disclosure_warnings import one_valued_warnings


def test_each_of_a_few_fields_has_its_line():
    lines = list(one_valued_warnings({"ill": 2, "pay": 0, "drug": 1}, bins=9))
    assert [line.split(":")[0] for line in lines] == [
        "In 2 of 9 bins every row has the same value of ill",
        "In 1 of 9 bins every row has the same value of drug",
    ]


def test_many_fields_share_one_line_with_a_count():
    found = {f"drug {number}": number for number in range(24)}
    (line,) = one_valued_warnings(found, bins=30)
    assert "23 fields have such bins: drug 23 (in 23 of 30), drug 22 (in 22 of 30)" in line
    assert "and 20 more" in line


def test_a_field_that_is_empty_in_every_row_tells_nothing():
    rows = [{"sex": "fm"[n % 2], "ill": "flu", "drug": None} for n in range(8)]
    roles = {"sex": "quasi", "ill": "sensitive", "drug": "sensitive"}
    policy = {"fields": roles, "require": {"k": 2}}
    made = sfumato.release(pandas.DataFrame(rows), policy=policy)
    told = " ".join(made.manifest["warnings"])
    assert "same value of ill" in told
    assert "same value of drug" not in told
