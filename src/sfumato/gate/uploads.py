"""Records that somebody brought as a file, read as the gate reads its own tables: numbers and dates in one spelling."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from sfumato.errors import NotAdmitted, SourceError
from sfumato.policy.nearest import with_question
from sfumato.sources import open_source

from .linking import MOST_RECORDS

Records = list[dict[str, str | None]]
ENDINGS: Final = (".csv", ".tsv", ".parquet")
PARQUET: Final = b"PAR1"


def records_of(content: bytes, *, name: str, on: Sequence[str], folder: Path) -> Records:
    """The different records of a file in the fields they are to be linked on. The file is kept while it is read.

    What is wrong with a file is told in our words: a reader's own would repeat cells and name files of the gate.
    """
    ending = _ending(content, name)
    with tempfile.TemporaryDirectory(prefix="brought-", dir=folder) as scratch:
        path = Path(scratch) / f"records{ending}"
        path.write_bytes(content)
        try:
            return _read(path, on)
        except SourceError:
            raise NotAdmitted(
                "The file cannot be read as a table.",
                code="not-a-table",
                attempt="a CSV file in UTF-8 with a line of names, or a Parquet file.",
            ) from None


def _ending(content: bytes, name: str) -> str:
    """By what the file is, where that can be seen, and by its name otherwise."""
    if content[:4] == PARQUET:
        return ".parquet"
    ending = Path(name).suffix.lower()
    return ending if ending == ".tsv" else ".csv"


def _read(path: Path, on: Sequence[str]) -> Records:
    with open_source(path) as engine:
        names = [info.name for info in engine.fields()]
        for each in on:
            if each not in names:
                said = with_question(f"The file has no field {each!r}.", each, names)
                raise NotAdmitted(said, code="link-fields")
        if engine.count_rows() > MOST_RECORDS:
            raise NotAdmitted(
                "Too many records were brought at once.", code="too-long", found=f"{MOST_RECORDS:,} may be."
            )
        wanted = tuple(dict.fromkeys(on))
        found = engine.frequencies(wanted)
    columns = [[values[code] for code in found.codes[:, place].tolist()] for place, values in enumerate(found.values)]
    return [dict(zip(found.fields, cells, strict=True)) for cells in zip(*columns, strict=True)]
