"""The frames that a release hands out: read from the written files, then counted and inspected like
these. A frame that differs from its file in anything is not handed out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import (
    Engine,
    Frequencies,
    open_database,
    open_source,
    read_released_frame,
)
from sfumato.errors import Bug

from .destinations import Destination, WrittenTables
from .inspection import Inspection, inspect_written

if TYPE_CHECKING:
    from .flow import Flow, RecountedRelease, Stages


def hand_out(
    flow: Flow[Any, Any, Any, Any],
    planned: Any,
    stages: Stages,
    *,
    place: Destination,
    source: Any,
    recounted: RecountedRelease[Any],
    inspection: Inspection,
) -> dict[str, Any]:
    """The written tables as frames of the kind of the source, by name; every verdict was given
    again on the frames themselves."""
    frames = {
        table.name: read_released_frame(
            place.folder / str(place.facts(table.name)["file"]), _came_from(source, table.name)
        )
        for table in stages.tables
    }
    with _opened(frames, place, joined=flow.joins_tables) as handed:
        again = flow.recount(planned, handed)
        seen = inspect_written(
            stages.tables, handed, place=place, texts=planned.texts, quoted=False
        )
        if (again.verdicts, dict(again.rows), tuple(again.broken)) != (
            recounted.verdicts,
            dict(recounted.rows),
            tuple(recounted.broken),
        ):
            raise Bug("the frame was counted, and its verdicts are not those of its file.")
        if (dict(seen.originals), tuple(seen.faults)) != (
            dict(inspection.originals),
            tuple(inspection.faults),
        ):
            raise Bug("the frame was inspected, and has other values than its file.")
        for name in frames:
            with place.opened(name) as written:
                check_same_cells(written, handed.table(name), name=name)
    return frames


def _came_from(source: Any, name: str) -> Any:
    return source.get(name) if isinstance(source, Mapping) else source


@contextmanager
def _opened(
    frames: Mapping[str, Any], place: Destination, *, joined: bool
) -> Iterator[WrittenTables]:
    """The frames, opened like what was written."""
    if joined:
        with open_database(dict(frames)) as database:
            yield WrittenTables(place.folder, database=database)
        return
    (frame,) = frames.values()
    with open_source(frame) as engine:
        yield WrittenTables(place.folder, engine=engine)


MOST_CELLS = 1_000_000
"""Cells up to which whole rows are compared; of a larger table each field by itself, which takes
little memory."""


def check_same_cells(written: Engine, handed: Engine, *, name: str) -> None:
    """Every field of a frame has the values of its file, as often; and every row of a table that is
    not large."""
    names = [info.name for info in written.fields()]
    if names != [info.name for info in handed.fields()]:
        raise Bug(f"the frame of {name} has other fields than its file.")
    differing = [each for each in names if not _is_same(written, handed, [each])]
    if differing:
        raise Bug(f"the frame of {name} has other values than its file in {', '.join(differing)}.")
    few = written.count_rows() * len(names) <= MOST_CELLS
    if few and not _is_same(written, handed, names):
        raise Bug(f"the frame of {name} has other rows than its file.")


def _is_same(written: Engine, handed: Engine, names: Sequence[str]) -> bool:
    before, after = written.frequencies(names), handed.frequencies(names)
    return before.values == after.values and np.array_equal(_sizes(before), _sizes(after))


def _sizes(found: Frequencies) -> NDArray[np.int64]:
    """The tuples of fields in order, each with its count behind it."""
    order = np.lexsort(found.codes.T[::-1])
    return np.column_stack([found.codes, found.counts])[order]
