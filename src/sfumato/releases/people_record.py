"""What the holder keeps of a release to know later whose each row was: the people record.

A released table does not say whose a row is, and must not. The record does, for the holder alone:
one keyed number per person, the number of the bin that the person is in, and one keyed number per
sensitive value. It holds no cell value. Whoever has the record and the key learns which people have
the same released values; whoever has the record alone learns how bins of later releases overlap.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
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

Numbers = NDArray[np.int32]
Tags = NDArray[np.uint64]

FORMAT: Final = 1
PURPOSE: Final = "ledger"
ABSENT: Final = -1


@dataclass(frozen=True, eq=False, kw_only=True)
class SensitiveValues:
    """One sensitive field of the released people: keyed numbers of its values, and the place of
    each person's value among them."""

    tags: Tags = field(repr=False)
    value_of: Numbers = field(repr=False)


@dataclass(frozen=True, eq=False, kw_only=True)
class PeopleRecord:
    """Who is in which bin of one release. `tags` are sorted, one per person; `bin_of` is parallel.

    `labels` has the codes of each bin's labels, one column per field, and `overlaps` the pairs of
    codes of a field that can be about the same value; a field without an entry is one whose
    overlaps are not known, and whose labels are compared as they are. Where people have several
    rows, a bin is a multiset of label tuples, and `labels` has no columns."""

    release: str
    """The digest of the manifest."""
    person: str
    """The field of the source that says whose a row is."""
    fields: tuple[str, ...]
    key_check: str
    tags: Tags = field(repr=False)
    bin_of: Numbers = field(repr=False)
    labels: Numbers = field(repr=False)
    overlaps: Mapping[int, Numbers] = field(default_factory=dict, repr=False)
    sensitive: Mapping[str, SensitiveValues] = field(default_factory=dict, repr=False)
    not_judged: tuple[str, ...] = ()
    """Why the record cannot stand for all that was released, in words; empty where it can."""

    @property
    def people(self) -> int:
        return len(self.tags)

    def facts(self) -> dict[str, Any]:
        """What can be said of it without any number about a person."""
        return {
            "format": FORMAT,
            "release": self.release,
            "person": self.person,
            "fields": list(self.fields),
            "sensitive": list(self.sensitive),
            "key_check": self.key_check,
            "not_judged": list(self.not_judged),
        }

    def content(self) -> bytes:
        """The record as the bytes of an .npz file."""
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
                )
                for at, name in enumerate(facts["sensitive"])
            },
            not_judged=tuple(map(str, facts["not_judged"])),
        )

    def _check(self) -> None:
        """Numbers lead to what is there, and nobody stands twice; ValueError where not."""
        bins = len(self.labels)
        ends = [(self.bin_of, bins)]
        ends += [(values.value_of, len(values.tags)) for values in self.sensitive.values()]
        in_range = all(
            part.shape == self.tags.shape and (part >= 0).all() and (part < end).all()
            for part, end in ends
        )
        is_sorted = bool((self.tags[1:] > self.tags[:-1]).all())
        fits = self.labels.ndim == 2 and self.labels.shape[1] in (0, len(self.fields))
        if not in_range or not is_sorted or not fits or (self.labels < 0).any():
            raise ValueError("no record")

    def save(self, path: Path) -> None:
        """Write it to a new file that only its owner may read."""
        create_secret(path, self.content())

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file that only its owner may read."""
        if not path.is_file():
            raise Mistake(
                f"A people record was to be read from {path}.",
                found="There is no such file.",
                attempt="the file that `sfumato release --keep-people` wrote.",
            )
        check_owner_only(path)
        return cls.of_content(path.read_bytes(), where=str(path))


def key_check(key: Key) -> str:
    """A number by which two records are seen to be of one key; it does not lead to the key."""
    return key.derive(PURPOSE, "check").digest(b"people record").hex()[:32]


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
    """The record of released rows: batches of columns, of which `person` says whose each row is.

    A row of nobody is left out, and named as not judged: it protects nobody, and if it is about
    somebody, nobody knows whom."""
    columns = [_Coded() for _ in (*fields, *sensitive)]
    people = _Coded()
    parts: list[Numbers] = []
    for batch in batches:
        whose = people.codes(batch[person])
        parts.append(
            np.stack(
                [
                    whose,
                    *(
                        c.codes(batch[n])
                        for c, n in zip(columns, (*fields, *sensitive), strict=True)
                    ),
                ]
            )
        )
    rows = np.concatenate(parts, axis=1) if parts else np.zeros((1 + len(columns), 0), np.int32)
    reasons, values = list(not_judged), {}
    nobody = people.values.get(None)
    if nobody is not None:
        rows = rows[:, rows[0] != nobody]
        reasons.append("rows without a person")
    tags = _tags([value for value in people.values], key=_secret(key, "people"))
    width = len(fields)
    labels, bin_of_row = _distinct(rows[1 : 1 + width])
    order, first, persons = _by_person(tags[rows[0]] if len(tags) else np.zeros(0, np.uint64))
    if len(persons) != len(set(rows[0].tolist())):
        raise Mistake(
            "The people of this release cannot be distinguished in a record.",
            found="Two of them have one keyed number.",
            attempt="another key.",
        )
    if len(persons) == rows.shape[1]:
        bin_of = bin_of_row[order]
        for at, name in enumerate(sensitive):
            coded = columns[width + at]
            values[name] = SensitiveValues(
                tags=_tags(list(coded.values), key=_secret(key, f"values of {name}")),
                value_of=rows[1 + width + at][order],
            )
    else:
        labels, bin_of = _multisets(bin_of_row[order], first)
        reasons += [f"sensitive values of people with several rows: {n}" for n in sensitive]
    known = {
        at: pairs
        for at, coded in enumerate(columns[:width])
        if labels.shape[1] and (pairs := overlapping(list(coded.values))) is not None
    }
    return PeopleRecord(
        release=release,
        person=person,
        fields=tuple(fields),
        key_check=key_check(key),
        tags=persons,
        bin_of=bin_of,
        labels=labels,
        overlaps=known,
        sensitive=values,
        not_judged=tuple(reasons),
    )


class _Coded:
    """The values of a field, each with a number in the order in which they came."""

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


def _by_person(tags: Tags) -> tuple[NDArray[np.int64], NDArray[np.int64], Tags]:
    """Rows in the order of their people's numbers, where each person's begin, and the people."""
    order = np.argsort(tags, kind="stable")
    persons, first = np.unique(tags[order], return_index=True)
    return order, first, persons


def _multisets(bins: Numbers, first: NDArray[np.int64]) -> tuple[Numbers, Numbers]:
    """People with several rows: those with the same bins, as often, are in one."""
    known: dict[bytes, int] = {}
    place = [
        known.setdefault(np.sort(part).tobytes(), len(known)) for part in np.split(bins, first[1:])
    ]
    return np.zeros((len(known), 0), np.int32), np.array(place, np.int32)
