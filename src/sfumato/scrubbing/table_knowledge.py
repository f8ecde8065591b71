"""Letters that belong to tables: each person's values in the tables' policy and source, so that
both are consistent.

Dates move by as many days as the person's dates in the tables' release, and names and numbers get
the replacements of that release. The person of a letter is called as the policy's entity has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sfumato.engines import Engine, open_source
from sfumato.errors import Mistake
from sfumato.policy import (
    DateShift,
    Field,
    Method,
    Policy,
    Role,
    person_field,
    person_table,
    read_policy,
)
from sfumato.releases import offset
from sfumato.releases.identifiers import Key, Replacer, replacement_lookup
from sfumato.releases.texts import kind_of_field, person_of
from sfumato.text import ReferenceKind, words_in

from .request import Cues

_GIVEN = (Method.HASH, Method.MADE_UP, Method.SURROGATE)
"""Methods that depend on the key and the values alone; the results of others are not known
here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """The knowledge from tables. `shift` is how their dates move, None where they do not; `given`
    is what they put for each person's names and numbers."""

    per: str
    shift: DateShift | None = None
    cues: Mapping[str, Cues] = field(default_factory=dict, repr=False)
    given: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)

    def days(self, key: Key, people: Iterable[str]) -> dict[str, int]:
        """By how many days each person's dates move; nobody has an entry where the tables keep
        dates as they are.

        Refused where none of the people is in the tables: their letters would agree with nothing.
        """
        people = set(people)
        if self.cues and self.cues.keys().isdisjoint(people):
            raise Mistake(
                f"None of the {len(people):,} people of the letters is in the table of people.",
                attempt=f"--person-from, or --person-column, that names people as {self.per} does.",
            )
        dates = key.derive("dates", self.per)
        shift = self.shift
        return {} if shift is None else {each: offset(dates, each, shift=shift) for each in people}


def beside_tables(path: Path, source: Path | None, *, key: Key | None) -> Beside:
    """Read a policy, and the table of people where it is given: of several tables that with the
    person key."""
    policy = read_policy(path)
    per = person_field(policy) if policy.tables else person_of(policy)
    if per is None:
        raise Mistake(
            f"{path} does not identify the person of a row.",
            attempt='entity = "FIELD", the field that names the person.',
        )
    if key is None:
        raise Mistake(
            "Without a key, letters and tables cannot agree.",
            attempt="the key that the tables were released with.",
        )
    table = person_table(policy) if policy.tables else ""
    fields = policy.tables[table].fields if table else policy.fields
    shifts = [each.shift for each in _every_field(policy) if each.shift is not None]
    shift = next((each for each in shifts if policy.tables or each.per == per), None)
    shift = shift if shift is not None and not shift.is_by_dates else None
    if source is None:
        return Beside(per=per, shift=shift)
    direct = [each for each in fields.values() if each.role is Role.DIRECT]
    with open_source(source, policy=policy) as engine:
        cues, given = _read(engine, direct, per=per, key=key, policy=policy, table=table)
    return Beside(per=per, shift=shift, cues=cues, given=given)


def _every_field(policy: Policy) -> list[Field]:
    return [
        *policy.fields.values(),
        *(each for table in policy.tables.values() for each in table.fields.values()),
    ]


def _read(
    engine: Engine, direct: Iterable[Field], *, per: str, key: Key, policy: Policy, table: str
) -> tuple[dict[str, dict[str, tuple[str, ...]]], dict[str, dict[str, str]]]:
    """By person: what is known, by kind, and what the tables put for it."""
    have = {info.name for info in engine.fields()}
    asked = [each for each in direct if each.name in have]
    if per not in have:
        raise Mistake(
            f"The table of people has no field {per!r}.",
            attempt="the source that the policy is for.",
        )
    kinds = {each.name: kind_of_field(engine, each, table=table) for each in asked}
    replacers = {
        each.name: _replacer(engine, each, key=key, domain=_domain(policy, table, each.name))
        for each in asked
    }
    cues: dict[str, dict[str, tuple[str, ...]]] = {}
    given: dict[str, dict[str, str]] = {}
    names = [each.name for each in asked]
    for batch in engine.distinct(tuple(dict.fromkeys((per, *names)))):
        new = {name: _replaced(replacers[name], batch[name].tolist()) for name in names}
        for row, person in enumerate(batch[per].tolist()):
            known, put = cues.setdefault(str(person), {}), given.setdefault(str(person), {})
            for name in names:
                value = batch[name][row]
                if person is None or value is None:
                    continue
                kind = kinds[name]
                known[kind] = tuple(dict.fromkeys((*known.get(kind, ()), value)))
                if value in new[name] and _is_name_or_number(kind):
                    put[value] = new[name][value]
    return cues, {person: _fitting(put) for person, put in given.items()}


def _replacer(engine: Engine, decided: Field, *, key: Key, domain: str) -> Replacer | None:
    """The replacer of a field; all its values are drawn once in their order, as for the release."""
    method = decided.replace.method if decided.replace is not None else Method.REMOVE
    if method is Method.LOOKUP:
        raise Mistake(
            f"{decided.name} is replaced from a lookup file, which scrubbing does not read.",
            attempt='replace = "made-up" or a surrogate, or letters scrubbed without --known.',
        )
    if method not in _GIVEN:
        return None
    lookup, replacer = replacement_lookup(engine, decided, key=key, lookup_file=None, domain=domain)
    for _ in lookup.batches():
        pass
    return replacer


def _domain(policy: Policy, table: str, name: str) -> str:
    """As in the release of several tables: keys of one name in two tables have pseudonyms of their
    own."""
    alike = [other for other, decided in policy.tables.items() if decided.key == name]
    return f"{table}.{name}" if len(alike) > 1 and table in alike else name


def _replaced(replacer: Replacer | None, values: list[str | None]) -> dict[str, str]:
    there = sorted({value for value in values if value is not None})
    return (
        dict(zip(there, replacer.replace(there), strict=True))
        if replacer is not None and there
        else {}
    )


def _is_name_or_number(kind: str) -> bool:
    return kind in tuple(ReferenceKind) and (
        ReferenceKind(kind) is ReferenceKind.NAME or ReferenceKind(kind).is_number
    )


def _fitting(put: Mapping[str, str]) -> dict[str, str]:
    """The replacement, unless a part of one of the person's originals is in it."""
    own = {word.casefold() for value in put for word in words_in(value) if len(word) > 1}
    return {
        old: new
        for old, new in put.items()
        if own.isdisjoint(word.casefold() for word in words_in(new))
    }
