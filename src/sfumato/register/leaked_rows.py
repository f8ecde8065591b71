"""Leaked rows: the registered releases in which they can occur.

The register has no cell value, so the rows are looked for in the folders of the releases, after
their files were compared with their manifests. Cells are compared over the fields that a release
and the rows have in common. Numbers are compared as numbers, and texts without case and outer
blanks. A row may also fit coarser labels, such as a range that holds its value, or another reading
of a number or a date. It is ruled out only where every released row is proven to be another one
(see `leaked_cells`). Neither the rows nor a digest of them is recorded."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import Engine, open_source
from sfumato.errors import Mistake, SfumatoError
from sfumato.releases import MANIFEST, written
from sfumato.wording import counted

from .leaked_cells import UNKNOWN, ComparedField, FieldTreatment
from .recipient_names import folded
from .release_checks import is_broken, release_digest
from .release_content import digest_of_files
from .replay import RegisterState
from .submissions import manifest_facts

LARGEST: Final = 10_000_000
"""The most bytes of a file with leaked rows."""
MOST_COMPARED: Final = 200_000_000
"""The most pairs of leaked rows and released bins of which labels are compared."""
NO_FIELD: Final = "no field in common with the leaked rows"
_STRANGE: Final = "which the register does not know by name"
_UNCLEAR: Final = (
    "not comparable, since a value may be written otherwise in its field, or be changed or "
    "suppressed there"
)
_TOO_MANY: Final = "too many rows to compare with coarser labels"
Counts = NDArray[np.int64]
Marks = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class LeakedRowFits:
    """How leaked rows fit one release: how many of them occur in it, how many fit one of its rows
    alone, and how many further ones fit coarser labels, or in another reading.

    `missing` are leaked fields that it lacks and another release has, `strange` how many no release
    has; `doubts` are reasons why a row that was not found may be in it nevertheless. `unclear` are
    further rows of which nobody can say that they are not in it: a value may be written otherwise
    in its field, or be changed there."""

    occurs: int
    alone: int
    coarser: int = 0
    unclear: int = 0
    missing: tuple[str, ...] = ()
    strange: int = 0
    doubts: tuple[str, ...] = ()

    @property
    def is_ruled_out(self) -> bool:
        """Whether none of the rows can be in the release."""
        return not (self.occurs or self.coarser or self.unclear or self.doubts)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not compared, in words."""
        lacks = (f"it has no field {', '.join(self.missing)}",) if self.missing else ()
        more = (
            (f"it lacks {counted(self.strange, 'leaked field')}, {_STRANGE}",)
            if self.strange
            else ()
        )
        unclear = (f"{counted(self.unclear, 'leaked row')}: {_UNCLEAR}",) if self.unclear else ()
        return (*self.doubts, *unclear, *lacks, *more)


@dataclass(frozen=True, kw_only=True)
class LeakedRows:
    """Rows that somebody showed, as texts by field; null is an empty text."""

    fields: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = field(repr=False)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Rows from a table with a header, such as CSV with any separator, or from JSON: an object,
        or a list of objects."""
        place = Path(path)
        try:
            if place.stat().st_size > LARGEST:
                raise ValueError("too large")
            start = place.read_bytes()[:100].removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
            return cls.of(_json_rows(place) if start in (b"{", b"[") else _table_rows(place))
        except OSError as error:
            raise Mistake(
                f"Leaked rows were to be read from {place}.", found=f"{error.strerror}."
            ) from None
        except (ValueError, TypeError, AttributeError, SfumatoError):
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
        """By name of the release, how the rows fit it. A folder that is not registered, or whose
        files are not those that were released, is refused."""
        out: dict[str, LeakedRowFits] = {}
        known = [name for each in state.releases for name in each.released]
        known += [name.rpartition(".")[2] for name in known]
        for folder in map(Path, folders):
            made_here = (folder / MANIFEST).is_file()
            digest = release_digest(folder) if made_here else digest_of_files(folder)
            names = [each.name for each in state.releases if each.digest == digest]
            if not names or (made_here and is_broken(folder, digest)):
                raise Mistake(
                    f"Leaked rows were to be looked for in {folder}.",
                    found="Its files are not those of its manifest, so a row may be missing there."
                    if names
                    else "No release of this register has its manifest.",
                    attempt="the folder as it was delivered.",
                )
            with _tables(folder, made_here=made_here) as (tables, treatments):
                found = self.fits(tables, known=known, treatments=treatments)
            out.update(dict.fromkeys(names, found))
        return out

    def fits(
        self,
        tables: Sequence[Engine],
        *,
        known: Iterable[str] = (),
        treatments: Sequence[Mapping[str, FieldTreatment]] = (),
    ) -> LeakedRowFits:
        """How the rows fit a release of these tables. `known` are names of fields of releases:
        others are not stated, since the first row of a file without a header looks like names.
        `treatments` are those of each table's fields; without them no row is ruled out."""
        named = set(map(folded, known))
        here = [{folded(info.name): info.name for info in table.fields()} for table in tables]
        exact, coarse = np.zeros(len(self.rows), np.int64), np.zeros(len(self.rows), bool)
        unclear, doubts = np.zeros(len(self.rows), bool), dict[str, None]()
        every = treatments or [{}] * len(tables)
        for table, names, treated in zip(tables, here, every, strict=True):
            places = [at for at, name in enumerate(self.fields) if folded(name) in names]
            if not places:
                continue
            common = [names[folded(self.fields[at])] for at in places]
            cells = [[row[at] for row in self.rows] for at in places]
            found = _TableFits(table, common, cells, treatments=treated)
            may, open_rows = found.others()
            exact += found.exact
            coarse |= may
            unclear |= open_rows
            doubts |= dict.fromkeys(found.doubts(named))
        lacking = [name for name in self.fields if not any(folded(name) in names for names in here)]
        missing = tuple(name for name in lacking if folded(name) in named)
        if len(lacking) == len(self.fields):
            doubts[NO_FIELD] = None
        return LeakedRowFits(
            occurs=int((exact > 0).sum()),
            alone=int((exact == 1).sum()),
            coarser=int((coarse & (exact == 0)).sum()),
            unclear=int((unclear & ~coarse & (exact == 0)).sum()),
            missing=missing,
            strange=len(lacking) - len(missing),
            doubts=tuple(doubts),
        )


