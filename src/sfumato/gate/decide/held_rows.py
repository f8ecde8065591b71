"""The rows of one table as a gate keeps them. Fields are codes into their values; each row has its
cohort, and one row represents each person.

A gate answers from these rows and not from the source. People who left the source stay in answers
until enough others have left with them (`cohorts.py`)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import group
from sfumato.engines import Engine, FieldKind
from sfumato.errors import ReleaseBroken, SourceError
from sfumato.hierarchies import Codes, Label
from sfumato.policy import Policy, Role, check_against

Wholes = NDArray[np.int64]
Marks = NDArray[np.bool_]
FORMAT: Final = 1


@dataclass(frozen=True, eq=False, kw_only=True)
class HeldRows:
    """Rows with their fields in the order of the policy, the person key last where it is no field
    that is shown."""

    fields: tuple[str, ...]
    kinds: Mapping[str, FieldKind]
    """As the source declares them."""
    values: Mapping[str, tuple[Label, ...]] = field(repr=False)
    codes: Mapping[str, Codes] = field(repr=False)
    person: str = ""
    cohort: NDArray[np.int32] = field(repr=False)
    read_as: Mapping[str, FieldKind] = field(default_factory=dict)
    """The kind that each field has at the gate, once it was held."""
    stands: Marks | None = field(default=None, repr=False)
    places: Wholes | None = field(default=None, repr=False)
    """The places of these rows among those they were taken from."""

    def __len__(self) -> int:
        return len(self.cohort)

    @classmethod
    def read(cls, engine: Engine, policy: Policy) -> HeldRows:
        """All rows of a source; fields that are direct identifiers or free text are not read."""
        infos = {info.name: info for info in engine.fields()}
        check_against(policy, tuple(infos))
        held = [n for n in policy.fields if policy.fields[n].role not in (Role.DIRECT, Role.TEXT)]
        person = [policy.entity] if policy.entity else []
        if not held:
            raise SourceError(
                f"{engine.title} has no field that could be shown.",
                attempt="other roles in the policy.",
            )
        found = engine.frequencies((*held, *(n for n in person if n not in held)))
        order = np.argsort(
            group(found.codes, [len(values) for values in found.values])[0]
        )  # However an engine has them.
        rows = np.repeat(order, found.counts[order])
        if not len(rows):
            raise SourceError(
                f"{engine.title} holds no row.", attempt="a table with at least one row."
            )
        return cls(
            fields=tuple(found.fields),
            kinds={n: infos[n].kind for n in found.fields},
            values=dict(zip(found.fields, found.values, strict=True)),
            codes={n: found.codes[rows, place] for place, n in enumerate(found.fields)},
            person=policy.entity or "",
            cohort=np.zeros(len(rows), np.int32),
        )

    def only(self, marks: Marks) -> HeldRows:
        """Some of the rows."""
        return replace(
            self,
            codes={name: codes[marks] for name, codes in self.codes.items()},
            cohort=self.cohort[marks],
            stands=None if self.stands is None else self.stands[marks],
            places=np.flatnonzero(marks),
        )

    def beside(self, other: HeldRows) -> HeldRows:
        """These rows and then those of another state of the table, in their own cohorts."""
        values, codes = {}, {}
        for name in self.fields:
            values[name], mine, theirs = _aligned(self, other, name)
            codes[name] = np.concatenate([mine, theirs])
        stands = None
        if self.stands is not None and other.stands is not None:
            stands = np.concatenate([self.stands, other.stands])
        cohort = np.concatenate([self.cohort, other.cohort])
        return replace(self, values=values, codes=codes, cohort=cohort, stands=stands, places=None)

    def people(self) -> list[Label]:
        """The person key of each row."""
        keys = self.values[self.person]
        return [keys[code] for code in self.codes[self.person].tolist()]

    def packed(self) -> Iterator[bytes]:
        """For a file; `unpacked` reads it."""
        stands = np.ones(len(self), bool) if self.stands is None else self.stands
        facts = {
            "format": FORMAT, "fields": self.fields, "person": self.person, "rows": len(self),
            "kinds": {name: kind.value for name, kind in self.kinds.items()},
            "read_as": {name: kind.value for name, kind in self.read_as.items()},
            "values": [self.values[name] for name in self.fields], "stands": self.stands is not None,
        }  # fmt: skip
        told = json.dumps(facts, ensure_ascii=False).encode("utf-8", "surrogatepass")
        yield len(told).to_bytes(8, "big") + told
        for name in self.fields:
            yield self.codes[name].astype("<i4").tobytes()
        yield self.cohort.astype("<i4").tobytes()
        yield stands.astype(np.uint8).tobytes()

    @classmethod
    def unpacked(cls, data: bytes) -> HeldRows:
        size = int.from_bytes(data[:8], "big")
        facts: dict[str, Any] = json.loads(data[8 : 8 + size].decode("utf-8", "surrogatepass"))
        if facts["format"] != FORMAT:
            raise ReleaseBroken("The gate's rows are of another version of Sfumato.")
        rows, at = facts["rows"], 8 + size

        def numbers() -> NDArray[np.int32]:
            nonlocal at
            found = np.frombuffer(data, "<i4", rows, at).astype(np.int32)
            at += 4 * rows
            return found

        codes = {name: numbers() for name in facts["fields"]}
        cohort = numbers()
        stands = np.frombuffer(data, np.uint8, rows, at).astype(bool)
        named = zip(facts["fields"], facts["values"], strict=True)
        return cls(
            fields=tuple(facts["fields"]),
            kinds={name: FieldKind(kind) for name, kind in facts["kinds"].items()},
            read_as={name: FieldKind(kind) for name, kind in facts["read_as"].items()},
            values={name: tuple(values) for name, values in named},
            codes=codes,
            person=facts["person"],
            cohort=cohort,
            stands=stands if facts["stands"] else None,
        )


def recoded(values: Sequence[Label], codes: Codes) -> tuple[tuple[Label, ...], Codes]:
    """The different ones of some values, and the codes into them.

    Example:
        >>> recoded(("7", None, None), np.array([2, 0, 1], np.int32))
        (('7', None), array([1, 0, 1], dtype=int32))
    """
    different = tuple(dict.fromkeys(values))
    place = {value: code for code, value in enumerate(different)}
    return different, np.array([place[value] for value in values], np.int32)[codes]


def differences(held: HeldRows, now: HeldRows) -> tuple[Marks, Marks]:
    """Marks of the rows of people whom the source no longer has as they were, and marks of the new
    rows of the source. A person with any row that is new, gone or changed differs with all of them;
    without a person key every row is a person.

    Example:
        >>> one = rows_of_columns({"id": ["a", "b"], "test": ["1", "2"]}, person="id")
        >>> two = rows_of_columns({"id": ["a", "b", "c"], "test": ["1", "3", "4"]}, person="id")
        >>> [marks.tolist() for marks in differences(one, two)]
        [[False, True], [False, True, True]]
    """
    rows, first = _row_numbers(held, now)
    mine, theirs = rows[: len(held)], rows[len(held) :]
    if not held.person:
        before, after = (np.bincount(each, minlength=len(first)) for each in (mine, theirs))
        return _rank(mine) >= after[mine], _rank(theirs) >= before[theirs]
    values, own, other = _aligned(held, now, held.person)
    pairs, before = np.unique(own.astype(np.int64) * len(first) + mine, return_counts=True)
    later, after = np.unique(other.astype(np.int64) * len(first) + theirs, return_counts=True)
    changed = np.zeros(len(values), bool)
    for one, many, second, much in (
        (pairs, before, later, after),
        (later, after, pairs, before),
    ):
        place = np.minimum(np.searchsorted(second, one), len(second) - 1)
        alike = (second[place] == one) & (much[place] == many)
        changed[one[~alike] // len(first)] = True
    return changed[own], changed[other]


def rows_of_columns(columns: Mapping[str, Sequence[Label]], *, person: str = "") -> HeldRows:
    """Rows of text cells, for examples and tests."""
    made = {
        name: recoded(tuple(cells), np.arange(len(cells), dtype=np.int32))
        for name, cells in columns.items()
    }
    return HeldRows(
        fields=tuple(columns),
        kinds=dict.fromkeys(columns, FieldKind.TEXT),
        values={name: values for name, (values, _) in made.items()},
        codes={name: codes for name, (_, codes) in made.items()},
        person=person,
        cohort=np.zeros(len(next(iter(columns.values()))), np.int32),
    )


def _aligned(
    one: HeldRows, other: HeldRows, name: str
) -> tuple[tuple[Label, ...], NDArray[np.int32], NDArray[np.int32]]:
    """The values of a field in both, and the codes of each."""
    values = tuple(dict.fromkeys((*one.values[name], *other.values[name])))
    place = {value: code for code, value in enumerate(values)}
    mine, theirs = (
        np.array([place[value] for value in each.values[name]], np.int32)[each.codes[name]]
        for each in (one, other)
    )
    return values, mine, theirs


def _row_numbers(one: HeldRows, other: HeldRows) -> tuple[Wholes, Wholes]:
    """A number for each row of both, the same where all cells are."""
    columns, sizes = [], []
    for name in one.fields:
        values, mine, theirs = _aligned(one, other, name)
        columns.append(np.concatenate([mine, theirs]))
        sizes.append(len(values))
    number, first = group(np.stack(columns, axis=1), sizes)
    return number, first


def _rank(numbers: Wholes) -> Wholes:
    """Of each number: how many equal ones are before it."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    starts = np.flatnonzero(np.r_[True, np.diff(ordered) != 0]) if len(ordered) else ordered
    out = np.empty(len(numbers), np.int64)
    lengths = np.diff(np.r_[starts, len(ordered)])
    out[order] = np.arange(len(ordered)) - np.repeat(starts, lengths)
    return out
