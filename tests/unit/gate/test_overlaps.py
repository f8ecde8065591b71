"""Tables that are said to be about other people, and are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from linked import linked_gate, write_table

from sfumato.errors import PolicyError

KEYED = """
entity = "id"
[fields.id]
role = "direct"
[fields.town]
role = "quasi"
[fields.amount]
role = "insensitive"
[require]
k = 5
"""
PLAIN = KEYED.replace('entity = "id"\n', "")


def rows(first: int, *, key: str, amounts: int = 1) -> list[dict[str, object]]:
    return [
        {"id": f"{key}{n}", "town": "AB"[n % 2], "amount": n * 7919 % 100_003 * amounts}
        for n in range(first, first + 120)
    ]


def test_keys_that_agree_by_chance_are_allowed(tmp_path: Path) -> None:
    tables = [
        write_table(tmp_path, "one", rows(1, key="", amounts=1), KEYED),
        write_table(tmp_path, "two", rows(1, key="", amounts=13), KEYED, people="others"),
    ]
    with linked_gate(tmp_path, tables) as gate:
        assert len({each.account for each in gate.keeper.holdings.values()}) == 2


@pytest.mark.parametrize("policy", [KEYED, PLAIN], ids=["keys", "no key"])
def test_texts_that_agree_are_the_same_people(tmp_path: Path, policy: str) -> None:
    """By their keys, or by an amount that is in both."""
    amounts = 13 if policy is KEYED else 1
    tables = [
        write_table(tmp_path, "one", rows(1, key="p"), KEYED),
        write_table(tmp_path, "two", rows(60, key="p", amounts=amounts), policy, people="others"),
    ]
    with pytest.raises(PolicyError, match="than chance explains"), linked_gate(tmp_path, tables):
        pass


def test_a_table_without_a_key_is_refused_beside_others(tmp_path: Path) -> None:
    tables = [
        write_table(tmp_path, "one", rows(1, key="p"), KEYED),
        write_table(tmp_path, "two", rows(500, key="q"), PLAIN),
    ]
    with pytest.raises(PolicyError, match="no person key"), linked_gate(tmp_path, tables):
        pass
