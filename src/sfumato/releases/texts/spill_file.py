"""Records that do not fit into memory, spilled to an unlinked temporary file that nobody else can
open."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from tempfile import SpooledTemporaryFile
from typing import Any

IN_MEMORY = 32 << 20


class Spill:
    """Records in the order in which they were put, to be read any number of times; by their place
    too.

    Up to 32 MB stay in memory. More are spilled to an unlinked file, which is removed with the
    process, whatever ends it.

    Example:
        >>> with_two = Spill()
        >>> [with_two.put(record) for record in ("a", "b")][0], list(with_two)
        (0, ['a', 'b'])
    """

    def __init__(self, records: Iterable[Any] = ()) -> None:
        self._file: Any = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 -- closed with this object
        self._end = 0
        for record in records:
            self.put(record)

    def put(self, record: Any) -> int:
        """Append a record; its place."""
        start = self._end
        self._file.seek(start)
        pickle.dump(record, self._file, protocol=pickle.HIGHEST_PROTOCOL)
        self._end = self._file.tell()
        return start

    def at(self, place: int) -> Any:
        self._file.seek(place)
        return pickle.load(
            self._file
        )  # Our own records, from a file that only this process can open.

    def __iter__(self) -> Iterator[Any]:
        place = 0
        while place < self._end:
            record = self.at(place)
            place = self._file.tell()
            yield record

    def close(self) -> None:
        self._file.close()

    def __del__(self) -> None:
        self.close()
