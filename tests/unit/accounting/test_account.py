"""The account: charged before noise, exact, within its limit, kept on disk, added up again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
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
from sfumato.errors import Mistake, ReleaseBroken, TargetError

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


@pytest.mark.parametrize("what", ["sigma", "chain", "removed", "text", "delta"])
def test_an_account_that_was_changed_is_refused(tmp_path, what):
    file = tmp_path / "people.account"
    PrivacyAccount(limit=LIMIT, file=file).charge([line(), line(30.0)])
    facts = json.loads(file.read_text())
    if what == "sigma":
        facts["lines"][0]["measurement"] = line(40.0).as_dict()
    if what == "chain":
        facts["lines"][0]["chain"] = "0" * 64
    if what == "removed":
        facts["lines"].pop()
    if what == "delta":
        facts["delta"] = 1e-8
    file.write_text("{" if what == "text" else json.dumps(facts))
    before = file.read_bytes()
    with pytest.raises((ReleaseBroken, Mistake)):
        PrivacyAccount(limit=LIMIT, file=file).charge([line()])
    assert file.read_bytes() == before


def test_one_run_at_a_time_charges(tmp_path):
    file = tmp_path / "people.account"
    program = (
        "import sys, pathlib; from sfumato.runs import claim\n"
        "with claim(pathlib.Path(sys.argv[1])):\n    print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(TargetError, match="Another run writes"):
            PrivacyAccount(limit=LIMIT, file=file).charge([line()])
        other.communicate("")
    PrivacyAccount(limit=LIMIT, file=file).charge([line()])


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
