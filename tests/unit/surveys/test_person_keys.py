"""Keys of people are looked for among many fields: most pairs are ruled out at a glance."""

from __future__ import annotations

import random

import numpy as np

from sfumato.surveys import person_keys
from sfumato.surveys.coded_rows import CodedField


def _coded(name: str, codes: list[int]) -> CodedField:
    return CodedField(name, np.array(codes), tuple(map(str, range(max(codes) + 1))))


def test_unrelated_fields_are_not_counted_in_full(monkeypatch):
    draw = random.Random(2)
    key = [n // 10 for n in range(10_000)]
    birth = _coded("birth", [10 * one % 997 for one in key])
    other = _coded("other", [draw.randrange(50) for _ in key])
    counted = []
    real = person_keys.count_pair
    monkeypatch.setattr(
        person_keys, "count_pair", lambda *pair: counted.append(pair[1].name) or real(*pair)
    )
    assert person_keys._determines(_coded("person", key), birth)
    assert not person_keys._determines(_coded("person", key), other)
    assert counted == ["birth"]
