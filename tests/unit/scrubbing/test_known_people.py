"""A register: what it tells of people, by kind."""

from __future__ import annotations

from sfumato.scrubbing.file_scrub import read_known


def test_columns_are_kinds_and_whole_names_are_put_together(tmp_path):
    path = tmp_path / "register.csv"
    rows = [
        "person,First Name,last_name,e-mail",
        "7,Ann,Lee,ann@lee.org",
        "7,Ann,Gray,",
        "8,,Hay,",
        ",Nobody,,",
    ]
    path.write_bytes("\r\n".join(rows).encode("utf-8-sig"))
    known = read_known(path)
    assert set(known) == {"7", "8"}
    assert known["8"] == {"name": ("Hay",)}
    assert known["7"]["e-mail"] == ("ann@lee.org",)
    assert set(known["7"]["name"]) == {"Ann", "Lee", "Gray", "Ann Lee", "Ann Gray"}
