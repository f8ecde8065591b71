"""The commands of the register: from two releases to their verdict, and from an application to its
delivery."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

pytest.importorskip("cryptography")

from sfumato.cli import main
from sfumato.datasets import HOSPITAL_POLICY, write_hospital

MEMBERS = {
    "anna": ["administrator", "custodian"],
    "ask": ["applicant"],
    "max": ["maker"],
    "rea": ["reviewer"],
    "ria": ["reviewer"],
    "cho": ["chair"],
}
UNTIL = (datetime.now(UTC) + timedelta(days=20)).date().isoformat()


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """Two releases of one hospital with their people records, and everybody's keys."""
    folder = tmp_path_factory.mktemp("hospital")
    write_hospital(folder / "patients.csv", rows=900)
    (folder / "one.toml").write_text(HOSPITAL_POLICY)
    other = HOSPITAL_POLICY.replace(
        '["month", "year", "5 years", "10 years", "20 years"]', '["month", "year", "7 years"]'
    )
    assert other != HOSPITAL_POLICY
    (folder / "two.toml").write_text(other)
    assert main(["key", str(folder / "holder.key")]) == 0
    for name in ("one", "two"):
        words = [
            "release", folder / "patients.csv", "--policy", folder / f"{name}.toml", "--to",
            folder / name, "--key", folder / "holder.key", "--keep-people", folder / f"{name}.people",
        ]  # fmt: skip
        assert main([str(word) for word in words]) in (0, 3)
    for name in MEMBERS:
        assert main(["key", "--sign", str(folder / f"{name}.key")]) == 0
    (folder / "agreement.pdf").write_bytes(b"signed")
    return folder


def charter(folder: Path, *names: str, k: int) -> str:
    from sfumato.signatures import SigningKey

    lines = [f"[ledger]\nk = {k}\n"]
    for name in names:
        line = SigningKey.from_file(folder / f"{name}.key").public.line
        lines.append(f'[members.{name}]\nkey = "{line}"\nroles = {json.dumps(MEMBERS[name])}\n')
    return "\n".join(lines)


@pytest.fixture
def run(made, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def command(what: str, *words: object, by: str = "") -> tuple[int, str]:
        signed = ["--as", by, "--sign", str(made / f"{by}.key")] if by else []
        code = main(["register", what, "r", *map(str, words), *signed])
        out = capsys.readouterr()
        return code, " ".join((out.out + out.err).split())

    return command


def test_two_releases_are_judged_as_one(made, run):
    Path("charter.toml").write_text(charter(made, "anna", k=2))
    assert run("init", "--charter", "charter.toml", by="anna")[0] == 0
    people = ("--people", made / "one.people")
    assert run("add", made / "one", "--to", "lab", *people, by="anna")[0] == 0
    code, said = run("add", made / "two", "--to", "lab", "--people", made / "two.people", by="anna")
    assert code == 1
    assert "k over all that they hold is 1" in said
    assert "because of one and two" in said
    code, said = run("add", made / "two", "--to", "lab", *people, by="anna")
    assert code == 2
    assert "another release" in said
    code, said = run("incident", "--fields", "sex, birth", "--reason", "a list", by="anna")
    assert code == 0
    assert "lab holds one: " in said
    assert run("show", "--json")[0] == 0
    code, said = run("verify")
    assert code == 0
    assert "No anchor" in said
    assert run("verify", "--write-anchor", "anchor")[0] == 0
    code, said = run("verify", "--anchor", "anchor")
    assert code == 0
    assert "holds" in said


def test_a_changed_release_is_not_added(made, run, tmp_path):
    import shutil

    Path("charter.toml").write_text(charter(made, "anna", k=2))
    run("init", "--charter", "charter.toml", by="anna")
    shutil.copytree(made / "one", tmp_path / "one")
    table = tmp_path / "one" / "release.csv"
    table.write_text(table.read_text() + table.read_text().splitlines()[-1] + "\n")
    code, said = run("add", "one", "--to", "lab", "--people", made / "one.people", by="anna")
    assert code == 1
    assert "not what its manifest says" in said


def test_from_application_to_delivery(made, run):
    Path("charter.toml").write_text(charter(made, *MEMBERS, k=2))
    assert run("init", "--charter", "charter.toml", by="anna")[0] == 0
    people = ("--people", made / "one.people")
    assert run("apply", "study", "--to", "lab", "--purpose", "to learn", by="ask")[0] == 0
    agreement = ("--agreement", made / "agreement.pdf", "--until", UNTIL)
    assert run("submit", "study", made / "one", *people, *agreement, by="max")[0] == 0
    for name in ("rea", "ria"):
        vote = ("--vote", "approve", "--reason", "fits", "--sealed", f"{name}.vote")
        assert run("review", "study", *vote, by=name)[0] == 0
        code, said = run("show", "--json")
        assert "fits" not in said
    assert run("deliver", "study", made / "one", *people, by="anna")[0] == 2
    for name in ("rea", "ria"):
        assert run("review", "study", "--open", "--sealed", f"{name}.vote", by=name)[0] == 0
    decision = ("--decision", "approve", "--reason", "agreed", "--until", UNTIL)
    assert run("decide", "study", *decision, by="cho")[0] == 0
    assert "decision of study" in run("due")[1]
    assert run("deliver", "study", made / "one", *people, by="anna")[0] == 0
    code, said = run("show")
    assert code == 0
    assert "study for lab: delivered" in said
    assert run("withdraw", "study", "--reason", "ended", by="ask")[0] == 0
    assert run("verify")[0] == 0


def test_a_vote_needs_a_reason_and_is_not_opened_at_once(made, run):
    Path("charter.toml").write_text(charter(made, *MEMBERS, k=2))
    run("init", "--charter", "charter.toml", by="anna")
    code, said = run("review", "study", "--vote", "approve", "--sealed", "v", by="rea")
    assert code == 2
    assert not Path("v").exists()
    code, said = run(
        "review", "study", "--vote", "approve", "--reason", "x", "--sealed", "v", by="rea"
    )
    assert code == 2
    assert "none of that name" in said
    assert not Path("v").exists(), "no vote stays where none was cast"
