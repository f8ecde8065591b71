"""A field that nobody decided about keeps a release from passing, whatever else the policy says."""

from __future__ import annotations

import csv
import json

import pytest

import sfumato
from sfumato.cli import main
from sfumato.policy import policy_from_table

PEOPLE = [{"zip": f"0213{n % 2}", "sex": "fm"[n // 2 % 2], "code": "ab"[n % 2]} for n in range(24)]
ONE_TABLE = """
[fields]
zip = "quasi"
sex = "quasi"
code = { role = "quasi", open = true }

[require]
k = 3
"""
SEVERAL_TABLES = """
entity = "people.id"

[tables.people]
key = "id"
[tables.people.fields]
id = { role = "direct", replace = "number" }
code = { role = "quasi", open = true }

[require]
k = 3
"""
CHANNELS = """
[fields]
name = "direct"
zip = "quasi"
code = { role = "insensitive", open = true }
problem = "sensitive"

[channels]
fields = ["zip"]
confidential = "problem"
identifiers = ["name"]
tolerance = { gout = 0.6 }
none = ["flu", "cold"]
"""


def _written(path, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def _source(tmp_path, policy):
    if policy is SEVERAL_TABLES:
        folder = tmp_path / "source"
        folder.mkdir()
        _written(folder / "people.csv", [{"id": n, "code": "ab"[n % 2]} for n in range(24)])
        return folder
    rows = [
        row | {"name": f"Ada {n}", "problem": ("flu", "cold", "gout")[n // 4 % 3]}
        for n, row in enumerate(PEOPLE)
    ]
    if policy is CHANNELS:
        return _written(
            tmp_path / "people.csv",
            [{key: row[key] for key in ("name", "zip", "code", "problem")} for row in rows],
        )
    return _written(tmp_path / "people.csv", PEOPLE)


@pytest.mark.long("a release for each shape; one stays", every=3)
@pytest.mark.parametrize(
    ("policy", "field"),
    [(ONE_TABLE, "code"), (SEVERAL_TABLES, "people.code"), (CHANNELS, "code")],
    ids=["one table", "several tables", "channels"],
)
def test_a_release_with_an_open_field_is_for_review_until_a_person_decides(policy, field, tmp_path):
    source, file = _source(tmp_path, policy), tmp_path / "policy.toml"
    words = ["release", str(source), "--policy", str(file), "--to"]
    file.write_text(policy, encoding="utf-8")
    assert main([*words, str(tmp_path / "open")]) == 3
    manifest = json.loads((tmp_path / "open" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["outcome"] == "review"
    assert manifest["open_fields"] == [field]
    assert any(f"nobody has decided what it is: {field}" in w for w in manifest["warnings"])
    report = (tmp_path / "open" / "report.html").read_text(encoding="utf-8")
    assert "nobody has decided what it is" in report
    checks = {check.claim: check for check in sfumato.verify(tmp_path / "open")}
    assert checks["a person has decided about every field"].outcome == "review"
    assert field in checks["a person has decided about every field"].found
    assert main(["verify", str(tmp_path / "open")]) == 3
    file.write_text(policy.replace(", open = true", ""), encoding="utf-8")
    assert main([*words, str(tmp_path / "decided")]) == 0
    made = json.loads((tmp_path / "decided" / "manifest.json").read_text(encoding="utf-8"))
    assert made["outcome"] == "pass"
    assert "open_fields" not in made


def test_a_policy_whose_open_lines_were_taken_out_is_still_the_one_of_the_release(tmp_path):
    """As with `proposed`: who confirms a policy changes nothing that the release was made by."""
    file = tmp_path / "policy.toml"
    file.write_text(ONE_TABLE, encoding="utf-8")
    sfumato.release(_source(tmp_path, ONE_TABLE), file, to=tmp_path / "made")
    file.write_text(ONE_TABLE.replace(", open = true", ""), encoding="utf-8")
    checks = sfumato.verify(tmp_path / "made", policy=file)
    assert not [check for check in checks if check.outcome == "fail"]
    accepted = sfumato.verify(tmp_path / "made", accept=["open"])
    assert [each.accepted for each in accepted if each.requirement == "open"] == [True]


def test_safe_harbor_cannot_tell_while_a_field_is_open(tmp_path):
    table = {
        "fields": {"zip": {"role": "quasi", "hierarchy": {"prefix": [3]}}, "sex": "quasi"},
        "require": {"k": 3, "safe_harbor": {"zips": ["zip"]}},
    }
    rows = [{key: row[key] for key in ("zip", "sex")} for row in PEOPLE]
    table["fields"]["sex"] = {"role": "quasi", "open": True}
    made = sfumato.release(rows, policy_from_table(table), to=tmp_path / "made", engine="reference")
    verdict = next(each for each in made.verdicts if each.model == "Safe Harbor")
    assert verdict.outcome == "review"
    assert verdict.reason.startswith("cannot tell: nobody has decided what is in sex;")
    assert not [each for each in sfumato.verify(made.folder) if each.outcome == "fail"]
