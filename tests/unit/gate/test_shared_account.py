"""The account that a gate shares with other releases about the same people."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from gates import ANN, people, write

from sfumato.accounting import Measurement, PrivacyAccount, PrivacyLimit, read_lines
from sfumato.errors import Mistake, NotAdmitted, ReleaseBroken
from sfumato.gate.gate_opener import Gate, open_gate
from sfumato.gate.settings import Budget, HeldTable, Lifetime, Mode, Settings, Terms
from sfumato.gate.settings_file import settings_from_table

TERMS = Terms(mode=Mode.NOISY, least=1, budget=Budget(query=0.2, person=2.0, table=4.0))
LIFE = Lifetime(epsilon=1.0, delta=1e-6)
SQL = "SELECT count(*) FROM people WHERE age > {}"


@contextmanager
def gate(folder: Path, account: Path | None, life: Lifetime | None = LIFE) -> Iterator[Gate]:
    if not (folder / "people.csv").exists():
        write(folder, people(60))
    table = HeldTable(
        name="people", source=str(folder / "people.csv"), policy=folder / "policy.toml"
    )
    settings = Settings(
        folder=folder / "state", tables={"people": table}, terms={"public": TERMS},
        lifetime=life, account=account,
    )  # fmt: skip
    with open_gate(settings) as opened:
        yield opened


def ask(opened: Gate, age: int) -> None:
    opened.keeper.ask(replace(ANN, profile="public"), SQL.format(age))


def _answered(opened: Gate, ages: range) -> int:
    """How many questions are answered before the budget is used up."""
    for number, age in enumerate(ages):
        try:
            ask(opened, age)
        except NotAdmitted:
            return number
    return len(ages)


def line(sigma: float) -> Measurement:
    return Measurement(what="counts", fields=("age",), cells=3, sigma=sigma)


def test_a_gate_and_a_synthesis_add_up_to_one_limit(tmp_path):
    """Half of the limit goes to a synthetic table while the gate is open; the gate stops where both
    together reach it, and what was charged is on disk."""
    file = tmp_path / "people.account"
    with gate(tmp_path, file) as opened:
        ask(opened, 30)
        assert len(read_lines(file, delta=1e-6)) == 1
        synthesis = PrivacyAccount(limit=PrivacyLimit(epsilon=1.0, delta=1e-6), file=file)
        before = opened.keeper.budget(replace(ANN, profile="public"), "people").rho_left
        synthesis.charge([line(7.0)])
        after = opened.keeper.budget(replace(ANN, profile="public"), "people").rho_left
        assert after < before
        assert _answered(opened, range(31, 60)) < 10
    spent = PrivacyAccount(limit=PrivacyLimit(epsilon=1.0, delta=1e-6), file=file)
    assert spent.left() < before
    answers = len(read_lines(file, delta=1e-6)) - 1
    with gate(tmp_path, file) as opened, pytest.raises(NotAdmitted, match="used up"):
        ask(opened, 61)
    assert len(read_lines(file, delta=1e-6)) == answers + 1


def test_an_account_that_is_gone_or_older_is_refused(tmp_path):
    file = tmp_path / "people.account"
    with gate(tmp_path, file) as opened:
        ask(opened, 30)
        shutil.copy(file, tmp_path / "older")
        ask(opened, 31)
    shutil.copy(file, tmp_path / "newest")
    shutil.copy(tmp_path / "older", file)
    with pytest.raises(ReleaseBroken, match="older copy"), gate(tmp_path, file):
        pass
    file.unlink()
    with pytest.raises(ReleaseBroken, match="gone"), gate(tmp_path, file):
        pass
    shutil.copy(tmp_path / "newest", file)
    with gate(tmp_path, file) as opened:
        ask(opened, 31)
    with pytest.raises(Mistake, match="names no account"), gate(tmp_path, None):
        pass
    with pytest.raises(Mistake, match="another account"), gate(tmp_path, tmp_path / "new"):
        pass


def test_a_limit_is_needed_and_one_delta(tmp_path):
    with pytest.raises(Mistake, match="no limit"), gate(tmp_path, tmp_path / "a", None):
        pass
    PrivacyAccount(limit=PrivacyLimit(epsilon=1.0, delta=1e-9), file=tmp_path / "b").charge([])
    with pytest.raises(Mistake, match="another delta"), gate(tmp_path, tmp_path / "b"):
        pass


def test_answers_of_before_are_not_forgotten(tmp_path):
    with gate(tmp_path, None) as opened:
        ask(opened, 30)
    with pytest.raises(Mistake, match="with noise before"), gate(tmp_path, tmp_path / "a"):
        pass


def test_the_file_names_the_account_beside_it(tmp_path):
    tables = {"people": {"source": "people.csv", "policy": "policy.toml"}}
    read = settings_from_table({"tables": tables, "account": "register"}, folder=tmp_path)
    assert read.account == tmp_path / "register"
