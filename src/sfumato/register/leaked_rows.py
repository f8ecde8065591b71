"""Leaked rows: the registered releases in which they can occur.

The register has no cell value, so the rows are looked for in the folders of the releases. They are
compared as they were released, over the fields that a release and the rows have in common. Neither
the rows nor a digest of them is recorded."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

import numpy as np

from sfumato.engines import Engine
from sfumato.errors import Mistake
from sfumato.releases import written

from .release_checks import release_digest
from .replay import RegisterState
from .submissions import manifest_facts

LARGEST: Final = 10_000_000
"""The most bytes of a file with leaked rows."""


@dataclass(frozen=True, kw_only=True)
class LeakedRowFits:
    """How leaked rows fit one release: how many of them occur in it, and how many fit one of its
    rows alone."""

    occurs: int
    alone: int


@dataclass(frozen=True, kw_only=True)
class LeakedRows:
    """Rows that somebody showed, as texts by field; null is an empty text."""

    fields: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = field(repr=False)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Rows from a CSV file with a header, or from JSON: an object, or a list of objects."""
        place = Path(path)
        try:
            if place.stat().st_size > LARGEST:
                raise ValueError("too large")
            text = place.read_text(encoding="utf-8-sig")
            found = json.loads(text) if text.lstrip()[:1] in ("{", "[") else None
            listed = [found] if isinstance(found, dict) else found
            if listed is None:
                listed = list(csv.DictReader(io.StringIO(text), strict=True))
            return cls.of(listed)
        except OSError as error:
            raise Mistake(
                f"Leaked rows were to be read from {place}.", found=f"{error.strerror}."
            ) from None
        except (ValueError, csv.Error, TypeError, AttributeError):
            raise Mistake(
                f"Leaked rows were to be read from {place}.",
                found="It holds no rows with the same fields each, or more than 10 MB.",
                attempt="a CSV file with a header, or JSON.",
            ) from None

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, object]]) -> Self:
        """Rows of the same fields each; ValueError where there are none."""
        fields = tuple(rows[0]) if rows else ()
        if not fields or any(tuple(row) != fields for row in rows) or None in fields:
            raise ValueError("no rows")
        texts = tuple(tuple(_text(row[name]) for name in fields) for row in rows)
        return cls(fields=fields, rows=texts)

    def find(self, state: RegisterState, folders: Sequence[str | Path]) -> dict[str, LeakedRowFits]:
        """By name of the release, how the rows fit it; a folder that is not registered is
        refused."""
        out: dict[str, LeakedRowFits] = {}
        for folder in map(Path, folders):
            digest = release_digest(folder)
            names = [each.name for each in state.releases if each.digest == digest]
            if not names:
                raise Mistake(
                    f"Leaked rows were to be looked for in {folder}.",
                    found="No release of this register has its manifest.",
                    attempt="the folder as it was delivered.",
                )
            fits = self._fit(folder)
            out.update(dict.fromkeys(names, fits))
        return out

    def _fit(self, folder: Path) -> LeakedRowFits:
        counts = np.zeros(len(self.rows), np.int64)
        release = written(folder)
        with ExitStack() as opened:
            for facts in manifest_facts(folder).get("tables", {}).values():
                counts += self._count(opened.enter_context(release.opened(facts)))
        return LeakedRowFits(occurs=int((counts > 0).sum()), alone=int((counts == 1).sum()))

    def _count(self, engine: Engine) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """How many rows of a table each leaked row fits; none where they share no field."""
        there = {info.name for info in engine.fields()}
        common = [name for name in self.fields if name in there]
        if not common:
            return np.zeros(len(self.rows), np.int64)
        bins = engine.frequencies(common)
        codes = [
            {_text(label): code for code, label in enumerate(labels)} for labels in bins.values
        ]
        sizes = {
            tuple(row): int(n) for row, n in zip(bins.codes.tolist(), bins.counts, strict=True)
        }
        places = [self.fields.index(name) for name in common]
        wanted = (
            tuple(of.get(row[at], -1) for of, at in zip(codes, places, strict=True))
            for row in self.rows
        )
        return np.array([sizes.get(each, 0) for each in wanted], np.int64)


def _text(cell: object) -> str:
    return "" if cell is None else str(cell)
