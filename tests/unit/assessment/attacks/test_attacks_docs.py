"""The page about attacks: its example runs, and it tells of every attack."""

from __future__ import annotations

import doctest
from pathlib import Path

from village import copied, everyone, inside, subject, table

from sfumato.assessment.attacks import Second, run_attacks
from sfumato.assessment.attacks.counts_differencing import NAME
from sfumato.assessment.attacks.register_linkage import NamedRegister

PAGE = Path(__file__).parents[4] / "docs" / "assess" / "attacks.md"


def test_the_example_runs():
    assert doctest.testfile(str(PAGE), module_relative=False).failed == 0


def test_every_attack_is_told_of():
    here = subject(copied(inside()))
    people = table(
        [{name: row[name] for name in ("name", "zip", "birth", "sex")} for row in everyone()]
    )
    second = Second(release=table(copied(inside())), hierarchies={})
    register = NamedRegister(people=people)
    found = run_attacks(
        here, registers=(register,), second=second, newcomers=table(everyone()[500:]), targets=50
    )
    page = PAGE.read_text(encoding="utf-8")
    for name in (NAME, *(run.name.split(":")[0] for run in found)):
        assert f"| `{name}` |" in page
