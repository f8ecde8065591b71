"""`sfumato accounts` and `sfumato audit`, run where their output can be read."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable

import pytest

from sfumato.cli import main
from sfumato.datasets import write_hospital_gate
from sfumato.gate import DoorAddresses
from sfumato.gate.audit import verify_chain
from sfumato.gate.gate_opener import open_office
from sfumato.gate.settings_file import read_settings


@pytest.fixture
def file(tmp_path):
    return write_hospital_gate(tmp_path, rows=10)


@pytest.fixture
def audit(file, capsys):
    main(["accounts", "--config", str(file), "add", "adam", "--right", "administrator"])
    main(
        ["accounts", "--config", str(file), "add", "ann", "--profile", "research", "--group", "lab"]
    )
    capsys.readouterr()
    return file.parent / "state" / "audit.jsonl"


def test_an_account_gets_a_password_that_is_shown_once_and_works(file, capsys):
    assert main(["accounts", "--config", str(file), "add", "ann", "--right", "steward"]) == 0
    first = re.search(r"^ann: (\S{29})$", capsys.readouterr().out, re.MULTILINE)[1]
    assert main(["accounts", "--config", str(file), "password", "ann"]) == 0
    second = re.search(r"^ann: (\S{29})$", capsys.readouterr().out, re.MULTILINE)[1]
    with open_office(read_settings(file)) as office:
        assert office.accounts.check("ann", second).right == "steward"
        with pytest.raises(Exception, match="log-in failed"):
            office.accounts.check("ann", first)
        text = office.audit.path.read_text()
    assert first not in text
    assert second not in text


def test_accounts_are_listed_and_a_name_is_given_once(file, audit, capsys):
    assert main(["accounts", "--config", str(file), "list"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "adam: administrator, profile public",
        "ann: recipient, profile research",
    ]
    assert main(["accounts", "--config", str(file), "add", "ann"]) == 2
    assert "already" in capsys.readouterr().err


def test_accounts_health_and_anchors_as_json(file, audit, tmp_path, capsys):
    def printed(*words: str, code: int = 0) -> object:
        assert main([*words, "--json"]) == code
        return json.loads(capsys.readouterr().out)

    made = printed("accounts", "--config", str(file), "add", "bea")
    again = printed("accounts", "--config", str(file), "password", "bea")
    with open_office(read_settings(file)) as office:
        assert office.accounts.check("bea", again["password"])
    assert made["password"] != again["password"]
    kept = printed("audit", "anchor", str(audit), "--to", str(tmp_path / "end"))
    head = verify_chain(audit)
    assert (kept["lines"], kept["digest"]) == (head.lines, head.digest)
    assert printed("serve", "--config", str(file), "--health", code=1) == {"answers": False}


def test_an_open_gate_prints_its_addresses_as_one_line_of_json(file, capsys, monkeypatch):
    def opened(settings: object, *, told: Callable[[DoorAddresses], None]) -> None:
        told(DoorAddresses("http://127.0.0.1:8417", "postgresql://127.0.0.1:5417"))

    monkeypatch.setattr("sfumato.gate.serve", opened)
    assert main(["serve", "--config", str(file), "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    found = json.loads(line)
    assert (found["pages"], found["encrypted"]) == ("http://127.0.0.1:8417/", False)
    assert found["postgresql"] == "postgresql://127.0.0.1:5417"


def test_the_audit_is_shown_exported_and_verified(audit, tmp_path, capsys):
    assert main(["audit", "show", str(audit), "--text", "adam"]) == 0
    assert "account added" in capsys.readouterr().out
    assert main(["audit", "export", str(audit)]) == 0
    copy = tmp_path / "copy.jsonl"
    copy.write_text(capsys.readouterr().out)
    assert copy.read_bytes() == audit.read_bytes()
    assert main(["audit", "export", str(audit), "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [json.loads(row["further"])["account"] for row in rows] == ["adam", "ann"]
    digest = verify_chain(audit).digest
    assert main(["audit", "verify", str(audit), "--ends-in", digest]) == 0
    assert digest in capsys.readouterr().out.replace("\n", "")


@pytest.mark.parametrize("what", ["verify", "show", "export"])
def test_a_file_that_is_no_audit_is_told(what, tmp_path, capsys):
    for content in (None, "nonsense\n"):
        path = tmp_path / "other.jsonl"
        if content is not None:
            path.write_text(content)
        assert main(["audit", what, str(path)]) in (1, 2)
        told = capsys.readouterr().err
        assert "Traceback" not in told
        assert "nonsense" not in told


def test_a_line_that_was_changed_is_found(audit, capsys):
    audit.write_text(audit.read_text().replace("administrator", "administrat0r"))
    assert main(["audit", "verify", str(audit)]) == 1
    assert "Line 2 does not fit" in capsys.readouterr().err


def test_serving_without_a_file_or_with_a_port_that_is_none_is_told(file, tmp_path, capsys):
    assert main(["serve", "--config", str(tmp_path / "nothing.toml")]) == 2
    assert main(["serve", "--config", str(file), "--http-port", "70000"]) == 2
    assert "65535" in capsys.readouterr().err


def test_an_anchor_is_made_moved_forward_and_compared(tmp_path, capsys):
    settings = read_settings(write_hospital_gate(tmp_path, rows=300, http_port=0, wire_port=0))
    audit, anchor = settings.folder / "audit.jsonl", tmp_path / "anchor"
    with open_office(settings) as office:
        office.audit.append("opened", {})
    assert main(["audit", "anchor", str(audit), "--to", str(anchor)]) == 0
    with open_office(settings) as office:
        office.audit.append("closed", {})
    assert main(["audit", "verify", str(audit), "--anchor", str(anchor)]) == 0
    assert main(["audit", "anchor", str(audit), "--to", str(anchor)]) == 0
    audit.write_text("".join(audit.read_text().splitlines(keepends=True)[:-1]))
    capsys.readouterr()
    for words in (
        ["verify", str(audit), "--anchor", str(anchor)],
        ["anchor", str(audit), "--to", str(anchor)],
    ):
        assert main(["audit", *words]) == 1
        assert "shorter than the anchor" in capsys.readouterr().err
    assert main(["audit", "verify", str(audit), "--anchor", str(tmp_path / "nothing")]) == 2
