"""What the holder states and nobody can check: all of it in JSON, in a short line for a terminal."""

from __future__ import annotations

import json

from sfumato.cli import main
from sfumato.cli.verify import _show
from sfumato.releases.manifest import ReleaseShape
from sfumato.releases.manifest_agreement import told_check, told_of
from sfumato.releases.treatments import KEPT

FIELDS = [f"field {number}" for number in range(14)]


def facts(*fields: str) -> dict:
    """As much of a manifest of one table, recoded bin by bin, as the line is made from."""
    return {
        "shape": ReleaseShape.ONE_ROW_EACH,
        "created": "",
        "recoding": {"kind": "local"},
        "hierarchies": {},
        "known_fields": list(fields),
        "tables": {"release": {"fields": dict.fromkeys(fields, KEPT)}},
    }


def test_fields_of_one_table_are_named_once_with_it():
    found = told_check(facts("a", "b", "c"))
    assert found.brief.endswith("tables.release.fields.{a, b, c}")
    assert told_check(facts("a, b")).brief.endswith("tables.release.fields.a, b")
    assert "tables" not in told_check(facts()).brief


def test_ten_fields_are_named_and_the_others_counted():
    found = told_check(facts(*FIELDS))
    assert found.brief.endswith(f"{{{', '.join(FIELDS[:10])} and 4 more}}")
    named = [name for name in told_of(facts(*FIELDS)) if name.startswith("tables")]
    assert len(named) == len(FIELDS)
    assert all(name in found.as_dict()["found"] for name in named)


def test_a_terminal_has_the_short_line(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "1000")
    _show([told_check(facts(*FIELDS))], "pass", anchored=True)
    said = capsys.readouterr().out
    assert "and 4 more}" in said
    assert "tables.release.fields.field 3" not in said


def test_json_has_every_field_and_no_short_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("name,sex\n" + "ann,f\nbob,m\n" * 3)
    (tmp_path / "policy.toml").write_text(
        '[fields]\nname = { role = "direct", replace = "hash" }\nsex = "quasi"\n[require]\nk = 2\n'
    )
    assert main(["release", "people.csv", "--policy", "policy.toml", "--to", "out"]) == 0
    capsys.readouterr()
    assert main(["verify", "out", "--json"]) == 0
    checks = json.loads(capsys.readouterr().out)
    (said,) = (each for each in checks if each["claim"].startswith("stated by the holder"))
    assert "tables.release.fields.name" in said["found"]
    assert not [each for each in checks if "brief" in each]
