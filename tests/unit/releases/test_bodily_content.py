"""Genomes and pictures are refused under any name and role in clear; traces and metadata are warned
of."""

from __future__ import annotations

import random

import pytest

import sfumato
from sfumato.cli import main
from sfumato.errors import PolicyError

DRAW = random.Random(7)


def bases(_):
    return "".join(DRAW.choice("ACGT") for _ in range(30))


def released(tmp_path, value, *, role="sensitive", name="x"):
    lines = [f'02138,"{value(n)}"' for n in range(12)]
    (tmp_path / "rows.csv").write_text(f"zip,{name}\n" + "\n".join(lines), encoding="utf-8")
    policy = {"fields": {"zip": "quasi", name: role}, "require": {"k": 2}}
    return sfumato.release(tmp_path / "rows.csv", policy, to=tmp_path / "out")


@pytest.mark.parametrize("role", ["sensitive", "insensitive"])
@pytest.mark.parametrize(
    ("value", "why"),
    [
        (bases, "genomic"),
        (lambda n: ";".join(f"rs{1000 + i}:{n % 3}" for i in range(6)), "genomic"),
        (lambda n: f">subject {n}\n{bases(n)}", "genomic"),
        (lambda n: f"@read {n}\n{bases(n)}\n+\n{'I' * 30}", "genomic"),
        (lambda n: f"scans/{n}.dcm", "picture"),
        (lambda n: f"ffd8ffe0001{n % 10}4a464946", "picture"),
        (lambda n: f"0x89504E470D0A1A0A{n:04}", "picture"),
        (lambda n: f"data:image/png;base64,iVBORw0KGgo{n}", "picture"),
        (lambda n: f"/9j/4AAQSkZJRgABAQ{n}", "picture"),
    ],
)
def test_refused_with_the_reason(tmp_path, value, why, role):
    with pytest.raises(PolicyError, match=why) as caught:
        released(tmp_path, value, role=role)
    assert "Try role" in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_check_refuses_what_a_release_refuses(tmp_path, capsys):
    rows = "".join(f"02138,{bases(n)}\n" for n in range(12))
    (tmp_path / "rows.csv").write_text(f"zip,x\n{rows}", encoding="utf-8")
    policy = tmp_path / "policy.toml"
    policy.write_text('[fields]\nzip = "quasi"\nx = "sensitive"\n[require]\nk = 2\n')
    assert main(["check", str(policy), str(tmp_path / "rows.csv")]) == 2
    assert "genomic" in capsys.readouterr().err


def test_removed_it_is_no_problem(tmp_path):
    assert released(tmp_path, bases, role="direct").outcome == "pass"


def test_many_variants_are_one_person(tmp_path):
    names = [f"rs{1000 + n}" for n in range(25)]
    rows = [",".join(DRAW.choice(("AA", "AG", "GG")) for _ in names) for _ in range(12)]
    (tmp_path / "rows.csv").write_text(",".join(names) + "\n" + "\n".join(rows), encoding="utf-8")
    policy = {"fields": dict.fromkeys(names, "sensitive"), "require": {"max_suppression": 0.1}}
    with pytest.raises(PolicyError, match="25 fields are genetic variants"):
        sfumato.release(tmp_path / "rows.csv", policy, to=tmp_path / "out")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (lambda n: f"52.{n:02}1,4.30 52.12,4.31 52.13,4.{n:02}1", "traces"),
        (lambda n: f"Mozilla/5.0 (X11; {n})", "metadata"),
    ],
)
def test_traces_and_metadata_are_warned_of(tmp_path, value, words):
    made = released(tmp_path, value)
    assert any(words in said for said in made.manifest["warnings"])


@pytest.mark.parametrize(("role", "warns"), [("insensitive", True), ("quasi", False)])
def test_coordinates_in_clear_are_a_trace(tmp_path, role, warns):
    """A row for each moment: nothing in a cell shows it, the names and numbers of the fields do."""
    rows = [f"P{n // 4},52.{n % 3}125,4.25{n % 3},{n % 2}" for n in range(24)]
    (tmp_path / "rows.csv").write_text(
        "person,seen_lat,lon,sex\n" + "\n".join(rows), encoding="utf-8"
    )
    fields = {"person": "direct", "seen_lat": role, "lon": role, "sex": "quasi"}
    policy = {"entity": "person", "fields": fields, "require": {"k": 2, "max_suppression": 1.0}}
    made = sfumato.release(tmp_path / "rows.csv", policy, to=tmp_path / "out")
    found = [said for said in made.manifest["warnings"] if "seen_lat, lon are places" in said]
    assert len(found) == warns


@pytest.mark.parametrize("value", [lambda n: "catatag"[: n % 6 + 1], lambda n: f"report {n}.pdf"])
def test_ordinary_words_pass(tmp_path, value):
    assert not any("look like" in said for said in released(tmp_path, value).manifest["warnings"])
