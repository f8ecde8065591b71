"""Keys and links of several tables: declared ones, else those that names suggest and values
confirm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sfumato.engines import Database

from .detectors.keys import KEY_WORDS
from .name_words import forms, words_of
from .records import FieldSurvey, LooksLike, Survey
from .tables_people import likeness_to_people
from .tables_records import FoundLink

Surveys = Mapping[str, Survey]
Links = dict[str, tuple[FoundLink, ...]]

KEYS = (
    LooksLike.KEY,
    LooksLike.PERSON_KEY,
    LooksLike.MEDICAL_RECORD,
    LooksLike.SSN,
    LooksLike.NATIONAL_NUMBER,
)
"""Kinds of fields that others may link to, also where the name does not show it."""
MOST_LOOSE = 0.1
"""The share of rows that may match no key while a link with the key's own name is still
accepted."""


@runtime_checkable
class KnowsLinks(Protocol):
    """A database in which foreign keys are declared."""

    def declared_links(self) -> tuple[tuple[str, str, str, str], ...]:
        """Table and field, and the table and key that it refers to."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TableKey:
    """A field that is different in every row. With `own`, its name is that of its table, as
    patients.patient_id."""

    table: str
    field: str
    own: bool
    rows: int
    people: int

    @property
    def rank(self) -> tuple[bool, int, int]:
        """Of several keys with the same values: the one whose table they are made for."""
        return self.own, self.rows, self.people


def candidate_keys(surveys: Surveys) -> tuple[TableKey, ...]:
    """Every field that is unique and never missing, and that a name or its values make a key; the
    best are first."""
    found = [
        TableKey(
            table=table,
            field=item.name,
            own=_is_own(table, item.name),
            rows=survey.rows,
            people=likeness_to_people(survey),
        )
        for table, survey in surveys.items()
        for item in survey.fields
        if _is_key(item)
    ]
    return tuple(sorted(found, key=lambda key: key.rank, reverse=True))


def _is_key(item: FieldSurvey) -> bool:
    unique = item.rows > 0 and not item.missing and item.distinct == item.rows
    *_, last = words_of(item.name) or ("",)
    return unique and (item.looks_like in KEYS or last in KEY_WORDS)


def _is_own(table: str, field: str) -> bool:
    return _is_generic(field) or any(
        _joined(field) == f"{one}{word}" for one in forms(table) for word in KEY_WORDS
    )


def _is_generic(field: str) -> bool:
    return set(words_of(field)) <= set(KEY_WORDS)


def _joined(name: str) -> str:
    return "".join(words_of(name))


def name_match(field: str, key: TableKey) -> int:
    """2 where a field is called as the key, or as one row of its table; 1 where its name ends so;
    else 0.

    Example:
        >>> patients = TableKey(table="patients", field="id", own=True, rows=5, people=3)
        >>> [name_match(name, patients) for name in ("patient_id", "PatientID", "mother_patient_id", "visit_id", "id")]
        [2, 2, 1, 0, 0]
    """
    called = {f"{one}{word}" for one in forms(key.table) for word in ("id", "key")} | set(
        forms(key.table)
    )
    if not _is_generic(key.field):
        called.add(_joined(key.field))
    words = words_of(field)
    if "".join(words) in called:
        return 2
    return int(any("".join(words[start:]) in called for start in range(1, len(words))))


def _repeats_key(item: FieldSurvey, key: TableKey) -> bool:
    """Whether a field is called `id`, as the key is, and is no key of its own table: its values
    repeat."""
    same = _is_generic(item.name) and _joined(item.name) == _joined(key.field)
    return same and item.distinct < item.rows - item.missing


def find_links(database: Database, surveys: Surveys, keys: tuple[TableKey, ...]) -> Links:
    """For each table its links, the surest first: those that are declared, then those that are
    called as the key."""
    out: Links = {name: () for name in surveys}
    for name, link in _declared(database, surveys):
        out[name] += (link,)
    for name, survey in surveys.items():
        known = {link.field for link in out[name]}
        guessed = [
            _link(database, name, item, keys) for item in survey.fields if item.name not in known
        ]
        out[name] += tuple(
            sorted((link for link in guessed if link), key=lambda link: not link.exact)
        )
    return out


def _declared(database: Database, surveys: Surveys) -> Iterator[tuple[str, FoundLink]]:
    if not isinstance(database, KnowsLinks):
        return
    for table, field, to, key in database.declared_links():
        readable = {
            (name, item.name)
            for name in (table, to)
            if name in surveys
            for item in surveys[name].fields
        }
        if table != to and {(table, field), (to, key)} <= readable:
            item = surveys[table].field(field)
            reasons = (f"the database declares it a foreign key to {to}",)
            yield (
                table,
                FoundLink(
                    field=field,
                    table=to,
                    key=key,
                    missing=item.missing,
                    alone=item.unique,
                    reasons=reasons,
                ),
            )


def _link(
    database: Database, table: str, item: FieldSurvey, keys: tuple[TableKey, ...]
) -> FoundLink | None:
    """The link that starts at a field: to the best key that it is called after and whose values it
    has; else to the key of people that has its name."""
    mine = next((key for key in keys if (key.table, key.field) == (table, item.name)), None)
    alike = [key for key in keys if _repeats_key(item, key)]
    for key in (*(k for k in keys if k not in alike), *sorted(alike, key=lambda k: -k.people)):
        match = name_match(item.name, key) or int(key in alike)
        if not match or key.table == table or (mine is not None and mine.rank >= key.rank):
            continue
        loose = database.loose(table, item.name, to=key.table, key=key.field)
        present = item.rows - item.missing
        if loose <= (MOST_LOOSE * present if match == 2 else 0) and (present or match == 2):
            return FoundLink(
                field=item.name,
                table=key.table,
                key=key.field,
                loose=loose,
                missing=item.missing,
                alone=item.unique,
                exact=match == 2,
                reasons=_reasons(
                    key, same=match == 2 or key in alike, loose=loose, present=present
                ),
            )
    return None


def _reasons(key: TableKey, *, same: bool, loose: int, present: int) -> tuple[str, str]:
    says = "is" if same else "ends as"
    values = f"all but {loose:,} of its {present:,} values are" if loose else "every value is"
    return f"the name {says} that of {key.table}.{key.field}", f"{values} there"
