"""The people record: the holder's record of the person of each released row.

A released table does not disclose the person of a row, and must not. The record is for the holder
alone. It has one keyed number per person, the number of the person's bin, and one keyed number per
sensitive value. It holds no cell value. A person with the record and the key learns which people
have the same released values. A person with the record alone learns how bins of later releases
overlap.
"""

from __future__ import annotations

import hashlib
import hmac
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Self
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import overlapping
from sfumato.errors import Mistake, ReleaseBroken
from sfumato.files import check_owner_only, create_secret
from sfumato.hierarchies import Label
from sfumato.keys import Key
from sfumato.wording import counted

from .linked_rows import OwnedRows, forms_of_people, multisets
from .person_keys import key_readings, plain_key
from .record_seal import digest_of_parts, seal_of

Numbers = NDArray[np.int32]
Tags = NDArray[np.uint64]

FORMAT: Final = 5
"""From 5 on, people with several rows are compared by the links of these too."""
PURPOSE: Final = "ledger"
PEOPLE_RECORD: Final = "people_record"
"""The section of a manifest with the digest of the record."""
NO_ROW: Final = np.uint64(0)
"""In place of a value, for people who have no row in the table."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SensitiveValues:
    """One sensitive field of the released people: keyed numbers of its values, and the place of
    each person's value among them.

    Where people have several rows, `value_of` is the number of a set of values. `members` has pairs
    of a set and the place of a value in it. `tolerance` is, by value, the largest share that a
    release by channels allows."""

    tags: Tags = field(repr=False)
    value_of: Numbers = field(repr=False)
    members: Numbers | None = field(default=None, repr=False)
    tolerance: NDArray[np.float64] | None = field(default=None, repr=False)
    bin_of: Numbers | None = field(default=None, repr=False)
    """The bin of each person in which the field was shown, where that is not the record's bin. A
    gate shows a field in some of its answers."""

    @property
    def codes(self) -> int:
        """How many numbers `value_of` may have."""
        if self.members is None:
            return len(self.tags)
        return int(self.members[:, 0].max(initial=-1)) + 1

    def check(self) -> None:
        """Every set has members that are there, and every value a tolerance; ValueError if not."""
        if self.members is not None:
            sets, places = self.members.T
            every = np.array_equal(np.unique(sets), np.arange(self.codes))
            if not every or (places < 0).any() or (places >= len(self.tags)).any():
                raise ValueError("no sets")
        if self.tolerance is not None and self.tolerance.shape != self.tags.shape:
            raise ValueError("no tolerances")


@dataclass(frozen=True, eq=False, kw_only=True)
class PeopleRecord:
    """The bin of each person in one release. `tags` are sorted, one per person; `bin_of` is
    parallel.

    `labels` has the codes of each bin's labels, one column per field. `overlaps` has the pairs of
    codes of a field that can be about the same value; a field without an entry is one whose
    overlaps are not known, and whose labels are compared as they are. Where people have several
    rows, a bin is a form of linked rows (`linked_rows.py`), and `labels` has no columns."""

    release: str
    """The digest of the manifest."""
    person: str
    """The field of the source that identifies the person of a row."""
    fields: tuple[str, ...]
    key_check: str
    tags: Tags = field(repr=False)
    bin_of: Numbers = field(repr=False)
    labels: Numbers = field(repr=False)
    overlaps: Mapping[int, Numbers] = field(default_factory=dict, repr=False)
    sensitive: Mapping[str, SensitiveValues] = field(default_factory=dict, repr=False)
    input_of: Numbers | None = field(default=None, repr=False)
    """Of a release by channels: the input channel of each person; a bin is an output channel."""
    not_judged: tuple[str, ...] = ()
    """Why the record does not cover all that was released, in words; empty where it does."""
    uncounted: tuple[str, ...] = ()
    """Released fields that are neither labels nor sensitive: nobody was taken to know them."""
    readings: Tags | None = field(default=None, repr=False)
    """The keyed numbers of the readings of each person's key (see `key_readings`), two or more."""
    seal: bytes = field(default=b"", repr=False)
    """An HMAC over all other parts under the holder's key; empty where the record was not kept."""
    from_file: bool = False
    """Whether it was read from a file, which somebody may have changed."""

    @property
    def people(self) -> int:
        return len(self.tags)

    def facts(self) -> dict[str, Any]:
        """Its facts without any number about a person."""
        return {
            "format": FORMAT,
            "release": self.release,
            "person": self.person,
            "fields": list(self.fields),
            "sensitive": list(self.sensitive),
            "key_check": self.key_check,
            "not_judged": list(self.not_judged),
            "uncounted": list(self.uncounted),
        }

    def _parts(self) -> dict[str, NDArray[Any]]:
        """All that the seal is about, as arrays."""
        arrays: dict[str, NDArray[Any]] = {
            "facts": np.frombuffer(json.dumps(self.facts()).encode(), np.uint8),
            "tags": self.tags,
            "bin_of": self.bin_of,
            "labels": self.labels,
        }
        for at, pairs in self.overlaps.items():
            arrays[f"overlap{at}"] = pairs
        for at, values in enumerate(self.sensitive.values()):
            arrays[f"values{at}"], arrays[f"value_of{at}"] = values.tags, values.value_of
            if values.members is not None:
                arrays[f"members{at}"] = values.members
            if values.tolerance is not None:
                arrays[f"tolerance{at}"] = values.tolerance
            if values.bin_of is not None:
                arrays[f"bins_of{at}"] = values.bin_of
        if self.input_of is not None:
            arrays["input_of"] = self.input_of
        if self.readings is not None:
            arrays["readings"] = self.readings
        return arrays

    @property
    def digest(self) -> str:
        """The digest of all parts but the release and the seal: the manifest of the release names
        it, so that nobody exchanges the record unseen."""
        return digest_of_parts(replace(self, release="")._parts()).hex()

    def sealed(self, key: Key) -> Self:
        """The record with its seal, to be kept in a file."""
        return replace(self, seal=seal_of(self._parts(), key=key, purpose=PURPOSE))

    def is_sealed_by(self, key: Key) -> bool:
        """Whether nothing was changed since the holder of the key sealed it."""
        made = seal_of(self._parts(), key=key, purpose=PURPOSE)
        return hmac.compare_digest(made, self.seal)

    def content(self) -> bytes:
        """The record as the bytes of an .npz file."""
        arrays = self._parts()
        if self.seal:
            arrays["seal"] = np.frombuffer(self.seal, np.uint8)
        file = io.BytesIO()
        np.savez(file, allow_pickle=False, **arrays)
        return file.getvalue()

    @classmethod
    def of_content(cls, content: bytes, *, where: str) -> Self:
        """Read a record; ReleaseBroken where it is none."""
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
                record = cls._of_arrays(arrays)
            record._check()
        except (ValueError, KeyError, TypeError, OSError, BadZipFile, EOFError, IndexError):
            raise ReleaseBroken(
                f"{where} is not a people record that this version reads.",
                attempt="the file that `sfumato release --keep-people` wrote.",
            ) from None
        return record

    @classmethod
    def _of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        facts = json.loads(arrays["facts"].tobytes())
        if facts["format"] != FORMAT:
            raise ValueError("another format")
        fields = tuple(map(str, facts["fields"]))
        return cls(
            release=str(facts["release"]),
            person=str(facts["person"]),
            fields=fields,
            key_check=str(facts["key_check"]),
            tags=arrays["tags"].astype(np.uint64, casting="safe"),
            bin_of=arrays["bin_of"].astype(np.int32, casting="safe"),
            labels=arrays["labels"].astype(np.int32, casting="safe"),
            overlaps={
                at: arrays[f"overlap{at}"].astype(np.int32, casting="safe")
                for at in range(len(fields))
                if f"overlap{at}" in arrays
            },
            sensitive={
                str(name): SensitiveValues(
                    tags=arrays[f"values{at}"].astype(np.uint64, casting="safe"),
                    value_of=arrays[f"value_of{at}"].astype(np.int32, casting="safe"),
                    members=_optional(arrays, f"members{at}", np.int32),
                    tolerance=_optional(arrays, f"tolerance{at}", np.float64),
                    bin_of=_optional(arrays, f"bins_of{at}", np.int32),
                )
                for at, name in enumerate(facts["sensitive"])
            },
            input_of=_optional(arrays, "input_of", np.int32),
            readings=_optional(arrays, "readings", np.uint64),
            not_judged=tuple(map(str, facts["not_judged"])),
            uncounted=tuple(map(str, facts.get("uncounted", ()))),
            seal=arrays["seal"].tobytes() if "seal" in arrays else b"",
        )

    def _check(self) -> None:
        """Numbers lead to existing entries, and nobody occurs twice; ValueError where not."""
        bins = len(self.labels)
        ends = [(self.bin_of, bins)]
        ends += [(values.value_of, values.codes) for values in self.sensitive.values()]
        if self.input_of is not None:
            ends.append((self.input_of, len(self.tags)))
        shown = (values.bin_of for values in self.sensitive.values())
        ends += [(bins, len(self.tags)) for bins in shown if bins is not None]
        for values in self.sensitive.values():
            values.check()
        in_range = all(
            part.shape == self.tags.shape and (part >= 0).all() and (part < end).all()
            for part, end in ends
        )
        is_sorted = bool((self.tags[1:] > self.tags[:-1]).all())
        fits = self.labels.ndim == 2 and self.labels.shape[1] in (0, len(self.fields))
        if self.readings is not None and (
            self.readings.ndim != 2
            or len(self.readings) != len(self.tags)
            or self.readings.shape[1] < 2
        ):
            raise ValueError("no readings")
        if not in_range or not is_sorted or not fits or (self.labels < 0).any():
            raise ValueError("no record")

    def renumbered(self, tags: Tags) -> Self:
        """The record with other numbers for its people, each of them once."""
        order = np.argsort(tags, kind="stable")

        def sort(part: NDArray[Any] | None) -> Any:
            return None if part is None else part[order]

        return replace(
            self,
            tags=tags[order],
            bin_of=self.bin_of[order],
            input_of=sort(self.input_of),
            readings=sort(self.readings),
            sensitive={
                name: replace(each, value_of=each.value_of[order], bin_of=sort(each.bin_of))
                for name, each in self.sensitive.items()
            },
        )

    def save(self, path: Path) -> None:
        """Write it to a new file that only its owner may read."""
        create_secret(path, self.content())

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file that only its owner may read."""
        if not path.is_file():
            raise Mistake(
                f"A people record was expected in {path}.",
                found="There is no such file.",
                attempt="the file that `sfumato release --keep-people` wrote.",
            )
        check_owner_only(path)
        return replace(cls.of_content(path.read_bytes(), where=str(path)), from_file=True)


def key_check(key: Key) -> str:
    """A number by which two records are seen to be of one key; it does not lead to the key."""
    return key.derive(PURPOSE, "check").digest(b"people record").hex()[:32]


def person_tags(people: Sequence[Label], *, key: Key) -> Tags:
    """The keyed number of each person, as a record has it, however the key is spelled."""
    plain = [None if each is None else plain_key(each) for each in people]
    return _tags(plain, key=_secret(key, "people"))


def reading_tags(people: Sequence[Label], *, key: Key) -> Tags:
    """The keyed numbers of the readings of each person's key, one row for each person. The first
    fills the row where a key has fewer readings than another one."""
    secret, nobody = _secret(key, "people readings"), (None, None)
    every = [nobody if each is None else key_readings(each) for each in people]
    first = _tags([each[0] for each in every], key=secret)
    out = np.repeat(first[:, None], max(map(len, every), default=2), axis=1)
    for at in range(1, out.shape[1]):
        own = [who for who, each in enumerate(every) if len(each) > at and each[at] != each[0]]
        out[own, at] = _tags([every[who][at] for who in own], key=secret)
    return out


def record_people(
    batches: Iterable[Mapping[str, NDArray[np.object_]]],
    *,
    key: Key,
    person: str,
    fields: Sequence[str],
    sensitive: Sequence[str] = (),
    release: str = "",
    not_judged: Sequence[str] = (),
) -> PeopleRecord:
    """The record of released rows: batches of columns, of which `person` identifies the person of
    each row.

    A row of nobody is left out, and named as not judged: it protects nobody, and if it is about
    somebody, nobody knows whom."""
    rows = TableRows(
        batches=batches, person=person, fields=tuple(fields), sensitive=tuple(sensitive)
    )
    made = record_tables([rows], key=key, not_judged=not_judged)
    return replace(made, release=release, person=person)


@dataclass(frozen=True, eq=False, kw_only=True)
class TableRows:
    """The released rows of one table: batches of columns, the person of each row, fields that are
    known and sensitive ones. `name` precedes fields where there are several tables. Rows of a
    reference table are nobody's; `person` is then empty."""

    batches: Iterable[Mapping[str, NDArray[np.object_]]] = field(repr=False)
    person: str
    fields: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    name: str = ""
    counted: bool = True
    """Whether a recipient may know how many rows somebody has."""
    uncounted: tuple[str, ...] = ()
    """Further released fields, of which no cell is read."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """Released fields that hold keys, each with the name of the key: equal keys link rows. That of
    the person is left out."""
    own_key: str = ""
    """Of a reference table, the field that others link to."""

    def called(self, name: str) -> str:
        return f"{self.name}.{name}" if self.name else name


def record_tables(
    tables: Sequence[TableRows], *, key: Key, not_judged: Sequence[str] = ()
) -> PeopleRecord:
    """The record of the released rows of several tables; of one, where each person has one row,
    also its labels. Otherwise a bin is the form of a person's rows over all tables: their labels,
    and which of them keys link."""
    keys: dict[str, _Coded] = {}
    every = [_CodedRows.of(table, keys) for table in tables]
    coded = [each for each in every if each.table.person]
    references = [each for each in every if not each.table.person]
    tables = [each.table for each in coded]
    reasons = list(not_judged)
    nobody = sum(each.nobody for each in coded)
    if nobody:
        reasons.append(f"{counted(nobody, 'row')} without a person")
    names = sorted({plain_key(name) for each in coded for name in each.people})
    tags = person_tags(names, key=key)
    order = np.argsort(tags, kind="stable")
    ordered = tags[order]
    if (ordered[1:] == ordered[:-1]).any():
        raise Mistake(
            "The record cannot distinguish the people of this release.",
            found="Two of them have one keyed number.",
            attempt="another key.",
        )
    number = dict(zip([names[at] for at in order.tolist()], range(len(names)), strict=True))
    whose = [each.numbered(number) for each in coded]
    single = len(coded) == 1 and len(whose[0]) == len(names)
    if single:
        labels, bin_of, overlaps, values = _one_row_each(coded[0], whose[0], key=key)
    else:
        bin_of = _forms(coded, whose, references, keys, people=len(names))
        labels, overlaps = np.zeros((int(bin_of.max(initial=-1)) + 1, 0), np.int32), {}
        values = _sets_of_values(coded, whose, key=key, people=len(names))
    return PeopleRecord(
        release="",
        person=tables[0].person,
        fields=tuple(table.called(name) for table in tables for name in table.fields),
        key_check=key_check(key),
        tags=ordered,
        bin_of=bin_of,
        labels=labels,
        overlaps=overlaps,
        sensitive=values,
        not_judged=tuple(reasons),
        uncounted=tuple(table.called(name) for table in tables for name in table.uncounted),
        readings=reading_tags(names, key=key)[order],
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _CodedRows:
    """Rows with numbers in place of cells: the person, the fields and the sensitive fields."""

    table: TableRows
    rows: Numbers
    people: Mapping[str, int]
    columns: list[_Coded]
    nobody: int
    """How many rows have no person."""

    @classmethod
    def of(cls, table: TableRows, keys: dict[str, _Coded]) -> Self:
        """Code the rows of a table. The numbers of `keys` are those of all tables."""
        names = (*table.fields, *table.sensitive, *table.keys)
        columns, people = [_Coded() for _ in (*table.fields, *table.sensitive)], _Coded()
        columns += [keys.setdefault(called, _Coded()) for called in table.keys.values()]
        parts: list[Numbers] = []
        for batch in table.batches:
            codes = [each.codes(batch[name]) for each, name in zip(columns, names, strict=True)]
            if table.person:
                parts.append(np.stack([people.codes(batch[table.person]), *codes]))
            else:
                parts.append(np.stack([np.zeros(len(codes[0]), np.int32), *codes]))
        none = np.zeros((1 + len(columns), 0), np.int32)
        rows = np.concatenate(parts, axis=1) if parts else none
        known = {
            name: code
            for name, code in people.values.items()
            if name is not None and plain_key(name)
        }
        nobody = sorted(set(people.values.values()) - set(known.values()))
        owned = rows[:, ~np.isin(rows[0], nobody)] if nobody else rows
        missing = rows.shape[1] - owned.shape[1]
        return cls(table=table, rows=owned, people=known, columns=columns, nobody=missing)

    def numbered(self, number: Mapping[str, int]) -> NDArray[np.int64]:
        """The number of each row's person."""
        place = np.zeros(max(self.people.values(), default=0) + 1, np.int64)
        for name, code in self.people.items():
            place[code] = number[plain_key(name)]
        return np.asarray(place[self.rows[0]])

    @property
    def labels(self) -> Numbers:
        return self.rows[1 : 1 + len(self.table.fields)]

    def values(self) -> Iterator[tuple[str, _Coded, Numbers]]:
        """Each sensitive field: its name, its values, and the code of each row."""
        start = len(self.table.fields)
        for at, name in enumerate(self.table.sensitive, start):
            yield name, self.columns[at], self.rows[1 + at]

    def key_codes(self) -> Iterator[tuple[str, str, Numbers]]:
        """Each field of keys: its name, that of the key, and the number of each row's key, -1
        without one."""
        start = 1 + len(self.table.fields) + len(self.table.sensitive)
        for at, (name, called) in enumerate(self.table.keys.items(), start):
            none = self.columns[at - 1].values.get(None, -1)
            yield name, called, np.where(self.rows[at] == none, -1, self.rows[at])

    def tokens(self) -> Numbers:
        """A number for each row, the same for the same labels and the same keys that are there."""
        there = [(codes >= 0).astype(np.int32)[None] for _, _, codes in self.key_codes()]
        return _distinct(np.concatenate([self.labels, *there]))[1]


