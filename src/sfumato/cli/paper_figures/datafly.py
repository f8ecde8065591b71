"""Sweeney 1997, Datafly: Tables 4 to 6, and the bin sizes and genders of section 3.9."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from .figure import PaperFigure, as_rows, compared, counted_rows, prepared, released, rows_of

if TYPE_CHECKING:
    from sfumato.bins import Bins
    from sfumato.solvers import Datafly

QUASI = ("ethnicity", "birth", "sex", "zip")
STEPS = ["generalise birth to month", "generalise birth to year", "generalise zip to first 3"]


def figures(folder: Path) -> Iterator[PaperFigure]:
    """The example of section 3.6 step by step, then the bin sizes and the genders of 3.9."""
    from sfumato.protection import overall_bin_size, upper_bin_size
    from sfumato.solvers import Datafly

    source = prepared(folder, "table4.csv", "datafly.toml")
    made = released(folder, "table4.csv", "datafly.toml")
    moves = made.manifest["solver"]["moves"]
    yield PaperFigure(
        figure="3.6: steps",
        printed="birth to month, to year, zip to 3 digits",
        found=", ".join(moves),
        holds=moves == STEPS,
    )
    yield compared(
        "Table 5: birth at the year",
        counted_rows(folder / "table5.csv", QUASI),
        as_rows(source.bins.recode(source.hierarchies, {"birth": 2}), QUASI),
    )
    yield compared(
        "Table 6: rows released",
        counted_rows(folder / "table6.csv", QUASI, only="released"),
        rows_of(Path(made.table), QUASI),
    )
    r2 = upper_bin_size(300, "sawtooth")
    sizes = [overall_bin_size(level / 10, r1=0, r2=r2) for level in range(1, 10)]
    yield PaperFigure(
        figure="3.9: bin sizes of 300 patients, levels 0.1 to 0.9",
        printed="3 to 27",
        found=" ".join(map(str, sizes)),
        holds=sizes == list(range(3, 28, 3)),
    )
    kept = _genders({"m": 150, "f": 149, None: 1}, Datafly(level=0.1, linking={"sex": 0.0}))
    yield PaperFigure(
        figure="3.9: 150 men, 149 women, one blank",
        printed="the blank is dropped",
        found=_words(kept),
        holds=kept == {("m",): 150, ("f",): 149},
    )
    quarter = Datafly(level=0.25, r2=100, linking={"sex": 0.0}, loss=0.1)
    kept = _genders({"m": 80, "f": 20}, quarter)
    yield PaperFigure(
        figure="3.9: 80 men, 20 women, bins of 25",
        printed="the field is suppressed",
        found=_words(kept),
        holds=kept == {("*",): 100},
    )


def _genders(
    people: Mapping[str | None, int], solver: Datafly
) -> dict[tuple[str | None, ...], int]:
    from sfumato.bins import Bins
    from sfumato.hierarchies import Hierarchy

    bins: Bins = Bins.of(("sex",), {(value,): count for value, count in people.items()})
    levels = {"sex": Hierarchy.from_rows([(value, "*") for value in people])}
    return dict(solver.solve(bins, levels).recoding.apply(bins, levels).sizes())


def _words(sizes: Mapping[tuple[str | None, ...], int]) -> str:
    return ", ".join(f"{count} {label}" for (label,), count in sizes.items())
