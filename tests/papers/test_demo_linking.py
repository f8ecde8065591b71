"""`sfumato demo linking`: names are found by a voter list, and are not after a release."""

from __future__ import annotations

import json

from sfumato.cli import main


def test_a_voter_list_names_patients_until_they_are_released_properly(tmp_path, capsys):
    assert (
        main(["demo", "linking", "--to", str(tmp_path / "demo"), "--rows", "2000", "--json"]) == 0
    )
    figures = json.loads(capsys.readouterr().out)["figures"]
    assert all(one["holds"] for one in figures)
    before, after = figures[-2:]
    assert before["found"].split()[4] != "0"
    assert after["found"] == "of 2,000 voters, 0 are claimed and 0 rightly"
    assert (tmp_path / "demo" / "release" / "manifest.json").is_file()


def test_files_of_others_are_left_alone(tmp_path, capsys):
    (tmp_path / "patients.csv").write_text("name\nAda\n", encoding="utf-8")
    assert main(["demo", "linking", "--to", str(tmp_path)]) == 2
    assert "nothing was touched" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["patients.csv"]
    assert (tmp_path / "patients.csv").read_text(encoding="utf-8") == "name\nAda\n"