def _one_row_each(
    table: _CodedRows, whose: NDArray[np.int64], *, key: Key
) -> tuple[Numbers, Numbers, dict[int, Numbers], dict[str, SensitiveValues]]:
    """Labels, bins, overlaps and values of one table in which each person has one row."""
    order = np.argsort(whose, kind="stable")
    labels, bin_of_row = _distinct(table.labels)
    overlaps = {
        at: pairs
        for at, column in enumerate(table.columns[: len(table.table.fields)])
        if (pairs := overlapping(list(column.values))) is not None
    }
    values = {
        name: SensitiveValues(
            tags=value_tags(name, list(column.values), key), value_of=codes[order]
        )
        for name, column, codes in table.values()
    }
    return labels, bin_of_row[order], overlaps, values


def _forms(
    coded: Sequence[_CodedRows],
    whose: Sequence[NDArray[np.int64]],
    references: Sequence[_CodedRows],
    keys: Mapping[str, _Coded],
    *,
    people: int,
) -> Numbers:
    """The bin of each person: people whose rows of all tables have the same labels and links are
    in one; as often, where a recipient may know how many somebody has."""
    ends = np.cumsum([0, *(len(each.values) for each in keys.values())]).tolist()
    first = dict(zip(keys, ends, strict=False))
    nobody = [np.zeros(0, np.int64)] * len(references)
    tables: list[OwnedRows] = []
    start = 0
    for table, own in zip((*coded, *references), (*whose, *nobody), strict=True):
        tokens = table.tokens().astype(np.int64) + start
        start = int(tokens.max(initial=start - 1)) + 1
        linked = {
            name: np.where(codes >= 0, codes.astype(np.int64) + first[called], -1)
            for name, called, codes in table.key_codes()
        }
        rows = table.table
        tables.append(
            OwnedRows(
                whose=own,
                labels=tokens,
                keys=linked,
                counted=rows.counted,
                own_key=rows.own_key,
                has_labels=bool(rows.fields),
            )
        )
    return forms_of_people(tables[: len(coded)], tables[len(coded) :], people=people)


