"""The commands of the register: from two releases to their verdict, and from an application to its
delivery."""

from __future__ import annotations

import csv
import json
import shutil
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("cryptography")

import sfumato
from sfumato.cli import main
from sfumato.datasets import HOSPITAL_POLICY, write_hospital
from sfumato.register import EXPORTS, blank_form

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
    form = blank_form().replace('sharing = ""', 'sharing = "enclave"')
    (folder / "form.toml").write_text(form.replace('= ""', '= "An answer."'))
    (folder / "agreement.toml").write_text(
        'recipient = "The lab"\naccess = "semi-private"\nterms = ["no-linking"]\n'
        f'valid_from = "2020-01-01"\nuntil = "{UNTIL}"\ndestroy_by = "{UNTIL}"\n'
        'link_on = ["birth"]\n'
    )
    words = ["assess", folder / "one", "--quick", "--to", folder / "a.html", "--json", folder / "a.json"]  # fmt: skip
    assert main([str(word) for word in words]) in (0, 3)
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
    people = ("--people", made / "one.people", "--key", made / "holder.key")
    assert run("add", made / "one", "--to", "lab", *people, by="anna")[0] == 0
    code, said = run(
        "add",
        made / "two",
        "--to",
        "lab",
        "--people",
        made / "two.people",
        "--key",
        made / "holder.key",
        by="anna",
    )
    assert code == 1
    assert "k over all that they hold is 1" in said
    assert "because of one and two" in said
    code, said = run("add", made / "two", "--to", "lab", *people, by="anna")
    assert code == 2
    assert "another release" in said
    code, said = run("incident", "--fields", "sex, birth", "--reason", "a list", by="anna")
    assert code == 0
    assert "lab holds one: " in said
    code, said = run("incident", "--fields", "patient_id", "--reason", "pseudonyms", by="anna")
    assert "lab holds one: " in said, "a pseudonym is a field of the release, too"
    assert "what was released is a pseudonym" in said
    assert run("show", "--json")[0] == 0
    code, said = run("verify")
    assert code == 0
    assert "No anchor" in said
    assert run("verify", "--write-anchor", "anchor")[0] == 0
    kept = Path("anchor").read_text()
    Path("anchor").write_text(f"9{kept}")
    assert run("verify", "--write-anchor", "anchor")[0] == 1, "an older register writes none"
    assert Path("anchor").read_text() == f"9{kept}"
    Path("anchor").write_text(kept)
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
    code, said = run(
        "add",
        "one",
        "--to",
        "lab",
        "--people",
        made / "one.people",
        "--key",
        made / "holder.key",
        by="anna",
    )
    assert code == 1
    assert "not what its manifest says" in said


def vote(run, *, decision: str = "approve") -> None:
    """Two sealed votes, both opened, and the chair's decision."""
    for name in ("rea", "ria"):
        Path(f"{name}.vote").unlink(missing_ok=True)
        words = ("--vote", "approve", "--reason", "fits", "--sealed", f"{name}.vote")
        assert run("review", "study", *words, by=name)[0] == 0
        assert "fits" not in run("show", "--json")[1]
    for name in ("rea", "ria"):
        assert run("review", "study", "--open", "--sealed", f"{name}.vote", by=name)[0] == 0
    words = ("--decision", decision, "--reason", "agreed", "--condition", "on site")
    assert run("decide", "study", *words, "--until", UNTIL, by="cho")[0] == 0


