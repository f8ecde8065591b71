"""Unpacking a compressed file into a folder of the engine's own, within limits that no honest table
reaches."""

from __future__ import annotations

import gzip
import secrets
import zlib
from pathlib import Path

from sfumato.errors import SourceError

from .limits import RATIO, UNPACKED_FREELY

SUFFIX = ".gz"
_CHUNK = 1 << 20


def suffix_of(path: Path) -> str:
    """How the name of a file ends, in lower case; `.csv` for people.csv.gz, which is read as that.

    Example:
        >>> suffix_of(Path("people.CSV")), suffix_of(Path("people.csv.gz")), suffix_of(Path("people.gz"))
        ('.csv', '.csv', '.gz')
    """
    inner = path.with_suffix("") if path.suffix.lower() == SUFFIX else path
    return (inner.suffix or path.suffix).lower()


def stem_of(path: Path) -> str:
    """The name of a file without how it ends.

    Example:
        >>> stem_of(Path("people.csv")), stem_of(Path("people.csv.gz")), stem_of(Path("people.gz"))
        ('people', 'people', 'people')
    """
    return path.with_suffix("").stem if path.suffix.lower() == SUFFIX else path.stem


def is_compressed(path: Path) -> bool:
    return path.suffix.lower() == SUFFIX and path.is_file()


def unpack(path: Path, folder: Path) -> Path:
    """A copy that is not compressed; SourceError where the file is damaged, or unpacks to more than
    the limit for its size."""
    limit = max(UNPACKED_FREELY, RATIO * path.stat().st_size)
    copy = folder / f"{secrets.token_hex(4)}{suffix_of(path)}"
    written = 0
    try:
        with gzip.open(path, "rb") as packed, copy.open("xb") as plain:
            while chunk := packed.read(_CHUNK):
                written += len(chunk)
                if written > limit:
                    raise _too_large(path, limit)
                plain.write(chunk)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise SourceError(
            f"{path.name} cannot be unpacked.",
            found="It is not a gzip file, or it is damaged or cut short.",
            attempt="checking that it is whole.",
        ) from None
    return copy


def _too_large(path: Path, limit: int) -> SourceError:
    return SourceError(
        f"{path.name} unpacks to more than {limit >> 20:,} MiB, which is the limit.",
        found=f"A compressed file may hold {RATIO} times its own size, and at least "
        f"{UNPACKED_FREELY >> 20} MiB.",
        attempt="unpacking it yourself if you trust it.",
    )
