"""The checks of a source before a candidate is assessed against it: whether the candidate was made
from it.

An assessment against another table says nothing about the candidate. The people of the sealed record
must be in the source, with the sensitive values that were released as they are; the source has as
many rows as the manifest says, and every combination of cells that was released as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import numpy as np

from sfumato.engines import Engine, TableView, open_database, open_source
from sfumato.errors import Mistake, PolicyError
from sfumato.keys import Key
from sfumato.policy import Policy, find_person, policy_from_table
from sfumato.releases import (
    PeopleRecord,
    person_tags,
    policy_without_hierarchies,
    value_tags,
)

from .leaked_cells import compared

KEPT: Final = "kept as it is"
"""The manifest's words for a field that was released unchanged."""
ONE_TABLE: Final = "release"


def check_source(
    release: Path,
    source: Any,
    *,
    manifest: Mapping[str, Any],
    record: PeopleRecord | None,
    key: Key | None,
) -> None:
    """Refuse a source that the candidate was not made from. Synthetic rows and counts have no
    people record, and nothing of their source to compare with."""
    if record is None:
        return
    if key is None:
        raise _refused("Its people are compared by keyed numbers.", attempt="--key KEY.")
    policy = _policy(manifest, release)
    with ExitStack() as stack:
        if policy.tables:
            database = stack.enter_context(
                open_database(source, policy=policy, tables=tuple(policy.tables))
            )
            for name, facts in manifest["tables"].items():
                table = stack.enter_context(database.view(TableView(table=name)))
                _check_rows(table, facts, name)
            found = find_person(policy)
            assert found is not None
            person = stack.enter_context(database.view(TableView(table=found[0])))
            _check_people(person, found[1], record, key)
            return
        table = stack.enter_context(open_source(source, policy=policy))
        facts = manifest["tables"].get(ONE_TABLE, {})
        _check_rows(table, facts, "The source")
        _check_people(table, record.person, record, key)
        if manifest.get("steps") or not facts:
            return
        fields = [name for name, words in facts["fields"].items() if words == KEPT]
        _check_values(table, record, key, [name for name in fields if name in record.sensitive])
        file = release / str(facts.get("file", ""))
        if fields and file.is_file():
            _check_cells(table, stack.enter_context(open_source(file)), fields)


def _policy(manifest: Mapping[str, Any], folder: Path) -> Policy:
    try:
        return policy_from_table(manifest["policy"], folder=folder, name="the manifest's policy")
    except PolicyError:
        return policy_without_hierarchies(dict(manifest), folder)


def _check_rows(table: Engine, facts: Mapping[str, Any], name: str) -> None:
    rows, expected = table.count_rows(), facts.get("rows", {}).get("source")
    if expected is not None and rows != expected:
        raise _refused(
            f"{name} has {rows:,} rows, and had {expected:,} when the candidate was made."
        )


def _check_people(table: Engine, person: str, record: PeopleRecord, key: Key) -> None:
    if person not in {info.name for info in table.fields()}:
        raise _refused(f"It has no field {person}, by which the people of the candidate are known.")
    missing = int((~np.isin(record.tags, _people(table, person, key))).sum())
    if missing:
        raise _refused(f"{missing:,} of the candidate's {record.people:,} people are not in it.")


def _check_values(table: Engine, record: PeopleRecord, key: Key, names: Sequence[str]) -> None:
    """People have the sensitive values of their records, where each has one."""
    for name in names:
        values = record.sensitive[name]
        if values.members is not None or values.bin_of is not None or values.tolerance is not None:
            continue
        people = _people(table, record.person, key)
        cells = value_tags(name, _column(table, name), key)
        there = set(zip(people.tolist(), cells.tolist(), strict=True))
        own = zip(record.tags.tolist(), values.tags[values.value_of].tolist(), strict=True)
        other = sum(pair not in there for pair in own)
        if other:
            raise _refused(f"{other:,} people have another value of {name} in it.")


def _check_cells(source: Engine, released: Engine, fields: Sequence[str]) -> None:
    """Every combination of cells that were released as they are occurs in the source as often."""
    kinds = [{info.name: info.kind for info in each.fields()} for each in (source, released)]
    same = [name for name in fields if name in kinds[0] and kinds[0][name] == kinds[1].get(name)]
    if not same:
        return
    missing = sum((_rows(released, same) - _rows(source, same)).values())
    if missing:
        raise _refused(
            f"{missing:,} released rows have cells of {', '.join(same)} that it does not have."
        )


def _rows(table: Engine, fields: Sequence[str]) -> Counter[tuple[str, ...]]:
    out: Counter[tuple[str, ...]] = Counter()
    for batch in table.spread_rows(fields):
        columns = [_texts(batch[f"cell:{name}"]) for name in fields]
        out.update(zip(*columns, strict=True))
    return out


def _texts(cells: Iterable[object]) -> list[str]:
    return ["" if cell is None else compared(str(cell)) for cell in cells]


def _people(table: Engine, person: str, key: Key) -> Any:
    return person_tags(_column(table, person), key=key)


def _column(table: Engine, name: str) -> list[Any]:
    return [cell for batch in table.spread_rows([name]) for cell in batch[f"cell:{name}"]]


def _refused(found: str, *, attempt: str = "") -> Mistake:
    return Mistake(
        "A candidate was to be assessed again with its source.",
        found=found,
        attempt=attempt
        or "the source as it was when the candidate was made; or make the candidate again from this "
        "one, and submit that.",
    )