def test_from_application_to_delivery(made, run, monkeypatch):
    # The other test below assesses in full.
    monkeypatch.setattr("sfumato.assessment.assess", partial(sfumato.assess, quick=True))
    Path("charter.toml").write_text(charter(made, *MEMBERS, k=2))
    assert run("init", "--charter", "charter.toml", by="anna")[0] == 0
    people = ("--people", made / "one.people", "--key", made / "holder.key")
    assert run("apply", "study", "--write-form", "form.toml", by="ask")[0] == 0
    code, said = run("apply", "study", "--to", "lab", "--form", "form.toml", by="ask")
    assert code == 2
    assert "does not answer: purpose" in said
    assert run("apply", "study", "--to", "lab", "--form", made / "form.toml", by="ask")[0] == 0
    agreement = ("--agreement", made / "agreement.toml", "--text", made / "agreement.pdf")
    assert run("agree", "study", *agreement, by="anna")[0] == 0
    candidate = (made / "one", *people, "--assessment", made / "a.json")
    assert run("submit", "study", *candidate, by="max")[0] == 2, "its policy comes first"
    assert run("propose", "study", made / "two.toml", by="max")[0] == 0
    vote(run)
    code, said = run("submit", "study", *candidate, by="max")
    assert code == 2
    assert "another policy" in said
    assert run("propose", "study", made / "one.toml", by="max")[0] == 0
    vote(run)
    assert run("deliver", "study", made / "one", *people, by="anna")[0] == 2
    code, said = run("submit", "study", *candidate[:-2], by="max")
    assert code == 0
    assert "no assessment, so it cannot be approved" in said
    code, said = run("submit", "study", *candidate, by="max")
    assert code == 0
    assert "waits for votes on the result. 1" in said
    vote(run)
    assert "decision of study" in run("due")[1]
    delivered = ("deliver", "study", made / "one", *people)
    other = (made / "patients.csv").read_text().splitlines()
    Path("other.csv").write_text("\n".join([other[0], *(f"9{row}" for row in other[1:])]) + "\n")
    code, said = run(*delivered, "--source", "other.csv", by="anna")
    assert code == 2
    assert "people are not in it" in said
    with pytest.raises(SystemExit):  # The assessment is made by the command: it takes no file.
        run(*delivered, "--assessment", made / "a.json", by="anna")
    code, said = run(*delivered, by="anna")
    assert code == 2
    assert "Without its source" in said
    assert run(*delivered, "--source", made / "patients.csv", by="anna")[0] == 0
    code, said = run("show")
    assert code == 0
    assert "study for lab: delivered" in said
    exported(made, run)
    leaked(made, run)
    assert run("withdraw", "study", "--reason", "ended", by="ask")[0] == 0
    assert run("verify")[0] == 0


def exported(made: Path, run) -> None:
    """Every format, with the files of the release; no cell of the source or the release is in it."""
    cells = {
        cell
        for table in (made / "patients.csv", made / "one" / "release.csv")
        for row in csv.reader(table.read_text().splitlines())
        for cell in row
        if len(cell) > 6  # Shorter ones are words, such as single.
    }
    header = set((made / "patients.csv").read_text().splitlines()[0].split(","))
    for kind in EXPORTS:
        words = ("--format", kind, "--release", made / "one", "--to", f"out.{kind}")
        assert run("export", "study", *words)[0] == 0
        text = Path(f"out.{kind}").read_text()
        assert not [cell for cell in cells - header if cell in text], kind
    assert json.loads(Path("out.croissant").read_text())["recordSet"][0]["field"]
    (dataset,) = json.loads(Path("out.dcat").read_text())["dcat:dataset"]
    assert dataset["dct:title"] == "one"
    crate = Path("out.ro-crate").read_text()
    assert "DisclosureCheck" in crate
    assert "CompletedActionStatus" in crate


def release(made: Path, *words: object) -> int:
    return main([
        "release", str(made / "patients.csv"), "--key", str(made / "holder.key"),
        "--register", "r", *map(str, words),
    ])  # fmt: skip


def test_a_release_is_judged_by_the_ledger_before_it_is_written(made, run, capsys):
    """Made for a group that holds another, it fails and leaves nothing; solved anew, its labels are
    coarser and both together pass."""
    Path("charter.toml").write_text(charter(made, "anna", k=2))
    run("init", "--charter", "charter.toml", by="anna")
    run(
        "add",
        made / "one",
        "--to",
        "lab",
        "--people",
        made / "one.people",
        "--key",
        made / "holder.key",
        by="anna",
    )
    policy = ("--policy", made / "two.toml", "--to", "out")
    assert release(made, *policy, "--for", "lab") == 1
    assert "k over all that they hold is 1" in " ".join(capsys.readouterr().err.split())
    assert [path.name for path in Path().glob("out*")] == []
    assert release(made, *policy, "--for", "lab", "--solve-anew") in (0, 3)
    assert "Solved anew" in capsys.readouterr().out
    assert run(
        "add",
        "out",
        "--to",
        "lab",
        "--people",
        "out.people",
        "--key",
        made / "holder.key",
        by="anna",
    )[0] in (0, 3)
    assert release(made, *policy[:2], "--to", "more", "--for", "press") in (0, 3)
    assert "it waits" in capsys.readouterr().out.lower()
    assert len(json.loads(run("show", "--json")[1])["releases"]) == 2, "nothing was recorded"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "needs a group or an application"),
        (("--for", "lab", "--application", "study"), "needs a group or an application"),
        (("--for", "lab", "--as", "max"), "signed by its maker"),
        (("--application", "nothing"), "none of that name"),
    ],
)
def test_what_a_candidate_lacks_is_said(made, run, capsys, words, said):
    Path("charter.toml").write_text(charter(made, "anna", k=2))
    run("init", "--charter", "charter.toml", by="anna")
    assert release(made, "--policy", made / "one.toml", "--to", "out", *words) == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert not Path("out").exists()


