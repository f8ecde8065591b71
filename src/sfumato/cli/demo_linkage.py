"""`sfumato demo linking`: a voter list and hospital discharges without names, both made up, are
linked (Sweeney 2000, Figures 9 to 13); and again after a release."""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .demo_paper import show_figures
from .paper_figures.figure import PaperFigure
from .shared_arguments import print_json

if TYPE_CHECKING:
    from sfumato.assessment import Intrusion

TITLE = "Linking a voter list with discharges that have no names (Sweeney 2000)"
LINKED = ("birth", "sex", "zip")
ALONE = (
    (("birth",), 0.12),
    (("birth", "sex"), 0.29),
    (("birth", "zip"), 0.69),
    (("birth", "postal_code"), 0.97),
)
"""The numbers of Figure 13: fields of the voter list, and the share of voters with a unique
combination."""
FAR = 0.1
"""The list is made up: its shares are as near as fields that are drawn independently allow."""


def run_linkage(options: argparse.Namespace) -> int:
    """Make both lists, link them, release the discharges, and link again."""
    from rich.console import Console

    folder: Path = options.to or Path("demo-linking")
    console = Console(stderr=options.json)
    figures = tuple(_figures(folder, discharges=options.rows))
    if options.json:
        print_json({"demo": "linking", "figures": [asdict(one) for one in figures]})
    else:
        show_figures(TITLE, figures, folder, console)
    return 0 if all(one.holds for one in figures) else 1


def _figures(folder: Path, *, discharges: int | None) -> Iterator[PaperFigure]:
    from sfumato.assessment import intrude
    from sfumato.datasets import DISCHARGES, write_discharges, write_voters
    from sfumato.releases import release

    _take(folder)
    voters = write_voters(folder / "voters.csv")
    named, plain = write_discharges(folder, voters, discharges=discharges or DISCHARGES)
    register, records = _read(voters), _read(plain)
    for looks in (("zip", "birth", "ethnicity"), ("zip", "admitted", "diagnosis")):
        yield _looks_anonymous(records, looks)
    for fields, printed in ALONE:
        yield _alone(register, fields, printed)
    yield _linked(register, records)
    known: dict[str, Any] = {"known": LINKED, "sensitive": ("diagnosis",)}
    before = intrude(plain, register=voters, source=named, **known)
    yield _attacked("12: an intruder with the list", before, "finds people", finds=True)
    made = release(named, folder / "patients.policy.toml", to=folder / "release", replace=True)
    after = intrude(made.folder, register=voters, source=named)
    yield _attacked(f"after a release ({made.outcome})", after, "", finds=False)


def _take(folder: Path) -> None:
    """The folder is the demo's own: a new one, an empty one, or one that this demo made."""
    from sfumato.errors import TargetError

    try:
        folder.mkdir(parents=True, exist_ok=True)
        mark = folder / "patients.policy.toml"
        if any(folder.iterdir()) and not (mark.is_file() and mark.read_bytes() == _policy()):
            raise TargetError(
                f"{folder} holds files that are not the demo's.",
                attempt="a new folder with --to; nothing was touched.",
            )
        mark.write_bytes(_policy())
    except OSError as error:
        raise TargetError(f"{folder} cannot be used.", found=f"{error.strerror}.") from None


def _policy() -> bytes:
    from sfumato.datasets import DISCHARGES_POLICY

    return DISCHARGES_POLICY.encode()


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _bins(rows: Sequence[dict[str, str]], fields: Sequence[str]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(row[name] for name in fields) for row in rows)


def _looks_anonymous(records: Sequence[dict[str, str]], fields: tuple[str, ...]) -> PaperFigure:
    alone = sum(count == 1 for count in _bins(records, fields).values())
    number = "9" if "ethnicity" in fields else "10"
    return PaperFigure(
        figure=f"{number}: {', '.join(fields)}",
        printed="looks anonymous",
        found=f"{alone:,} of {len(records):,} discharges have a unique combination",
        holds=2 * alone > len(records),
    )


def _alone(
    register: Sequence[dict[str, str]], fields: tuple[str, ...], printed: float
) -> PaperFigure:
    found = sum(count == 1 for count in _bins(register, fields).values()) / len(register)
    return PaperFigure(
        figure=f"13: voters unique by {' and '.join(fields)}",
        printed=f"{printed:.0%}",
        found=f"{found:.0%}",
        holds=abs(found - printed) <= FAR,
    )


def _linked(register: Sequence[dict[str, str]], records: Sequence[dict[str, str]]) -> PaperFigure:
    voters = _bins(register, LINKED)
    patients = _bins(records, LINKED)
    one = sum(count == 1 and voters[key] == 1 for key, count in patients.items())
    return PaperFigure(
        figure=f"12: linked on {', '.join(LINKED)}",
        printed="diagnoses of named people",
        found=f"{one:,} of {len(records):,} discharges get one name",
        holds=2 * one > len(records),
    )


def _attacked(figure: str, found: Intrusion, printed: str, *, finds: bool) -> PaperFigure:
    """The result of the intruder by exact values; the claims are checked against the names."""
    run = next(run for run in found.attacks if run.name == "register")
    right = run.rate.successes if run.rate is not None else 0
    return PaperFigure(
        figure=figure,
        printed=printed,
        found=f"of {run.attempts:,} voters, {run.claims:,} are claimed and {right:,} rightly",
        holds=bool(found.attacks.beaten) is finds,
    )
