"""The process in which a file that somebody brought is read. It is started for one file, with
limits on all it may use.

A file can be made to break its reader. It may unpack into far more than it is, state a false size,
or exploit a fault of the reader. Then this process dies, and not the gate. It prints its result as
JSON and nothing else."""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sfumato.errors import NotAdmitted, SourceError

MEMORY: Final = 2 << 30
"""Bytes of address space: some 1.2 GB of them are Python and the reader, before anything is
read."""
PROCESSOR: Final = 20
"""Seconds of one core."""
WRITES: Final = 256 << 20
"""Bytes of a file that the reader may write beside what it reads."""
FILES: Final = 128
LONGEST_CELL: Final = 10_000
"""Characters."""
_READER: Final = "512MB"
_LIMITS: Final = {
    resource.RLIMIT_AS: MEMORY,
    resource.RLIMIT_CPU: PROCESSOR,
    resource.RLIMIT_FSIZE: WRITES,
    resource.RLIMIT_NOFILE: FILES,
    resource.RLIMIT_CORE: 0,
}


def main() -> None:
    """Read the request from standard input, and print the result on standard output."""
    limit()
    asked = json.load(sys.stdin)
    try:
        told: Mapping[str, Any] = {"records": read(asked["path"], asked["on"], most=asked["most"])}
    except NotAdmitted as refused:
        told = {"code": refused.code, "asked": refused.asked, "found": refused.found}
    except (SourceError, MemoryError):
        told = {"code": "not-a-table"}
    sys.stdout.write(json.dumps(told))


def limit() -> None:
    """Take limits that cannot be taken back. One core, so that readers do not ask for memory for
    each of many."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for which, wanted in _LIMITS.items():
        _, most = resource.getrlimit(which)
        least = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        resource.setrlimit(which, (least, least))


def read(path: str, on: Sequence[str], *, most: int) -> list[list[str | None]]:
    """The different records of a file in some of its fields, in the order of their names as
    asked."""
    from sfumato.engines import open_source
    from sfumato.parts import with_question

    with open_source(path, memory=_READER) as engine:
        names = [info.name for info in engine.fields()]
        for each in on:
            if each not in names:
                raise NotAdmitted(
                    with_question(f"The file has no field {each!r}.", each, names),
                    code="link-fields",
                )
        if engine.count_rows() > most:
            raise NotAdmitted(
                "Too many records were sent at once.",
                code="too-long",
                found=f"At most {most:,} are allowed.",
            )
        found = engine.frequencies(tuple(on))
    if any(
        value is not None and len(value) > LONGEST_CELL
        for values in found.values
        for value in values
    ):
        raise NotAdmitted(
            "A cell of the file is too long.",
            code="too-long",
            found=f"At most {LONGEST_CELL:,} characters are allowed.",
        )
    columns = [
        [values[code] for code in found.codes[:, place].tolist()]
        for place, values in enumerate(found.values)
    ]
    order = [found.fields.index(name) for name in on]
    return [[cells[place] for place in order] for cells in zip(*columns, strict=True)]


if __name__ == "__main__":
    main()