def solved_anew(made: Path, capsys, words: tuple[object, ...]) -> None:
    """A candidate with coarser labels has another policy than the approved one, and is proposed."""

    def coarser(*_: object, to: Path, **__: object) -> SimpleNamespace:
        return SimpleNamespace(made=SimpleNamespace(folder=to), finest=2, verdicts={})

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sfumato.register.make_candidate", coarser)
        assert release(made, "--policy", made / "one.toml", "--to", "out", *words) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "solved anew with labels from level 2 on" in told
    assert "register propose r study out/policy.toml" in told


def test_a_candidate_is_made_assessed_and_submitted(made, run, capsys):
    """One command from an approved policy to a candidate that waits for votes."""
    Path("charter.toml").write_text(charter(made, *MEMBERS, k=2))
    run("init", "--charter", "charter.toml", by="anna")
    run("apply", "study", "--to", "lab", "--form", made / "form.toml", by="ask")
    agreement = ("--agreement", made / "agreement.toml", "--text", made / "agreement.pdf")
    run("agree", "study", *agreement, by="anna")
    run("propose", "study", made / "one.toml", by="max")
    words = ("--application", "study", "--as", "max", "--sign", made / "max.key")
    assert release(made, "--policy", made / "one.toml", "--to", "out", *words) == 2
    assert "No policy is approved yet" in capsys.readouterr().err
    assert not Path("out").exists(), "nothing is made that could not be submitted"
    vote(run)
    solved_anew(made, capsys, words)
    assert release(made, "--policy", made / "one.toml", "--to", "out", *words) in (0, 3)
    assert "waits for votes" in capsys.readouterr().out
    assert Path("out-assessment.html").exists()
    checked = sfumato.verify("out", agreement=made / "agreement.pdf")
    assert [each.outcome for each in checked if "agreement" in each.claim] == ["pass"]
    assert sfumato.verify("out", agreement=made / "agreement.toml").outcome == "fail"
    assert "study for lab: submitted" in run("show")[1]
    vote(run)
    assert (
        run(
            "deliver",
            "study",
            "out",
            "--people",
            "out.people",
            "--key",
            made / "holder.key",
            by="max",
        )[0]
        == 2
    )
    delivered = ("deliver", "study", "out", "--people", "out.people", "--key", made / "holder.key")
    code, said = run(*delivered, by="anna")
    assert code == 2
    assert "--source" in said
    assert run(*delivered, "--source", made / "patients.csv", by="anna")[0] in (0, 3)


def leaked(made: Path, run) -> None:
    """A row of the release is found in it, a row of nobody is not."""
    lines = (made / "one" / "release.csv").read_text().splitlines()
    Path("leaked.csv").write_text("\n".join(lines[:2]) + "\n")
    words = ("--look-in", made / "one", "--reason", "seen on a site")
    code, said = run("incident", "--rows", "leaked.csv", *words, by="anna")
    assert code == 0
    assert "1 leaked row in it, 1 as one row alone" in said
    assert "recipients: The lab" in said
    by_semicolons = "\n".join(line.replace(",", ";") for line in lines[:2])
    Path("leaked.csv").write_text(f"{by_semicolons}\n", encoding="utf-16")
    said = run("incident", "--rows", "leaked.csv", *words, by="anna")[1]
    assert "1 leaked row in it" in said
    Path("leaked.csv").write_text("sex,birth,postcode\nX,never,1\n")
    said = run("incident", "--rows", "leaked.csv", *words, by="anna")[1]
    assert "none of the leaked values of sex occurs in it" in said
    assert "does not know 1 of these fields" in said
    assert "never" not in run("show", "--json")[1]
    Path("other.csv").write_text("postcode\n1\n")
    said = run("incident", "--rows", "other.csv", "--reason", "x", by="anna")[1]
    assert "No release was looked into" in said
    assert "None of these rows" not in said
    changed = Path("changed")
    shutil.copytree(made / "one", changed)
    (changed / "release.csv").write_text("\n".join((lines[0], *lines[2:])) + "\n")
    looking = ("--look-in", changed, "--reason", "x")
    code, said = run("incident", "--rows", "leaked.csv", *looking, by="anna")
    assert code == 2
    assert "files are not those of its manifest" in said
    code, said = run(
        "incident", "--rows", "leaked.csv", "--look-in", made / "two", "--reason", "x", by="anna"
    )
    assert code == 2
    assert "No release of this register" in said


