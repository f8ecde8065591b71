"""Sweeney 2000, foundations: section 5 on six people, Scrub's letter, and Figures 27 to 34."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .figure import PaperFigure, compared, released, rows_of

if TYPE_CHECKING:
    from sfumato.releases import Release

QUASI = ("ethnicity", "birth", "sex", "zip")
LEVELS = (54, 109, 164, 219, 274, 328, 383, 438, 493)
REFERENCES = (
    "Marjorie Long",
    "Virginia",
    "Townsend",
    "St. John's Hospital",
    "32-841-09787",
    "Huntington 18",
    "05/26/86",
    "Boston",
    "02151",
    "Dr. Lang",
    "Dot",
    "Dr. Frank",
    "Brigham's",
    "Junior Gymnastics team",
    "Hodgkins",
    "Marina Corp",
    "473-1214",
    "Patrick Hayes",
    "34764",
)
"""The personal references of Figure 21."""
MEDICINE = (
    "insulin dependent diabetes mellitus",
    "7 and 6/12 year old",
    "Lily Human Insulin",
    "female",
)
PRINTED_PRECISION = {"Datafly": "0.71", "mu-Argus": "0.86", "k-Similar": "0.80"}


def figures(folder: Path) -> Iterator[PaperFigure]:
    """The maps of section 5, the letter, the levels, and the three systems on one table."""
    from sfumato.protection import overall_bin_size

    yield from _maps(folder)
    yield _letter(folder)
    sizes = tuple(overall_bin_size(level / 10, r1=0, r2=548.05) for level in range(1, 10))
    yield PaperFigure(
        figure="27: k at levels 0.1 to 0.9",
        printed=" ".join(map(str, LEVELS)),
        found=" ".join(map(str, sizes)),
        holds=sizes == LEVELS,
    )
    fields = (*QUASI, "problem")
    datafly = released(folder, "figure28.csv", "datafly2.toml")
    yield compared(
        "29: Datafly II",
        rows_of(folder / "figure29.csv", fields),
        rows_of(Path(datafly.table), fields),
    )
    argus = released(folder, "figure28.csv", "mu_argus.toml")
    yield _blanked(folder / "figure30.csv", argus)
    similar = released(folder, "figure28.csv", "k_similar.toml")
    smallest = [
        min(rows_of(path, QUASI).values())
        for path in (folder / "figure33.csv", Path(similar.table))
    ]
    yield PaperFigure(
        figure="33: k-Similar, smallest bin",
        printed=str(smallest[0]),
        found=str(smallest[1]),
        holds=min(smallest) >= 2,
        note="more precise than printed: the printed table is not the optimum",
    )
    yield from _precision({"Datafly": datafly, "mu-Argus": argus, "k-Similar": similar})


def _maps(folder: Path) -> Iterator[PaperFigure]:
    """Of the six people of Figure 19 three are subjects; who holds a register of all six maps tuples
    to them."""
    from sfumato.bins import Bins
    from sfumato.hierarchies import Hierarchy
    from sfumato.measures import check_ads0

    with (folder / "figure19.csv").open(encoding="utf-8", newline="") as file:
        people = list(csv.DictReader(file))
    fields = ("birth", "zip")
    of = {row["name"]: tuple(row[name] for name in fields) for row in people}
    subjects = [of[row["name"]] for row in people if row["problem"]]
    levels = {
        "birth": Hierarchy.from_rows(
            [(day, day[:7], "*") for day in {day for day, _ in of.values()}]
        ),
        "zip": Hierarchy.from_rows(
            [(code, f"{code[:3]}**", "*") for code in {code for _, code in of.values()}]
        ),
    }

    def bins(tuples: Sequence[tuple[str, ...]]) -> Bins:
        return Bins.of(fields, Counter(tuples))

    swapped = [*subjects[1:], subjects[0]]
    for figure, printed, tuples, own, model in (
        ("15: names removed", "leads to one subject", subjects, None, ""),
        ("16: encrypted", "null-map", [("#1", "#2"), ("#3", "#4"), ("#5", "#6")], None, "null-map"),
        ("17: generalised", "k-map", [("1965-10", "331**")], None, "k-map"),
        ("5: swapped as a unit", "wrong-map", swapped, bins([]), "wrong-map"),
    ):
        account = check_ads0(
            bins(tuples),
            bins(list(of.values())),
            fields,
            levels,
            subjects=bins(subjects),
            own=own,
        )
        held = [each.model for each in account.maps if each.holds]
        yield PaperFigure(
            figure=figure,
            printed=printed,
            found=", ".join(held)
            or f"{account.pointing_to_one} of {account.tuples} lead to one subject",
            holds=model in held if model else not account.holds,
        )


def _letter(folder: Path) -> PaperFigure:
    """Figures 21 to 23: no reference of the letter is left after scrubbing, and its medicine is."""
    import sfumato

    letter = (folder / "figure21.txt").read_text(encoding="utf-8")
    (scrubbed,) = sfumato.scrub(texts=[letter], detectors="crf")
    gone = [words for words in REFERENCES if words not in scrubbed]
    kept = [words for words in MEDICINE if words in scrubbed]
    return PaperFigure(
        figure="21 and 22: Scrub's letter",
        printed=f"{len(REFERENCES)} references replaced, medicine kept",
        found=f"{len(gone)} replaced, {len(kept)} of {len(MEDICINE)} kept",
        holds=len(gone) == len(REFERENCES) and len(kept) == len(MEDICINE),
    )


def _blanked(printed: Path, made: Release) -> PaperFigure:
    cells = [
        sum(row.count("*") * count for row, count in rows_of(path, QUASI).items())
        for path in (printed, Path(made.table))
    ]
    return PaperFigure(
        figure="30: mu-Argus, cells blanked",
        printed=str(cells[0]),
        found=str(cells[1]),
        holds=cells[0] == cells[1] and made.rows == 12,
        note="the printed figure blanks two others, and leaves one woman alone with her ZIP code",
    )


def _precision(made: dict[str, Release]) -> Iterator[PaperFigure]:
    """Figure 34, by the metric of Figure 32. Who is alone over the four fields breaks k."""
    found = {name: float(each.manifest["utility"]["precision"]) for name, each in made.items()}
    in_order = found["mu-Argus"] > found["k-Similar"] > found["Datafly"]
    for name, each in made.items():
        least = min(rows_of(Path(each.table), QUASI).values())
        keeps, should = least >= 2, name != "mu-Argus"
        yield PaperFigure(
            figure=f"34: {name}, precision and k = 2",
            printed=f"{PRINTED_PRECISION[name]}, {'yes' if should else 'no'}",
            found=f"{found[name]:.2f}, {'yes' if keeps else 'no'}",
            holds=in_order and keeps is should,
            note="the order is the same; the hierarchies behind these are not printed"
            if name == "Datafly"
            else "",
        )