class _TableFits:
    """Leaked cells, by column, beside the bins of one released table over the same fields."""

    def __init__(
        self,
        engine: Engine,
        fields: Sequence[str],
        columns: Sequence[Sequence[str]],
        *,
        treatments: Mapping[str, FieldTreatment],
    ) -> None:
        bins = engine.frequencies(fields)
        self.codes, self.counts = np.asarray(bins.codes), np.asarray(bins.counts, np.int64)
        self.columns = [
            ComparedField(name, list(labels), cells, treatment=treatments.get(name, UNKNOWN))
            for name, labels, cells in zip(fields, bins.values, columns, strict=True)
        ]
        self.exact = self._exact()
        self._is_known = all(each.is_known for each in self.columns)

    def _exact(self) -> Counts:
        """How many released rows each leaked row equals."""
        sizes: dict[tuple[int, ...], int] = {}
        released = [each.released[self.codes[:, at]] for at, each in enumerate(self.columns)]
        for row, many in zip(zip(*map(list, released), strict=True), self.counts, strict=True):
            sizes[row] = sizes.get(row, 0) + int(many)
        leaked = zip(*(each.leaked for each in self.columns), strict=True)
        return np.array([sizes.get(row, 0) for row in leaked], np.int64)

    def others(self) -> tuple[Marks, Marks]:
        """The leaked rows that fit the labels of some released row, not all of them suppressed; and
        those of which nobody can say that they are not a released row."""
        rows = len(self.exact)
        may, is_open = np.zeros(rows, bool), np.zeros(rows, bool)
        if rows * len(self.codes) > MOST_COMPARED:
            self._is_known = False
        if not self._is_known:
            return may, is_open
        hidden = np.ones(len(self.codes), bool)
        for at, each in enumerate(self.columns):
            hidden &= each.is_hidden[self.codes[:, at]]
        for row in np.flatnonzero(self.exact == 0).tolist():
            fits, possible = ~hidden, np.ones(len(self.codes), bool)
            for at, each in enumerate(self.columns):
                cell = each.cell_of[row]
                meets = each.meets[cell][self.codes[:, at]]
                fits = fits & meets
                possible &= meets if each.is_settled[cell] else True
            may[row], is_open[row] = fits.any(), possible.any()
        return may, is_open

    def doubts(self, named: Container[str]) -> Iterator[str]:
        """Reasons why a row that was not found may be there."""
        if not self._is_known:
            yield _TOO_MANY
        for each in self.columns:
            if each.is_known and not each.meets[:, ~each.is_hidden].any():
                called = each.name if folded(each.name) in named else "a field"
                yield (
                    f"none of the leaked values of {called} occurs in it, which may be written "
                    "otherwise"
                )


@contextmanager
def _tables(
    folder: Path, *, made_here: bool
) -> Iterator[tuple[list[Engine], list[Mapping[str, FieldTreatment]]]]:
    """The tables of a release with the treatments of their fields; of another tool's, the file or
    files that were imported, of which nobody knows how they were made."""
    with ExitStack() as opened:
        if made_here:
            release, manifest = written(folder), manifest_facts(folder)
            facts = manifest.get("tables", {})
            yield (
                [opened.enter_context(release.opened(each)) for each in facts.values()],
                [FieldTreatment.of(manifest, name) for name in facts],
            )
            return
        files = [folder] if folder.is_file() else sorted(folder.rglob("*"))
        try:
            found = [opened.enter_context(open_source(each)) for each in files if each.is_file()]
        except SfumatoError:
            raise Mistake(
                f"Leaked rows were to be looked for in {folder}.",
                found="It holds files that are no tables.",
                attempt="leaving it out: it is then named as not looked into.",
            ) from None
        yield found, [{} for _ in found]


def _json_rows(place: Path) -> list[Mapping[str, object]]:
    found = json.loads(place.read_text(encoding="utf-8-sig"))
    return [found] if isinstance(found, dict) else list(found)


def _table_rows(place: Path) -> list[Mapping[str, object]]:
    with open_source(place) as engine:
        names = [info.name for info in engine.fields()]
        return [
            dict(zip(names, cells, strict=True))
            for batch in engine.spread_rows(names)
            for cells in zip(*(batch[f"cell:{name}"] for name in names), strict=True)
        ]


def _text(cell: object) -> str:
    return "" if cell is None else str(cell)
