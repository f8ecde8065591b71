"""The command line as a person uses it: what is printed, what is written, which exit code."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest

from sfumato.cli import COMMANDS, main


@pytest.fixture
def folder(hospital, hospital_policy, tmp_path):
    (tmp_path / "patients.csv").write_bytes(hospital.read_bytes())
    (tmp_path / "reviewed.toml").write_bytes(hospital_policy.read_bytes())
    return tmp_path


def run(capsys, *words):
    """The exit code, and what was said on either stream."""
    try:
        code = main([str(word) for word in words])
    except SystemExit as stop:
        code = int(stop.code or 0)
    said = capsys.readouterr()
    return code, said.out + said.err


def test_help_answers_in_half_a_second_and_names_every_command():
    done = subprocess.run(
        [sys.executable, "-m", "sfumato.cli", "--help"], capture_output=True, text=True, check=True
    )
    # The half second is measured in benchmarks; here only what it imports:
    probe = (
        "import sys; from sfumato.cli import main\ntry: main(['--help'])\nexcept SystemExit: "
        "print(*sys.modules)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True
    ).stdout
    assert not {"duckdb", "numpy", "sqlglot", "rich", "altair"} & set(loaded.split())
    assert all(command in done.stdout for command in COMMANDS)


def test_verifying_a_table_reads_no_detector_of_texts(folder, capsys):
    """Compiling their patterns takes a quarter of a second, a third of what verifying a small
    release takes."""
    run(
        capsys,
        "release",
        folder / "patients.csv",
        "--policy",
        folder / "reviewed.toml",
        "--to",
        folder / "out",
    )
    probe = (
        "import sys; from sfumato.cli import main\nmain(['verify', "
        "sys.argv[1]])\nprint(*sys.modules)"
    )
    words = [sys.executable, "-c", probe, str(folder / "out")]
    loaded = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert "sfumato.releases.verification" in loaded.split()
    assert not [name for name in loaded.split() if name.startswith("sfumato.text.detectors")]


def test_a_release_under_a_policy_imports_nothing_that_proposes_one(folder):
    probe = "import sys; from sfumato.cli import main\nmain(sys.argv[1:])\nprint(*sys.modules)"
    words = ["release", folder / "patients.csv", "--policy", folder / "reviewed.toml"]
    loaded = subprocess.run(
        [sys.executable, "-c", probe, *map(str, words), "--to", str(folder / "out")],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert "sfumato.surveys.twins" in loaded
    assert not [name for name in loaded if name.startswith("sfumato.surveys.detectors")]


def test_a_release_passes_with_0_and_verifies(folder, capsys):
    source, policy = folder / "patients.csv", folder / "reviewed.toml"
    code, said = run(capsys, "release", source, "--policy", policy, "--to", folder / "out")
    assert code == 0
    assert "rows released" in said
    code, said = run(capsys, "verify", folder / "out")
    assert (code, "Every check holds." in said) == (0, True)
    code, said = run(capsys, "verify", folder / "out", "--json")
    assert {check["outcome"] for check in json.loads(said)} == {"pass", "review"}


def test_without_a_policy_the_exit_code_is_3_and_the_proposal_is_named(folder, capsys):
    code, said = run(capsys, "release", folder / "patients.csv")
    assert code == 3
    assert "patients.policy.toml" in said.replace("\n", "")
    assert (folder / "patients-release" / "manifest.json").exists()


def test_misuse_is_2_and_a_requirement_that_cannot_be_met_is_1(folder, capsys):
    assert run(capsys, "release", folder / "nothing.csv")[0] == 2
    assert run(capsys, "release")[0] == 2
    text = (folder / "reviewed.toml").read_text(encoding="utf-8").replace("k = 5", "k = 5000")
    (folder / "hard.toml").write_text(text, encoding="utf-8")
    code, said = run(capsys, "release", folder / "patients.csv", "--policy", folder / "hard.toml")
    assert (code, "NoRecodingFound" in said) == (1, True)


def test_a_changed_release_does_not_verify(folder, capsys):
    run(
        capsys,
        "release",
        folder / "patients.csv",
        "--policy",
        folder / "reviewed.toml",
        "--to",
        folder / "out",
    )
    table = folder / "out" / "release.csv"
    table.write_text(table.read_text(encoding="utf-8").replace("f,", "m,", 1), encoding="utf-8")
    assert run(capsys, "verify", folder / "out")[0] == 1
    assert run(capsys, "verify", folder)[0] == 1


def test_survey_prints_and_proposes_once(folder, capsys):
    code, said = run(capsys, "survey", folder / "patients.csv")
    assert (code, "zip" in said) == (0, True)
    code, said = run(capsys, "survey", folder / "patients.csv")
    assert (code, "exists already" in said) == (2, True)
    code, said = run(capsys, "survey", folder / "patients.csv", "--no-policy", "--json")
    assert json.loads(said)["rows"] == 1_000


def test_check_tells_all_problems_at_once(folder, capsys):
    assert run(capsys, "check", folder / "reviewed.toml", folder / "patients.csv")[0] == 0
    text = (folder / "reviewed.toml").read_text(encoding="utf-8")
    (folder / "wrong.toml").write_text(
        text.replace("k = 5", "k = 0").replace("solver", "slover"), encoding="utf-8"
    )
    code, said = run(capsys, "check", folder / "wrong.toml")
    assert (code, "2 problems" in said) == (2, True)


def test_hierarchy_is_drawn_and_saved_to_edit(folder, capsys):
    words = ["hierarchy", folder / "patients.csv", "zip", "--policy", folder / "reviewed.toml"]
    code, said = run(capsys, *words)
    assert (code, "0213*" in said) == (0, True)
    assert run(capsys, *words, "--csv", folder / "zip.csv", "--html", folder / "zip.html")[0] == 0
    assert (folder / "zip.csv").read_text(encoding="utf-8").splitlines()[0].count(";") == 3
    assert "<" in (folder / "zip.html").read_text(encoding="utf-8")


def test_search_prints_the_optimum_as_json_and_draws_it(folder, capsys):
    words = ["search", folder / "patients.csv", "--policy", folder / "reviewed.toml"]
    code, said = run(capsys, *words, "--json", "--picture", folder / "lattice.svg")
    found = json.loads(said)
    assert code == 0
    assert found["complete"]
    assert {"levels", "score", "ncp", "precision", "rows_suppressed"} <= set(found["nodes"][0])
    assert {"visited", "lattice", "bound", "cpu_seconds"} <= set(found)
    assert (folder / "lattice.svg").read_text(encoding="utf-8").startswith("<svg")
    code, said = run(capsys, *words, "--all-minimal", "--json")
    minimal = json.loads(said)
    assert min(node["score"] for node in minimal["nodes"]) >= found["nodes"][0]["score"] - 1e-9
    assert run(capsys, *words)[0] == 0


def test_explore_moves_undoes_and_says_what_to_write(folder, capsys, monkeypatch):
    monkeypatch.setattr(
        "sys.stdin", io.StringIO("zip +\nbirth 3\nundo\nnothing 1\nzip 99\nhow\ndone\n")
    )
    code, said = run(
        capsys, "explore", folder / "patients.csv", "--policy", folder / "reviewed.toml"
    )
    assert code == 0
    assert "rows to suppress" in said
    assert 'levels = { "birth" = 0, "sex" = 0, "zip" = 1' in said


def test_explore_shows_cells_to_blank_under_mu_argus(folder, capsys, monkeypatch):
    text = (folder / "reviewed.toml").read_text(encoding="utf-8")
    text = text.replace("k = 5\n", "combinations = { k = 2 }\n").replace('"anytime"', '"mu_argus"')
    (folder / "argus.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.StringIO("undo\nbirth 3\nzip +\nredo\ndone\n"))
    code, said = run(capsys, "explore", folder / "patients.csv", "--policy", folder / "argus.toml")
    assert code == 0
    assert "cells to blank" in said
    assert "There is no recoding to undo." in said
    assert 'solver = "mu_argus"' in said
    chosen = said.split("[solve]\n")[1]
    start = text.index("[solve]")
    (folder / "argus.toml").write_text(text[:start] + "[solve]\n" + chosen, encoding="utf-8")
    code, said = run(
        capsys,
        "release",
        folder / "patients.csv",
        "--policy",
        folder / "argus.toml",
        "--to",
        folder / "a",
    )
    assert code == 0
    assert "is not k-anonymous" in said.replace("\n", " ")


def test_the_holder_of_the_key_can_find_the_way_back(folder, capsys):
    import csv

    source, policy, key = folder / "patients.csv", folder / "reviewed.toml", folder / "hospital.key"
    assert run(capsys, "key", key)[0] == 0
    run(capsys, "release", source, "--policy", policy, "--key", key, "--to", folder / "out")
    with (folder / "out" / "release.csv").open(encoding="utf-8", newline="") as file:
        pseudonym = next(csv.DictReader(file))["patient_id"]
    words = ["reveal", source, "patient_id", pseudonym, "--policy", policy]
    code, said = run(capsys, *words, "--key", key)
    assert (code, said.startswith("MRN")) == (0, True)
    assert run(capsys, *words)[0] == 2
    assert run(capsys, "key", folder / "other.key")[0] == 0
    assert run(capsys, *words, "--key", folder / "other.key")[0] == 1


def test_a_search_that_is_stopped_prints_its_gap(folder, capsys):
    words = ("search", folder / "patients.csv", "--policy", folder / "reviewed.toml")
    assert "proven optimal" in run(capsys, *words)[1]
    code, said = run(capsys, *words, "--work", "4")
    assert code == 0
    assert "above the optimum (bound" in said
    assert "stopped by work" in said
    found = json.loads(run(capsys, *words, "--work", "4", "--json")[1])
    assert found["proof"]["gap"] == pytest.approx(found["proof"]["loss"] - found["proof"]["bound"])
    assert not found["complete"]
    assert "are undecided" in run(capsys, *words, "--all-minimal", "--work", "1")[1]
    assert "Proven to be all most specific recodings." in run(capsys, *words, "--all-minimal")[1]


@pytest.mark.parametrize(
    ("setting", "proof"), [("", "proven optimal"), ("\nwork = 4\n", "stopped by work")]
)
def test_a_release_prints_how_close_to_the_optimum_it_is(folder, capsys, setting, proof):
    policy = folder / "reviewed.toml"
    policy.write_text(policy.read_text(encoding="utf-8") + setting, encoding="utf-8")
    _, said = run(
        capsys, "release", folder / "patients.csv", "--policy", policy, "--to", folder / "out"
    )
    assert proof in said
    told = json.loads((folder / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert proof in told["solver"]["proof"]["in_words"]
    assert proof in (folder / "out" / "report.html").read_text(encoding="utf-8")