def _sets_of_values(
    coded: Sequence[_CodedRows], whose: Sequence[NDArray[np.int64]], *, key: Key, people: int
) -> dict[str, SensitiveValues]:
    """The set of each person's values of each sensitive field."""
    return {
        table.table.called(name): _value_sets(
            own, codes, value_tags(name, list(column.values), key), people=people
        )
        for table, own in zip(coded, whose, strict=True)
        for name, column, codes in table.values()
    }


def _value_sets(
    whose: NDArray[np.int64], codes: Numbers, tags: Tags, *, people: int
) -> SensitiveValues:
    """The set of values of each person; without a row in the table, a value of its own."""
    absent = np.setdiff1d(np.arange(people), whose)
    owner = np.concatenate([whose, absent])
    value = np.concatenate([codes.astype(np.int64), np.full(len(absent), len(tags))])
    pairs = np.unique(np.stack([owner, value], axis=1), axis=0)
    set_of, sets = multisets(pairs[:, 0], pairs[:, 1], people=people)
    members = [(number, each) for number, inside in enumerate(sets) for each in inside]
    return SensitiveValues(
        tags=np.append(tags, NO_ROW),
        value_of=set_of,
        members=np.array(members, np.int32).reshape(-1, 2),
    )


class _Coded:
    """The values of a field, each with a number in the order of occurrence."""

    def __init__(self) -> None:
        self.values: dict[Label, int] = {}

    def codes(self, column: NDArray[np.object_]) -> Numbers:
        known = self.values
        return np.array([known.setdefault(each, len(known)) for each in column.tolist()], np.int32)


