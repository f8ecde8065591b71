"""How many released rows are in bins under 5 over the fields that a person calls quasi.

Over the labelled tables of one file in $SFUMATO_DATA/real: each is surveyed and released as it is proposed, and what
was written is counted here with a dictionary. Under bounded knowledge, over the register fields and every m of the
others; else over all at once. Fields that accept another role are left out, and so are moved dates and identifiers.
Direct fields of which a value of the source is released are counted too, however few rows have one.
`python -m benchmarks small_bins`, or `python -m benchmarks.small_bins NAME` for some tables."""

from __future__ import annotations

import csv
import json
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import sfumato
from sfumato.bins import Bins
from sfumato.engines import open_source
from sfumato.errors import SfumatoError
from sfumato.policy import Policy, Role

from .data import DATA, have

K = 5


def main(names: Sequence[str] = ()) -> None:
    if not have("real"):
        return
    place = DATA / "real"
    small = total = clear = 0
    for file in sorted(place.glob("*.roles.json")):
        name = file.name.removesuffix(".roles.json")
        labels = json.loads(file.read_text(encoding="utf-8"))
        if (names and name not in names) or (place / labels["table"]).is_dir():
            continue
        found = _released(place / labels["table"], labels)
        if found is None:
            print(f"{name}: refused", flush=True)
            continue
        small, total, clear = small + found[0], total + found[1], clear + found[3]
        print(
            f"{name}: {found[0]:,} of {found[1]:,} rows over {found[2]} sets; "
            f"{found[3]} direct fields with a value in clear",
            flush=True,
        )
    print(f"rows in small bins: {small:,} of {total:,} ({small / max(total, 1):.1%})")
    print(f"direct fields with a value in clear: {clear}")


def _released(source: Path, labels: Mapping[str, Any]) -> tuple[int, int, int, int] | None:
    """Rows in small bins, all rows, the number of sets of fields that were counted, and of direct
    fields with a value in clear."""
    with tempfile.TemporaryDirectory(prefix="small-") as scratch:
        copy = Path(shutil.copy(source, Path(scratch) / source.name))
        read = {"rename_headers": True, **labels.get("read", {})}
        try:
            made = sfumato.release(copy, to=Path(scratch) / "release", **read)
        except SfumatoError:
            return None
        with made.table.open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines))
        sets = list(_sets(made.policy, labels["fields"], tuple(rows[0])))
        few = {row for fields in sets for row in _small(rows, fields, made.policy.entity)}
        clear = sum(
            _roles(labels["fields"], name)[:1] == ["direct"]
            and _is_in_clear(copy, rows, name, read)
            for name in rows[0]
        )
        return len(few), len(rows), len(sets), clear


def _is_in_clear(
    source: Path, rows: Sequence[Mapping[str, str]], name: str, read: Mapping[str, Any]
) -> bool:
    """Whether one row and more has a value of the field that the source has too."""
    with open_source(source, **read) as engine:
        before = {label for label in Bins.count(engine, (name,)).labels[0] if label}
    return len(before) > 1 and any(row[name] in before for row in rows)


def _sets(
    policy: Policy, labels: Mapping[str, Any], released: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    """The sets of labelled quasi fields that somebody may know at once."""
    quasi = [
        name
        for name in released
        if _roles(labels, name)[:1] == ["quasi"]
        and not {"sensitive", "insensitive"} & {*_roles(labels, name)}
        and policy.fields[name].role is not Role.DIRECT
        and policy.fields[name].shift is None
    ]
    bounds = policy.require.each("bounded_knowledge")
    if not bounds:
        yield tuple(quasi)
        return
    register = [name for name in quasi if name in bounds[0].register]
    others = [name for name in quasi if name not in register]
    for known in combinations(others, min(bounds[0].m, len(others))):
        yield (*register, *known)


def _roles(labels: Mapping[str, Any], name: str) -> list[str]:
    return list((labels.get(name) or labels.get(name.strip()) or {}).get("roles", ()))


def _small(
    rows: Sequence[Mapping[str, str]], fields: Sequence[str], entity: str | None
) -> list[int]:
    """The places of rows whose values fewer than K people share."""
    people, places = defaultdict(set), defaultdict(list)
    for place, row in enumerate(rows):
        values = tuple(row[name] for name in fields)
        people[values].add(row[entity] if entity else place)
        places[values].append(place)
    return [
        place for values, all_of in places.items() if len(people[values]) < K for place in all_of
    ]


if __name__ == "__main__":
    main(sys.argv[1:])
