"""A full disk stops answers, not the audit."""

from __future__ import annotations

import errno
import os

import pytest
from gates import ANN, a_gate, people

from sfumato.errors import TargetError
from sfumato.gate import audit as audit_module
from sfumato.gate.audit import RESERVED, Audit, entries, verify_chain
from sfumato.gate.settings import Mode, Terms


class Disk:
    """A disk that is full: nothing more can be written, but for what the reserve had taken up."""

    def __init__(self, monkeypatch) -> None:
        self.full, self.left = False, 0
        self._write, self._unlink, self._take = os.write, os.unlink, os.posix_fallocate
        monkeypatch.setattr(audit_module.os, "write", self.write)
        monkeypatch.setattr(audit_module.os, "posix_fallocate", self.take)
        monkeypatch.setattr(audit_module.os, "unlink", self.unlink)

    def write(self, file, data):
        if self.full and len(data) > self.left:
            part = self._write(file, data[: self.left])
            self.left = 0
            if part:
                return part
            raise OSError(errno.ENOSPC, "No space left on device")
        self.left -= len(data) if self.full else 0
        return self._write(file, data)

    def take(self, file, start, size):
        if self.full:
            raise OSError(errno.ENOSPC, "No space left on device")
        self._take(file, start, size)

    def unlink(self, path, **where):
        if self.full and str(path).endswith(".reserve") and os.path.exists(path):
            self.left += os.path.getsize(path)
        self._unlink(path, **where)


@pytest.fixture
def disk(monkeypatch):
    return Disk(monkeypatch)


def test_a_line_is_written_with_the_room_that_was_kept_for_it(tmp_path, disk):
    audit = Audit(tmp_path / "audit.jsonl")
    assert (tmp_path / "audit.jsonl.reserve").stat().st_size == RESERVED
    audit.append("one", {})
    disk.full = True
    audit.append("two", {})
    assert not audit.has_room()
    disk.full = False
    assert audit.has_room()
    audit.close()
    assert verify_chain(tmp_path / "audit.jsonl").lines == 2


def test_where_there_is_no_room_at_all_the_chain_stays_whole(tmp_path, disk):
    audit = Audit(tmp_path / "audit.jsonl")
    disk.full = True
    for _ in range(3):
        audit.append("kept", {"text": "x" * 300_000})
    with pytest.raises(TargetError, match="could not be written"):
        audit.append("lost", {"text": "x" * 300_000})
    disk.full = False
    audit.append("later", {})
    audit.close()
    assert [entry["kind"] for entry in entries(tmp_path / "audit.jsonl")] == [
        "kept",
        "kept",
        "kept",
        "later",
    ]
    assert verify_chain(tmp_path / "audit.jsonl").lines == 4


def test_nothing_is_answered_while_the_disk_is_full_and_that_is_written_down(tmp_path, disk):
    sql = "SELECT age, test FROM people"
    with a_gate(tmp_path, people(300), terms=Terms(mode=Mode.EXACT)) as gate:
        gate.keeper.ask(ANN, sql)
        disk.full = True
        gate.keeper.ask(
            ANN, sql
        )  # The line of this answer takes the room; it is on disk, so the answer may leave.
        with pytest.raises(TargetError, match="full"):
            gate.keeper.ask(ANN, sql)
        with pytest.raises(TargetError, match="full"):
            gate.keeper.look(ANN, sql)
        disk.full = False
        gate.keeper.ask(ANN, sql)
        path = gate.audit.path
        kinds = [entry["kind"] for entry in entries(path) if entry["kind"] != "state changed"]
        assert kinds[1:] == [
            "opened",
            "answered",
            "answered",
            "not admitted",
            "not admitted",
            "answered",
        ]
        verify_chain(path)
