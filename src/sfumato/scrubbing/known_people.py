"""What a register knows of people: a CSV file whose columns say whom a row is about and what stands
in the others."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from sfumato.errors import SourceError
from sfumato.text import ReferenceKind

PERSON = "person"
FIRST, LAST = "first name", "last name"
_NAMES = {FIRST: ReferenceKind.NAME, LAST: ReferenceKind.NAME}


def read_known(path: Path) -> dict[str, dict[str, tuple[str, ...]]]:
    """By person and kind, what is known of them. Columns are `person` and kinds; also "first name"
    and "last name"."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return _read(csv.DictReader(file, strict=True, restkey="", restval=""), path)
    except OSError as error:
        raise SourceError(f"{path} cannot be read.", found=f"{error.strerror}.") from None
    except (csv.Error, UnicodeDecodeError):  # Their messages may quote the file.
        raise SourceError(f"{path} is no CSV file in UTF-8.") from None


def _read(rows: csv.DictReader[str], path: Path) -> dict[str, dict[str, tuple[str, ...]]]:
    columns = {name: _kind(name) for name in rows.fieldnames or () if name != PERSON}
    strange = [name for name, kind in columns.items() if kind is None]
    if PERSON not in (rows.fieldnames or ()) or strange:
        raise SourceError(
            f"The columns of {path} do not say whom and what it knows.",
            found=f"{len(strange):,} of {len(columns):,} columns are no kind of reference, or "
            f"'{PERSON}' is missing.",
            attempt=f"columns named {PERSON}, {FIRST}, {LAST}, or one of: "
            f"{', '.join(ReferenceKind)}.",
        )
    out: dict[str, dict[str, dict[str, None]]] = {}
    for row in rows:
        person = (row[PERSON] or "").strip()
        if not person:
            continue
        known = out.setdefault(person, {})
        for kind, text in _told(row, columns):
            known.setdefault(str(kind), {})[text] = None
    return {
        person: {kind: tuple(texts) for kind, texts in known.items()}
        for person, known in out.items()
    }


def _told(
    row: Mapping[str, str], columns: Mapping[str, ReferenceKind | None]
) -> list[tuple[ReferenceKind, str]]:
    told = [
        (kind, text)
        for name, kind in columns.items()
        if kind and (text := (row[name] or "").strip())
    ]
    parts = {_plain(name): (row[name] or "").strip() for name in columns}
    whole = " ".join(filter(None, (parts.get(FIRST, ""), parts.get(LAST, ""))))
    return [(ReferenceKind.NAME, whole), *told] if " " in whole else told


def _kind(name: str) -> ReferenceKind | None:
    plain = _plain(name)
    return _NAMES.get(plain) or next((kind for kind in ReferenceKind if str(kind) == plain), None)


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", " ")