def _secret(key: Key, domain: str) -> bytes:
    return key.derive(PURPOSE, domain).digest(b"numbers")


def _tags(values: Sequence[Label], *, key: bytes) -> Tags:
    """A keyed number of 64 bits for each value; null has one of its own."""
    texts = (
        b"\0" if each is None else b"=" + each.encode("utf-8", "surrogatepass") for each in values
    )
    made = b"".join(hashlib.blake2b(text, key=key, digest_size=8).digest() for text in texts)
    return np.frombuffer(made, np.uint64).copy()


def _distinct(columns: Numbers) -> tuple[Numbers, Numbers]:
    """The distinct tuples of columns, and the place of each row's among them."""
    rows = columns.shape[1]
    numbers = np.zeros(rows, np.int64)
    for column in columns:
        width = int(column.max()) + 1 if rows else 1
        _, numbers = np.unique(numbers * width + column, return_inverse=True)
    _, first, place = np.unique(numbers, return_index=True, return_inverse=True)
    return np.ascontiguousarray(columns[:, first].T), place.astype(np.int32)


def value_tags(name: str, values: Sequence[Label], key: Key) -> Tags:
    """The keyed numbers of a sensitive field's values."""
    return _tags(values, key=_secret(key, f"values of {name}"))


def _optional(
    arrays: Mapping[str, NDArray[Any]], name: str, kind: type[np.generic]
) -> NDArray[Any] | None:
    return arrays[name].astype(kind, casting="safe") if name in arrays else None
