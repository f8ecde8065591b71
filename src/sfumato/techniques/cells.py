"""Rows that are being changed: the fields that steps touch, as text and as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import Engine, FieldKind
from sfumato.errors import SourceError

Column = NDArray[np.object_]
Reals = NDArray[np.float64]

MADE_UP = -1
_MOST_DECIMALS = 9
_ALL_WHOLE = 2.0**53  # from here on a float has no digits after the point
_WHOLE, _REAL = (-(2.0**63), 2.0**63 - 1024), (-1.7e308, 1.7e308)
_BATCH = 100_000


@dataclass(frozen=True, eq=False)
class Cells:
    """`rows` has each row's number in the source, MADE_UP where there is none; `columns` the cells
    of the fields as canonical text, None for null. `given` are the fields that were changed and of
    what kind they are now: None keeps the type that the field had, a kind gives them the widest
    type of that kind.

    Example:
        >>> cells = Cells.of_columns({"age": ["41", None, "7"]}, kinds={"age": FieldKind.INTEGER})
        >>> cells.numbers("age").tolist()
        [41.0, nan, 7.0]
        >>> cells.with_numbers("age", np.array([40.2, np.nan, 10.0])).columns["age"].tolist()
        ['40', None, '10']
    """

    rows: NDArray[np.int64]
    columns: Mapping[str, Column]
    kinds: Mapping[str, FieldKind] = field(default_factory=dict)
    given: Mapping[str, FieldKind | None] = field(default_factory=dict)
    title: str = "the source"

    @classmethod
    def of(cls, engine: Engine, fields: Sequence[str]) -> Cells:
        batches = list(engine.cells(fields))
        rows = np.concatenate([np.zeros(0, np.int64), *(batch["row"] for batch in batches)])
        nothing = np.zeros(0, object)
        columns = {
            name: np.concatenate([nothing, *(batch[f"cell:{name}"] for batch in batches)])
            for name in fields
        }
        kinds = {info.name: info.kind for info in engine.fields()}
        return cls(rows, columns, kinds, {}, engine.title)

    @classmethod
    def of_columns(
        cls, columns: Mapping[str, Sequence[str | None]], *, kinds: Mapping[str, FieldKind]
    ) -> Cells:
        """Cells written out by hand."""
        made = {name: _objects(cells) for name, cells in columns.items()}
        return cls(np.arange(len(next(iter(made.values()), ()))), made, kinds)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"Cells(fields={tuple(self.columns)!r}, rows={len(self)})"

    def is_null(self, name: str) -> NDArray[np.bool_]:
        return np.asarray(self.columns[name] == np.array(None), bool)

    def numbers(self, name: str) -> Reals:
        """A field as numbers, nan for null. Cells that are no numbers are counted in an error,
        never shown."""
        null = self.is_null(name)
        out = np.full(len(self), np.nan)
        texts = self.columns[name][~null]
        try:
            out[~null] = texts.astype(np.float64)
        except ValueError:
            out[~null] = [_number(text) for text in texts]
        wrong = int((~np.isfinite(out) & ~null).sum())
        if wrong:
            raise SourceError(
                f"Numbers were expected in {name} of {self.title}.",
                found=f"{wrong} of its {len(self)} cells are no numbers.",
                attempt="a step that takes texts, or mending the source.",
            )
        return out

    def decimals(self, name: str) -> int:
        """How many digits after the point the field is written with; 0 for whole numbers. For
        numbers that are all near 0, the zeros after the point are added to the most that are
        kept."""
        texts = (text for text in self.columns[name].tolist() if text is not None)
        needed = max(
            (_decimals(text) for text in texts if "." in text or "e-" in text.lower()), default=0
        )
        if needed <= _MOST_DECIMALS:
            return needed
        largest = float(np.nanmax(np.abs(self.numbers(name))))
        zeros = int(-np.floor(np.log10(largest))) if largest else 0
        return min(needed, _MOST_DECIMALS + max(zeros, 0))

    def codes(self, name: str) -> tuple[NDArray[np.int64], Column]:
        """A field as codes into its values in order; null, where there is any, is the last."""
        null = self.is_null(name)
        # Not np.unique over texts of one width: a single long one among a million would fill the
        # memory.
        present = self.columns[name][~null].tolist()
        values: list[str | None] = sorted(set(present))
        place = {value: code for code, value in enumerate(values)}
        out = np.full(len(self), len(values), np.int64)
        out[~null] = np.fromiter(map(place.__getitem__, present), np.int64, len(present))
        labels = values + ([None] if null.any() else [])
        return out, _objects(labels)

    def groups(self, fields: Sequence[str]) -> NDArray[np.int64]:
        """A number for each row, the same for rows that are equal in `fields`; 0 for all where
        there are none."""
        out = np.zeros(len(self), np.int64)
        for name in fields:
            codes, values = self.codes(name)
            _, out = np.unique(out * max(len(values), 1) + codes, return_inverse=True)
        return out

    def with_numbers(self, name: str, values: Reals, *, decimals: int | None = None) -> Cells:
        """The field with other numbers, nan for null, written with as many digits as it had or as
        are given."""
        places = self.decimals(name) if decimals is None else decimals
        null = np.isnan(values)
        cells = np.full(len(values), None, object)
        whole = self.kinds.get(name) is FieldKind.INTEGER and not places
        kept = np.clip(values[~null], *(_WHOLE if whole else _REAL))
        fine = np.abs(kept) < _ALL_WHOLE
        kept[fine] = np.round(kept[fine], places) + 0.0  # no -0
        cells[~null] = np.char.mod(f"%.{places}f", kept).astype(object)
        kind = FieldKind.REAL if places and self.kinds.get(name) is FieldKind.INTEGER else None
        return self._with(name, cells, kind or self._wider(name, kept))

    def _wider(self, name: str, values: Reals) -> FieldKind | None:
        """A field of numbers beyond those that it had: they may not fit its type, such as one
        without negatives."""
        kind, had = self.kinds.get(name), self.numbers(name)
        if kind not in (FieldKind.INTEGER, FieldKind.REAL) or not len(values):
            return None
        inside = (
            not np.isnan(had).all()
            and values.min() >= np.nanmin(had)
            and values.max() <= np.nanmax(had)
        )
        return None if inside else kind

    def with_texts(self, name: str, cells: Column, *, is_text: bool = False) -> Cells:
        """The field with other cells; `is_text` where they are not of the field's type any more."""
        return self._with(name, cells, FieldKind.TEXT if is_text else None)

    def _with(self, name: str, cells: Column, kind: FieldKind | None) -> Cells:
        kind = kind or self.given.get(name)
        return replace(
            self, columns={**self.columns, name: cells}, given={**self.given, name: kind}
        )

    def only(self, keep: NDArray[np.bool_] | NDArray[np.int64]) -> Cells:
        """Some of the rows, or the rows at some places, in that order."""
        return replace(
            self,
            rows=self.rows[keep],
            columns={name: cells[keep] for name, cells in self.columns.items()},
        )

    def with_made_up(self, columns: Mapping[str, Column]) -> Cells:
        """The cells with made-up rows after the others, which have no row of the source; all fields
        are marked as given."""
        many = len(next(iter(columns.values())))
        return replace(
            self,
            rows=np.concatenate([self.rows, np.full(many, MADE_UP, np.int64)]),
            columns={
                name: np.concatenate([cells, columns[name]]) for name, cells in self.columns.items()
            },
            given={name: self.given.get(name) for name in self.columns},
        )

    def batches(self) -> Iterator[Mapping[str, NDArray[Any]]]:
        """The changed fields as an engine takes them."""
        for start in range(0, len(self), _BATCH):
            part = slice(start, start + _BATCH)
            changed = self.given or self.columns
            yield {"row": self.rows[part]} | {
                f"cell:{name}": self.columns[name][part] for name in changed
            }


def _number(text: object) -> float:
    try:
        return float(str(text))
    except ValueError:
        return np.nan


def _decimals(text: str) -> int:
    """The digits after the point that a number needs.

    Example:
        >>> [_decimals(text) for text in ("41.50", "7.", "1.5e-08", "2E+20", "1.e?")]
        [1, 0, 9, 0, 0]
    """
    digits, _, power = text.lower().partition("e")
    if power and not np.isfinite(_number(text)):
        return 0
    return max(len(digits.partition(".")[2].rstrip("0")) - int(power or 0), 0)


def _objects(values: Sequence[object]) -> Column:
    out = np.empty(len(values), object)
    out[:] = values
    return out
