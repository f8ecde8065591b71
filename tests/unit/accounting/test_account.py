"""The account: charged before noise, exact, within its limit, kept on disk, added up again."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from sfumato.accounting import (
    THRESHOLD,
    Measurement,
    PrivacyAccount,
    PrivacyLimit,
    check_account,
    epsilon_of,
    read_lines,
    rho_of,
)
from sfumato.errors import Mistake, ReleaseBroken

LIMIT = PrivacyLimit(epsilon=1.0, delta=1e-9)


def line(sigma: float = 20.0, **parts) -> Measurement:
    return Measurement(
        **{"what": "counts", "fields": ("age",), "cells": 3, "sigma": sigma, **parts}
    )


def test_noise_is_added_after_the_charge():
    account = PrivacyAccount(limit=LIMIT)
    noisy = account.measure(line(), np.array([100, 200, 300]))
    assert account.lines == (line(),)
    assert noisy.shape == (3,)
    assert np.abs(noisy - [100, 200, 300]).max() < 20 * 8


def test_a_charge_beyond_the_limit_is_refused_and_changes_nothing(tmp_path):
    account = PrivacyAccount(limit=LIMIT, file=tmp_path / "people.account")
    account.charge([line(10.0)])
    before = (tmp_path / "people.account").read_bytes()
    with pytest.raises(Mistake, match=r"epsilon to 2\.1 .* limit of a person is 1"):
        account.measure(line(3.0), np.zeros(3, np.int64))
    assert account.lines == (line(10.0),)
    assert (tmp_path / "people.account").read_bytes() == before


def test_several_lines_are_charged_together_or_not_at_all():
    account = PrivacyAccount(limit=LIMIT)
    with pytest.raises(Mistake):
        account.charge([line(10.0), line(3.0)])
    assert account.lines == ()


def test_the_whole_limit_can_be_spent_and_not_a_bit_more():
    rho = rho_of(1.0, 1e-9)
    sigma = float(np.nextafter(float((1 / (2 * rho)) ** 0.5), np.inf))
    account = PrivacyAccount(limit=LIMIT)
    account.charge([line(sigma)])
    assert account.epsilon <= 1.0 < account.epsilon + 1e-6
    with pytest.raises(Mistake):
        account.charge([line(1e6)])


def test_an_account_goes_on_in_the_next_run(tmp_path):
    file = tmp_path / "people.account"
    PrivacyAccount(limit=LIMIT, file=file).charge([line(10.0)])
    later = PrivacyAccount(limit=LIMIT, file=file)
    assert later.left() == LIMIT.rho() - Fraction(1, 200)
    with pytest.raises(Mistake):
        later.charge([line(7.0)])
    later.charge([line(10.0)])
    assert read_lines(file, delta=1e-9) == (line(10.0), line(10.0))
    assert later.lines == (line(10.0),)


def test_a_person_has_one_delta(tmp_path):
    file = tmp_path / "people.account"
    PrivacyAccount(limit=LIMIT, file=file).charge([line()])
    other = PrivacyAccount(limit=PrivacyLimit(epsilon=1.0, delta=1e-6), file=file)
    with pytest.raises(Mistake, match="another delta"):
        other.charge([line()])


@pytest.mark.parametrize(
    "statement",
    [
        f"UPDATE charges SET measurement = '{json.dumps(line(40.0).as_dict(), sort_keys=True)}'",
        "UPDATE charges SET measurement = '{}' WHERE number = 1",
        "UPDATE charges SET chain = 'x' WHERE number = 1",
        "UPDATE charges SET run = 'x' WHERE number = 1",
        "DELETE FROM charges WHERE number = 1",
        "DELETE FROM charges WHERE number = 2",
        "DELETE FROM charges",
        "DELETE FROM account",
        "DROP TABLE charges",
        "UPDATE account SET delta = 1e-8",
        "UPDATE account SET size = 1",
        "PRAGMA application_id = 0",
    ],
)
def test_an_account_that_was_changed_is_refused(tmp_path, statement):
    file = tmp_path / "people.account"
    PrivacyAccount(limit=LIMIT, file=file).charge([line(), line(30.0)])
    with closing(sqlite3.connect(file)) as database, database:
        database.execute(statement)
    before = file.read_bytes()
    with pytest.raises((ReleaseBroken, Mistake)):
        PrivacyAccount(limit=LIMIT, file=file).charge([line()])
    assert file.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"{", b'{"kind": "sfumato privacy account"}' * 40])
def test_another_file_is_no_account(tmp_path, content):
    file = tmp_path / "people.account"
    file.write_bytes(content)
    with pytest.raises(ReleaseBroken, match=r"read|version"):
        PrivacyAccount(limit=LIMIT, file=file).charge([line()])
    assert file.read_bytes() == content


def test_an_account_that_vanishes_is_noticed_by_who_knew_it(tmp_path):
    """A gate that is open, say, while somebody deletes the file, or puts an older one back."""
    file = tmp_path / "people.account"
    account = PrivacyAccount(limit=LIMIT, file=file)
    account.charge([line(30.0)])
    older = file.read_bytes()
    account.charge([line(31.0)])
    newer = file.read_bytes()
    file.write_bytes(older)
    with pytest.raises(ReleaseBroken, match="older copy"):
        account.charge([line(30.0)])
    file.write_bytes(newer)
    account.charge([line(30.0)])
    file.unlink()
    with pytest.raises(ReleaseBroken, match="gone"):
        account.charge([line(30.0)])


def test_runs_at_once_lose_no_charge(tmp_path):
    file = tmp_path / "people.account"
    program = (
        "import sys, pathlib\n"
        "from sfumato.accounting import Measurement, PrivacyAccount, PrivacyLimit\n"
        "limit = PrivacyLimit(epsilon=1.0, delta=1e-9)\n"
        "account = PrivacyAccount(limit=limit, file=pathlib.Path(sys.argv[1]))\n"
        "for _ in range(10):\n"
        "    account.charge([Measurement(what='c', fields=('age',), cells=3, sigma=200.0)])\n"
    )
    runs = [subprocess.Popen([sys.executable, "-c", program, str(file)]) for _ in range(3)]
    assert [run.wait(120) for run in runs] == [0, 0, 0]
    assert len(read_lines(file, delta=1e-9)) == 30


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_run_that_is_killed_before_its_noise_has_paid(tmp_path):
    file = tmp_path / "people.account"
    program = (
        "import os, signal, sys, pathlib, numpy\n"
        "from sfumato.accounting import charge, Measurement, PrivacyAccount, PrivacyLimit\n"
        "charge.with_noise = lambda counts, line: os.kill(os.getpid(), signal.SIGKILL)\n"
        "books = PrivacyAccount(limit=PrivacyLimit(epsilon=1.0, delta=1e-9), "
        "file=pathlib.Path(sys.argv[1]))\n"
        "books.measure(Measurement(what='counts', fields=('age',), cells=3, sigma=20.0), "
        "numpy.zeros(3, int))"
    )
    ended = subprocess.run([sys.executable, "-c", program, str(file)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert read_lines(file, delta=1e-9) == (line(),)


def test_a_disk_that_refuses_the_charge_draws_no_noise(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr("sfumato.accounting.charge.with_noise", lambda *_: drawn.append(1))
    account = PrivacyAccount(limit=LIMIT, file=tmp_path / "none" / "people.account")
    with pytest.raises(Mistake, match="folder does not exist"):
        account.measure(line(), np.zeros(3, np.int64))
    assert drawn == []
    assert account.lines == ()


def test_a_manifest_adds_up_and_a_rewritten_line_does_not():
    account = PrivacyAccount(limit=LIMIT)
    account.charge([line(), line(30.0, fields=("age", "sex"), cells=12)])
    account.note_outside("names of fields")
    facts = json.loads(json.dumps(account.as_dict()))
    assert check_account(facts) == []
    for key, value in [
        ("sigma", 25.0),
        ("rho", "0.0001"),
        ("squared_sensitivity", 4),
        ("rows_per_person", 2),
        ("fields", ["zip"]),
        ("mechanism", "none"),
        ("cells", "many"),
    ]:
        changed = json.loads(json.dumps(facts))
        changed["measurements"][0][key] = value
        assert check_account(changed), key
    for key, value in [
        ("rho", "0"),
        ("epsilon", 0.1),
        ("delta", 1e-6),
        ("limit", {"epsilon": 0.1, "delta": 1e-9}),
        ("outside", []),
        ("measurements", facts["measurements"][:1]),
        ("neighbouring", "one row"),
        ("limit", None),
    ]:
        assert check_account({**facts, key: value}), key


def test_what_is_outside_is_listed_and_not_summed():
    account = PrivacyAccount(limit=LIMIT)
    account.note_outside("the number of hospitals")
    account.note_outside("the number of hospitals")
    assert account.as_dict()["outside"] == ["the number of hospitals"]
    assert account.rho == 0
    assert account.epsilon == 0.0


def test_a_selection_takes_its_part_of_delta():
    chosen = line(5.0, mechanism=THRESHOLD, threshold=40)
    assert 0 < chosen.delta < Fraction(1e-12)
    account = PrivacyAccount(limit=PrivacyLimit(epsilon=2.0, delta=1e-9))
    account.charge([chosen])
    assert account.epsilon > epsilon_of(account.rho, 1e-9) or account.epsilon == pytest.approx(
        epsilon_of(account.rho, 1e-9)
    )
    too_low = line(5.0, mechanism=THRESHOLD, threshold=5)
    with pytest.raises(Mistake):
        PrivacyAccount(limit=PrivacyLimit(epsilon=2.0, delta=1e-9)).charge([too_low])


@pytest.mark.parametrize(
    "parts",
    [
        {"sigma": 0.0},
        {"sigma": float("nan")},
        {"sigma": float("inf")},
        {"squared_sensitivity": 0},
        {"rows_per_person": 3},
        {"mechanism": "Laplace"},
        {"threshold": 4},
        {"mechanism": THRESHOLD},
    ],
)
def test_a_measurement_that_makes_no_sense_is_refused(parts):
    with pytest.raises(ValueError, match=r"\w"):
        line(**parts)


def test_the_room_reads_no_seed():
    """Chance is the system's: nothing in the room takes one or has NumPy draw."""
    room = Path(__file__).parents[3] / "src" / "sfumato" / "accounting"
    text = "".join(file.read_text() for file in room.glob("*.py"))
    assert "seed" not in text
    assert "default_rng" not in text
    assert "np.random" not in text
