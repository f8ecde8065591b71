"""Files that somebody brought: good ones are read, and hostile ones end the process that reads
them, not the gate."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sfumato.errors import NotAdmitted
from sfumato.gate import uploads
from sfumato.gate.uploads import records_of

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
RECORDS = [{"age": "30", "town": "Cadiz"}, {"age": "31", "town": None}]


def parquet(*columns: tuple[str, list[object]], times: int = 1, **options: str) -> bytes:
    page = io.BytesIO()
    table = pa.table(dict(columns))
    with pq.ParquetWriter(page, table.schema, **options) as out:
        for _ in range(times):
            out.write_table(table)
    return page.getvalue()


def good() -> bytes:
    return parquet(
        ("town", ["Cadiz", None, "Cadiz"]), ("age", [30, 31, 30]), ("own", ["a", "b", "c"])
    )


def lying(rows: int) -> bytes:
    """Says everywhere that it has other than 3 rows: that number stands in the footer, behind the
    sign of a field."""
    found = good()
    length = int.from_bytes(found[-8:-4], "little")
    before, footer = found[: -8 - length], found[-8 - length : -8]
    footer = footer.replace(b"\x16\x06", b"\x16" + _variable(2 * rows))
    return before + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def _variable(number: int) -> bytes:
    """Seven bits in a byte, the lowest first."""
    out = bytearray()
    while number >= 128:
        out.append(number % 128 + 128)
        number //= 128
    return bytes([*out, number])


def packed() -> bytes:
    """Few bytes, and twenty million when they are unpacked."""
    found = parquet(("age", ["x" * 20_000_000]), ("town", ["Cadiz"]), compression="zstd")
    assert len(found) < 100_000
    return found


def many() -> bytes:
    """Few bytes, and millions of rows."""
    found = parquet(("age", [1] * 100_000), ("town", ["Cadiz"] * 100_000), times=30)
    assert len(found) < 100_000
    return found


def broken_inside() -> bytes:
    found = bytearray(good())
    found[8:60] = bytes(52)
    return bytes(found)


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.parquet", good()), ("a.csv", b"own,age,town\na,30,Cadiz\nb,31,\nc,30,Cadiz\n")],
)
def test_a_good_file(tmp_path: Path, name: str, content: bytes) -> None:
    found = records_of(content, name=name, on=["age", "town"], folder=tmp_path)
    assert sorted(found, key=str) == sorted(RECORDS, key=str)
    assert not list(tmp_path.iterdir())


@pytest.mark.long("a file of each kind; each second stays", every=2)
@pytest.mark.parametrize(
    ("made", "code"),
    [
        (lambda: good()[:-20], "not-a-table"),
        (lambda: good()[:40], "not-a-table"),
        (broken_inside, "not-a-table"),
        (lambda: lying(1 << 40), "too-long"),
        (many, "too-long"),
        (packed, "too-long"),
    ],
    ids=["cut", "cut short", "broken inside", "lying", "many", "packed"],
)
def test_a_hostile_file_is_told_in_our_words(
    tmp_path: Path, made: Callable[[], bytes], code: str
) -> None:
    with pytest.raises(NotAdmitted) as told:
        records_of(made(), name="a.parquet", on=["age", "town"], folder=tmp_path)
    assert told.value.code == code
    assert str(tmp_path) not in str(told.value)
    assert "Cadiz" not in str(told.value)
    assert not list(tmp_path.iterdir())


def test_a_file_that_says_it_is_smaller_than_it_is(tmp_path: Path) -> None:
    """It is refused, or read as far as it says: what somebody brings is theirs to get wrong."""
    try:
        found = records_of(lying(1), name="a.parquet", on=["age", "town"], folder=tmp_path)
    except NotAdmitted:
        return
    assert len(found) <= 1
    assert all(set(each) == {"age", "town"} for each in found)


def test_a_reader_that_does_not_end_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "SECONDS", 0.05)
    with pytest.raises(NotAdmitted, match="time and memory"):
        records_of(good(), name="a.parquet", on=["age"], folder=tmp_path)


@pytest.mark.parametrize(
    "says",
    [
        "raise SystemExit(3)",
        "import os; os.abort()",
        "print('not JSON')",
        "print('[' * 200_000)",
        """print('{"records": [["30", "Cadiz", "more"]]}')""",
        """print('{"records": [[30, {"a": 1}]]}')""",
        "print('[]')",
    ],
)
def test_what_the_reader_tells_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str
) -> None:
    """Whoever has taken over the reader can say anything."""
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "upload_reading.py").write_text(says)
    (tmp_path / "taken" / "__init__.py").write_text("")
    monkeypatch.setattr(uploads, "__package__", "taken")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(NotAdmitted, match="time and memory"):
        records_of(good(), name="a.parquet", on=["age", "town"], folder=tmp_path)


def test_the_limits_hold() -> None:
    """Neither memory nor files without end, and no core file with somebody's records in it."""
    script = """
import resource
from sfumato.gate.upload_process import MEMORY, limit
limit()
try:
    bytearray(MEMORY)
except MemoryError:
    print("memory")
try:
    resource.setrlimit(resource.RLIMIT_CPU, (1000, 1000))
except (ValueError, OSError):
    print("processor")
print(resource.getrlimit(resource.RLIMIT_CORE))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=600
    )
    assert done.stdout.split("\n")[:1] == ["memory"]
    assert "(0, 0)" in done.stdout


def test_the_reader_has_nothing_of_the_gates_surroundings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_SECRET", "of the gate")
    assert "of the gate" not in uploads._surroundings(tmp_path).values()
