"""Output that continues when its reader has closed the pipe: `sfumato survey ... | head` still does
all of its work."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO


class _Pipe(io.RawIOBase):
    """A file that is written to as long as somebody reads it; the rest is dropped."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._gone = False

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._number

    def isatty(self) -> bool:
        return os.isatty(self._number)

    def write(self, data: object) -> int:
        content = memoryview(data).cast("B")  # type: ignore[arg-type]
        if not self._gone:
            try:
                return os.write(self._number, content)
            except BrokenPipeError:
                self._gone = True
        return len(content)


@contextmanager
def patient_output() -> Iterator[None]:
    """Standard output and error may lose their reader inside the block; the work continues without
    a message."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (
        _patient(sys.stdout, sys.__stdout__),
        _patient(sys.stderr, sys.__stderr__),
    )
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        sys.stdout, sys.stderr = before


def _patient(stream: TextIO, original: TextIO | None) -> TextIO:
    """The stream itself where it is not the process's own, as in a notebook."""
    if stream is not original or not isinstance(stream, io.TextIOWrapper):
        return stream
    try:
        stream.flush()
        number = stream.fileno()
    except (OSError, ValueError):
        return stream
    return _Output(
        io.BufferedWriter(_Pipe(number)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


class _Output(io.TextIOWrapper):
    """Text for a pipe. It is never closed: the file belongs to the process."""

    def __del__(self) -> None:
        with suppress(OSError, ValueError):
            self.flush()
