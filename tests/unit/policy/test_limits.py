"""A policy that is beyond every honest size is refused at once, with the limit."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from sfumato.errors import HierarchyError, PolicyError
from sfumato.hierarchies import CsvHierarchy, hierarchy_from_table
from sfumato.policy import policy_from_table, read_policy
from sfumato.policy.limits import DEPTH, limit_problems

HOSTILE = {
    "dotted": ("a." * 200_000 + "b = 1", "nested deeper than 32 levels, which is the limit"),
    "quoted": ('"a" . ' * 50_000 + "b = 1", "nested deeper than 32 levels, which is the limit"),
    "header": ("[" + ".".join("a" * 5_000) + "]\nx = 1", "nested deeper than 32 levels"),
    "lists": ("x = " + "[" * 100_000, "nested deeper than 32 levels"),
    "closed lists": ("x = " + "[" * 60 + "]" * 60, "nested deeper than 32 levels"),
    "tables": ("x = " + "{ a = " * 50_000, "nested deeper than 32 levels"),
    "digits": ("x = " + "9" * 5_000, "beyond 1,000,000,000,000,000, which is the limit"),
    "hex": ("x = 0x" + "f" * 100_000, "beyond 1,000,000,000,000,000, which is the limit"),
    "k": ("[fields]\na = 'quasi'\n[require]\nk = 99999999999999999999", "beyond 1,000,000,000,000,000"),
    "name": ("[fields]\n" + "n" * 300 + " = 'quasi'", "A name has 300 characters; at most 255 are allowed"),
    "table": ("[tables." + "n" * 300 + "]\nkey = 'a'", "A name has 300 characters; at most 255 are allowed"),
    "text": ("entity = '" + "n" * 200_000 + "'", "A text has 200,000 characters; at most 100,000"),
    "size": ("# " + "x" * (9 << 20), "The file is larger than 8 MiB, which is the limit"),
    "prefix": ("fields.zip = { role = 'quasi', hierarchy = { prefix = { keep = [3], length = 2000000000 } } }\n"
               "require.k = 2", "prefix.length must be a whole number from 0 to 1,000"),
    "levels": (f"fields.zip = {{ role = 'quasi', hierarchy = {{ prefix = {list(range(5000, 0, -1))} }} }}\n"
               "require.k = 2", "a list of at most 100 levels, and has 5,000"),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_policies_are_refused_at_once_with_the_limit(tmp_path: Path, case: str) -> None:
    text, says = HOSTILE[case]
    path = tmp_path / "x.policy.toml"
    path.write_text(text, encoding="utf-8")
    start = time.process_time()
    with pytest.raises(PolicyError) as refused:
        read_policy(path)
    assert says in str(refused.value)
    assert time.process_time() - start < 5


def test_problems_with_limits_are_told_together() -> None:
    table = {"fields": {"n" * 300: "quasi", "m" * 300: "quasi"}, "require": {"k": 10**20}}
    assert len(limit_problems(table)) == 3


@pytest.mark.parametrize("digits", [20, 5_000])
def test_a_number_beyond_the_limit_hides_no_other_problem(tmp_path: Path, digits: int) -> None:
    path = tmp_path / "x.policy.toml"
    path.write_text(
        f"fields = {{ a = 'quasi', b = 'nonsense' }}\nunheard = 1\n[require]\nk = "
        f"{'9' * digits}\nl = 'two'\n"
        f"[solve]\nmax_bins = {'9' * digits}\n",
        encoding="utf-8",
    )
    with pytest.raises(PolicyError) as refused:
        read_policy(path)
    places = [problem.where for problem in refused.value.problems]
    assert {"require.k", "solve.max_bins", "fields.b.role", "unheard"} <= set(places)
    assert any(place.startswith("require.l") for place in places)
    assert places.count("require.k") == places.count("solve.max_bins") == 1
    assert "9999" not in str(refused.value)


def test_a_long_name_or_text_hides_no_other_problem() -> None:
    with pytest.raises(PolicyError) as refused:
        policy_from_table(
            {"fields": {"n" * 300: "quasi", "b": "nonsense"}, "entity": "e" * 200_000, "unheard": 1}
        )
    assert {"fields", "entity", "fields.b.role", "unheard"} <= {
        problem.where for problem in refused.value.problems
    }
    assert len(str(refused.value)) < 2_000


def test_more_than_ten_numbers_beyond_the_limit_are_counted() -> None:
    found = limit_problems({"x": [10**20] * 25})
    assert len(found) == 11
    assert "15 more" in found[-1].found


def test_a_table_may_be_as_deep_as_the_limit() -> None:
    table: dict[str, object] = {"x": 1}
    for _ in range(DEPTH - 1):
        table = {"x": table}
    assert limit_problems(table) == []
    assert limit_problems({"x": {"x": table}}) != []
    with pytest.raises(PolicyError, match="no such key"):
        policy_from_table(table)


def test_a_hierarchy_file_of_absurd_width(tmp_path: Path) -> None:
    path = tmp_path / "zip.csv"
    path.write_text("a" + ";b" * 5_000_000 + "\n", encoding="utf-8")
    start = time.process_time()
    with pytest.raises(HierarchyError, match="has more than 100 levels, which is the limit"):
        CsvHierarchy.read(path)
    assert time.process_time() - start < 10
    path.write_text("a;*\n" + "b" + ";*" * 1_000_000 + "\n", encoding="utf-8")
    with pytest.raises(HierarchyError, match=r"has more than 100 levels|is not CSV"):
        CsvHierarchy.read(path)


def test_a_hierarchy_file_of_absurd_size(tmp_path: Path) -> None:
    path = tmp_path / "zip.csv"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a file of a terabyte that takes no space
    with pytest.raises(HierarchyError, match="is larger than 64 MiB, which is the limit"):
        CsvHierarchy.read(path)


def test_codes_are_brought_to_honest_lengths() -> None:
    with pytest.raises(HierarchyError, match="from 0 to 1,000"):
        hierarchy_from_table({"prefix": {"keep": [3], "length": 2_000_000_000}})
    assert hierarchy_from_table({"prefix": {"keep": [3], "length": 5}}).bind(["2138"]).labels[
        1
    ] == ("021**",)