def test_people_and_revelations(made, run, capsys):
    Path("charter.toml").write_text(charter(made, *MEMBERS, k=2))
    run("init", "--charter", "charter.toml", by="anna")
    sources = ("--by", "hospital number", "--source", "a.csv=id", "--source", "b.csv=pid")
    assert run("people", "patients", *sources, by="anna")[0] == 0
    names = ("recipients", "Stat Lab", "Statistics Laboratory", "--reason", "asked")
    assert run(*names, "--are", "same", by="anna")[0] == 0
    assert "Stat Lab and Statistics Laboratory: same (asked)" in run("show")[1]
    header, first = (made / "one" / "release.csv").read_text().splitlines()[:2]
    pseudonym = first.split(",")[header.split(",").index("patient_id")]

    def reveal(*words: str) -> tuple[int, str]:
        code = main([
            "reveal", str(made / "patients.csv"), "patient_id", pseudonym, "--policy", str(made / "one.toml"),
            "--key", str(made / "holder.key"), "--register", "r", "--as", "anna", "--sign", str(made / "anna.key"),
            *words,
        ])  # fmt: skip
        out = capsys.readouterr()
        return code, out.out + out.err

    assert reveal()[0] == 2, "without a reason"
    code, said = reveal("--reason", "a court")
    assert code == 3
    name = said.split()[0]
    assert reveal()[0] == 3, "nobody agreed yet"
    assert run("reveal", name, "--reason", "fine", by="anna")[0] == 2
    assert run("reveal", name, "--reason", "seen", by="cho")[0] == 0
    assert reveal()[0] == 0
    assert reveal()[0] == 2, "once"


def test_open_votes_are_cast_without_a_file(made, run):
    """Under blind = false a vote is cast at once; a sealed one is refused."""
    Path("charter.toml").write_text("blind = false\n" + charter(made, *MEMBERS, k=2))
    run("init", "--charter", "charter.toml", by="anna")
    run("apply", "study", "--to", "lab", "--form", made / "form.toml", by="ask")
    run("propose", "study", made / "one.toml", by="max")
    cast = ("review", "study", "--vote", "approve", "--reason", "fits")
    code, said = run(*cast, "--sealed", "v", by="rea")
    assert code == 2
    assert "whoever reads the register sees yours at once" in said
    assert not Path("v").exists()
    for name in ("rea", "ria"):
        code, said = run(*cast, by=name)
        assert code == 0
        assert "Your vote is open" in said
    assert "waits for the chair to decide" in said
    code, said = run("decide", "study", "--decision", "approve", "--reason", "x", by="cho")
    assert code == 2
    assert "needs its last day" in said
    assert run("decide", "study", "--decision", "refuse", "--reason", "x", by="cho")[0] == 0
    assert "study for lab: refused" in run("show")[1]


def test_an_application_whose_group_received_something_waits_for_its_maker(made, run):
    Path("charter.toml").write_text(charter(made, *MEMBERS, k=2))
    run("init", "--charter", "charter.toml", by="anna")
    run("apply", "study", "--to", "lab", "--form", made / "form.toml", by="ask")
    run("propose", "study", made / "one.toml", by="max")
    assert "votes are void" not in run("show")[1]
    assert run("import", made / "form.toml", "--to", "lab", by="anna")[0] == 3
    assert "submitted (policy); votes are void, since the group received" in run("show")[1]
    words = ("--vote", "approve", "--reason", "x", "--sealed", "v")
    code, said = run("review", "study", *words, by="rea")
    assert code == 2
    assert "The ledger changed since" in said


def test_a_vote_needs_a_reason_and_is_not_opened_at_once(made, run):
    Path("charter.toml").write_text(charter(made, *MEMBERS, k=2))
    run("init", "--charter", "charter.toml", by="anna")
    code, said = run("review", "study", "--vote", "approve", "--sealed", "v", by="rea")
    assert code == 2
    assert not Path("v").exists()
    code, said = run("review", "study", "--vote", "approve", "--reason", "x", by="rea")
    assert code == 2
    assert "--sealed FILE" in said
    code, said = run(
        "rotate", "--new", made / "rea.key", "--as", "rea", "--sign", made / "rea.key.pub"
    )
    assert code == 2
    assert "public half of a key" in said
    with pytest.raises(SystemExit):
        run("due", "--days", "-4")
    code, said = run(
        "review", "study", "--vote", "approve", "--reason", "x", "--sealed", "v", by="rea"
    )
    assert code == 2
    assert "none of that name" in said
    assert not Path("v").exists(), "no vote stays where none was cast"
