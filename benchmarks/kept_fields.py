"""How many of the fields that analysts want stay useful under the policy that the survey proposes.

Over the labelled tables in $SFUMATO_DATA/real: each is surveyed and released as it is proposed (k = 5, at
most 5 % of rows left out, 60 CPU seconds), and each field labelled `keep` is measured on what was written:
useful where at most half of its information is lost and no label has over 80 % of the rows, unless one had
in the source. A row left out counts as lost, and so does a field that is not released, or a table that is
refused. `python -m benchmarks kept_fields`, or `python -m benchmarks.kept_fields NAME` for some tables."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import sfumato
from sfumato.bins import Bins
from sfumato.engines import Engine, TableView, open_database, open_source
from sfumato.errors import SfumatoError
from sfumato.hierarchies import Hierarchy
from sfumato.policy import Field, Role

from .data import DATA, have

Counts = Mapping[str | None, int]


def main(names: Sequence[str] = ()) -> None:
    if not have("real"):
        return
    place = DATA / "real"
    useful = total = 0
    for file in sorted(place.glob("*.roles.json")):
        name = file.name.removesuffix(".roles.json")
        if names and name not in names:
            continue
        labels = json.loads(file.read_text(encoding="utf-8"))
        began = time.process_time()
        found = list(_measured(place / labels["table"], labels))
        useful, total = useful + sum(good for _, good, _ in found), total + len(found)
        told = ", ".join(
            f"{field}{'' if good else ' LOST'} {words}" for field, good, words in found
        )
        print(f"{name}: {time.process_time() - began:.0f} CPU s; {told}", flush=True)
    print(f"useful: {useful} of {total} ({useful / max(total, 1):.0%})")


def _measured(source: Path, labels: Mapping[str, Any]) -> Iterator[tuple[str, bool, str]]:
    """Each kept field, whether it is useful, and its figures."""
    with tempfile.TemporaryDirectory(prefix="kept-") as scratch:
        copy = Path(scratch) / source.name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, copy)
        read = {} if source.is_dir() else {"rename_headers": True, **labels.get("read", {})}
        try:
            made = sfumato.release(copy, to=Path(scratch) / "release", **read)
        except SfumatoError as error:
            yield from ((name, False, type(error).__name__) for name in labels["keep"])
            return
        for name in labels["keep"]:
            table, _, field = name.rpartition(".") if made.policy.tables else ("", "", name)
            decided = (made.policy.tables[table] if table else made.policy).fields.get(field)
            yield name, *_use(copy, made, decided, table=table, read=read)


def _use(
    copy: Path, made: Any, decided: Field | None, *, table: str, read: Mapping[str, Any]
) -> tuple[bool, str]:
    path = made.tables.get(table) if table else made.table
    if decided is None or path is None or decided.role in (Role.DIRECT, Role.TEXT):
        return False, "not released"
    if table:
        names = tuple(made.policy.tables)
        with open_database(copy, policy=made.policy, tables=names) as database:
            before = _counts(database.view(TableView(table=table)), decided.name)
    else:
        with open_source(copy, policy=made.policy, **read) as engine:
            before = _counts(engine, decided.name)
    with open_source(path) as engine:
        if decided.name not in {info.name for info in engine.fields()}:
            return False, "not released"
        after = _counts(engine, decided.name)
    rows, released = sum(before.values()), sum(after.values())
    hierarchy = decided.bind(before) if decided.role is Role.QUASI else None
    lost = sum(count * _lost(label, hierarchy, before) for label, count in after.items())
    loss = (lost + rows - released) / rows
    alike = max(after.values(), default=0) / max(released, 1)
    good = loss <= 0.5 and (alike <= 0.8 or max(before.values()) / rows > 0.8)
    return good, f"{loss:.2f}"


def _counts(engine: Engine, name: str) -> dict[str | None, int]:
    bins = Bins.count(engine, (name,))
    labels = [bins.labels[0][code] for code in bins.codes[:, 0]]
    return dict(zip(labels, bins.counts.tolist(), strict=True))


def _lost(label: str | None, hierarchy: Hierarchy | None, before: Counts) -> float:
    """The share of the field's information that a label has lost."""
    if hierarchy is None:
        return 0.0
    level = hierarchy.level_of_label.get(label)
    if level is None:
        return 0.0 if label in before else 1.0
    code = hierarchy.labels[level].index(label)
    return float(hierarchy.leaves[level][code] - 1) / max(hierarchy.values - 1, 1)


if __name__ == "__main__":
    main(sys.argv[1:])
