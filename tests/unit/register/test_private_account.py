"""One privacy account in a register: releases, synthetic tables and a gate's answers add up, and are
refused at the limit of the charter."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("cryptography")

from sfumato.accounting import Measurement, PrivacyAccount, PrivacyLimit
from sfumato.errors import CandidateFailed, Mistake, ReleaseBroken
from sfumato.register import Author, Charter, Register
from sfumato.register import release_checks as module
from sfumato.signatures import SigningKey

KEY = SigningKey.generate()
ANN = Author(name="ann", key=KEY)
LIMIT = PrivacyLimit(epsilon=1.0, delta=1e-6)


def charter(privacy: dict[str, float] | None = None) -> Charter:
    members = {"ann": {"key": KEY.public.line, "roles": ["administrator", "custodian"]}}
    told = {"privacy": privacy} if privacy else {}
    return Charter.of({"ledger": {"k": 2}, "members": members, **told})


@pytest.fixture(autouse=True)
def _no_tables(monkeypatch):
    """Releases of these tests are manifests alone."""
    monkeypatch.setattr(module, "verify", lambda *_, **__: ())


@pytest.fixture
def register(tmp_path: Path) -> Register:
    return Register.create(tmp_path / "r", charter(vars(LIMIT)), author=ANN)


def line(epsilon: float = 0.5) -> Measurement:
    sigma = float(1 / (2 * PrivacyLimit(epsilon=epsilon, delta=1e-6).rho())) ** 0.5 * (1 + 1e-9)
    return Measurement(what="counts", fields=("age",), cells=3, sigma=sigma)


def synthetic(
    folder: Path, name: str, *lines: Measurement, file: Path | None = None, outside: str = ""
) -> Path:
    """A synthetic release: its manifest with the account of its run."""
    account = PrivacyAccount(limit=PrivacyLimit(epsilon=9.0, delta=1e-6), file=file)
    account.charge(lines)
    if outside:
        account.note_outside(outside)
    (folder / name).mkdir()
    facts = {"sfumato": "0", "shape": "synthetic rows", "name": name, "account": account.as_dict()}
    (folder / name / "manifest.json").write_text(json.dumps(facts))
    return folder / name


def test_what_was_charged_elsewhere_is_added_and_refused_at_the_limit(register, tmp_path):
    one, two = (synthetic(tmp_path, name, line(0.6)) for name in ("one", "two"))
    verdict = register.add(one, group="lab", author=ANN)["lab"]
    assert verdict.outcome == "pass"
    assert verdict.account is not None
    assert (verdict.account.limit, round(verdict.account.epsilon, 2)) == (1.0, 0.6)
    register.add(one, group="press", author=ANN, name="one again")
    assert register.judge()["press"].account == verdict.account, "one release costs once"
    register.change_charter(charter({"epsilon": 0.8, "delta": 1e-6}), author=ANN)
    with pytest.raises(CandidateFailed, match=r"private to 0\.86\d.* allows 0\.8 "):
        register.add(two, group="lab", author=ANN)
    assert len(register.state().releases) == 2, "nothing was recorded"
    register.add(two, group="lab", author=ANN, imported=True)
    found = register.judge()
    assert {name: each.outcome for name, each in found.items()} == {"lab": "fail", "press": "fail"}
    assert "epsilon 0.8" in found["lab"].reason


def test_runs_and_answers_that_are_charged_to_the_register_add_up(register, tmp_path):
    """The account of a register is a folder that any run can charge; the charter's limit holds for
    each, whatever limit the run has itself."""
    made = synthetic(tmp_path, "one", line(0.6), file=register.folder)
    gate = PrivacyAccount(limit=PrivacyLimit(epsilon=5.0, delta=1e-6), file=register.folder)
    gate.charge([line(0.5)])
    with pytest.raises(Mistake, match="limit of a person is 1"):
        gate.charge([line(0.9)])
    verdict = register.add(made, group="lab", author=ANN)["lab"]
    assert verdict.account is not None
    assert verdict.account.charges == 2, "the release was charged when it was made"
    with pytest.raises(Mistake, match="another delta"):
        PrivacyAccount(limit=PrivacyLimit(epsilon=5.0, delta=1e-5), file=register.folder).charge(
            [line()]
        )


def test_a_run_without_a_limit_of_its_own_has_that_of_the_charter(register, tmp_path):
    def run(file: Path, limit: float | None = None) -> PrivacyAccount:
        return PrivacyAccount.of_run(epsilon=0.6, delta=1e-6, limit=limit, file=file)

    need = PrivacyLimit(epsilon=0.6, delta=1e-6).rho()
    for _ in range(2):
        run(register.folder).check_left(need, "A run.")
        run(register.folder).charge([line(0.6)])
    with pytest.raises(Mistake, match=r"epsilon 0\.868 of 1 is spent"):
        run(register.folder).check_left(need, "A run.")
    run(tmp_path / "file").charge([line(0.6)])
    with pytest.raises(Mistake, match=r"epsilon 0\.6 of 0\.6 is spent"):
        run(tmp_path / "file").check_left(need, "A run.")
    run(tmp_path / "file", 1.0).check_left(need, "A run.")


def test_a_run_that_claims_a_charge_of_others_pays(register, tmp_path):
    made = synthetic(tmp_path, "one", line(0.4), file=register.folder)
    told = json.loads((made / "manifest.json").read_text())["account"]["run"]
    other = PrivacyAccount(limit=LIMIT, file=tmp_path / "elsewhere", run=told)
    other.charge([line(0.7)])
    facts = {"sfumato": "0", "shape": "synthetic rows", "account": other.as_dict()}
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "manifest.json").write_text(json.dumps(facts))
    found = register.add(tmp_path / "two", group="lab", author=ANN)["lab"].account
    assert found is not None
    assert found.charges == 2


def test_without_a_limit_nothing_private_passes(tmp_path):
    register = Register.create(tmp_path / "r", charter(), author=ANN)
    found = register.add(synthetic(tmp_path, "one", line()), group="lab", author=ANN)["lab"]
    assert found.outcome == "review"
    assert "no limit" in found.reason
    register.verify()


def test_what_is_outside_the_account_is_not_judged(register, tmp_path):
    made = synthetic(tmp_path, "one", line(), outside="the total of each hospital")
    found = register.add(made, group="lab", author=ANN)["lab"]
    assert found.outcome == "review"
    assert "outside the private account: the total of each hospital" in found.not_judged[0]


def test_a_release_whose_account_does_not_add_up_is_refused(register, tmp_path):
    made = synthetic(tmp_path, "one", line())
    facts = json.loads((made / "manifest.json").read_text())
    facts["account"]["rho"] = "0.0001"
    (made / "manifest.json").write_text(json.dumps(facts))
    with pytest.raises(CandidateFailed, match="does not add up"):
        register.add(made, group="lab", author=ANN)
    found = register.add(made, group="lab", author=ANN, imported=True)["lab"]
    assert found.outcome == "review"


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM charges",
        "DELETE FROM charges; UPDATE account SET size = 0",
        "DELETE FROM account; DELETE FROM charges",
        "DROP TABLE charges; DROP TABLE account",
        "UPDATE account SET epsilon = 100.0",
        "UPDATE account SET epsilon = NULL",
    ],
)
def test_a_changed_account_is_noticed(register, tmp_path, statement):
    register.add(synthetic(tmp_path, "one", line()), group="lab", author=ANN)
    with closing(sqlite3.connect(register.folder / "register.db")) as database:
        database.executescript(statement)
    with pytest.raises(ReleaseBroken):
        register.verify()


def test_an_older_account_is_noticed_against_the_anchor(register, tmp_path):
    """A gate charges without any move, so that only the anchor knows of it."""
    older = tmp_path / "older.db"
    shutil.copy(register.folder / "register.db", older)
    PrivacyAccount(limit=LIMIT, file=register.folder).charge([line()])
    anchor = tmp_path / "anchor"
    anchor.write_text(register.anchor() + "\n")
    assert "holds" in register.verify(anchor=anchor)[1]
    shutil.copy(older, register.folder / "register.db")
    with pytest.raises(ReleaseBroken, match="lacks charges"):
        register.verify(anchor=anchor)
    assert "no anchor" in register.verify()[1]


def test_an_account_that_a_release_knows_of_is_missed_without_an_anchor(register, tmp_path):
    """Whoever empties the account and chains it anew is found by the next verdict."""
    empty = tmp_path / "empty"
    PrivacyAccount(limit=LIMIT, file=empty).charge([])
    register.add(synthetic(tmp_path, "one", line()), group="lab", author=ANN)
    with closing(sqlite3.connect(empty)) as database:
        (end,) = database.execute("SELECT end FROM account").fetchone()
    with closing(sqlite3.connect(register.folder / "register.db")) as database, database:
        database.execute("DELETE FROM charges")
        database.execute("UPDATE account SET size = 0, end = ?", (end,))
    with pytest.raises(ReleaseBroken, match="Charges are missing"):
        register.judge()


def test_what_another_tool_made_is_imported_and_never_passes(register, tmp_path):
    """A synthetic table without any account, say: nobody judges it."""
    (tmp_path / "table.csv").write_text("age\n30\n")
    found = register.add(tmp_path / "table.csv", group="lab", author=ANN, imported=True)["lab"]
    assert found.outcome == "review"
    assert "no manifest" in found.not_judged[0]
    (tmp_path / "folder").mkdir()
    with pytest.raises(Mistake, match="no file"):
        register.add(tmp_path / "folder", group="lab", author=ANN, imported=True)
    with pytest.raises(Mistake, match=r"manifest\.json"):
        register.add(tmp_path / "table.csv", group="lab", author=ANN)


@pytest.mark.parametrize(
    "privacy", [{"epsilon": 1.0}, {"epsilon": 0, "delta": 1e-6}, {"epsilon": "1", "delta": 1e-6}, 3]
)
def test_a_limit_that_is_none_is_refused(privacy):
    with pytest.raises(Mistake, match="privacy"):
        charter(privacy)
