"""`sfumato demo paper`: the tables of one of the five papers, released here, beside what the paper
prints."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from .paper_figures.figure import PaperFigure
from .shared_arguments import print_json

if TYPE_CHECKING:
    from rich.console import Console


def run_paper(options: argparse.Namespace, name: str) -> int:
    """Write the files of a paper, release them, and print each figure beside the printed one."""
    from rich.console import Console

    from sfumato.datasets import PAPERS, write_paper

    folder = write_paper(name, options.to or Path(f"demo-paper-{name}"))
    console = Console(stderr=options.json)
    figures = tuple(_figures(name, folder))
    if options.json:
        print_json({"paper": PAPERS[name], "figures": [asdict(one) for one in figures]})
    else:
        show_figures(PAPERS[name], figures, folder, console)
    return 0 if all(one.holds for one in figures) else 1


def show_figures(
    title: str, figures: tuple[PaperFigure, ...], folder: Path, console: Console
) -> None:
    """The printed and the computed numbers, line by line, and where the files are."""
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False, title=title, title_justify="left")
    for heading in ("figure", "printed", "here", ""):
        table.add_column(heading, overflow="fold")
    for one in figures:
        table.add_row(one.figure, one.printed, one.found, one.note or ("" if one.holds else "!"))
    console.print(table, highlight=False, markup=False)
    console.print(f"Tables, policies and releases: {folder}", highlight=False, soft_wrap=True)


def _figures(name: str, folder: Path) -> Iterator[PaperFigure]:
    from .paper_figures import cellsecu, channels, datafly, foundations, government

    papers: dict[str, Callable[[Path], Iterator[PaperFigure]]] = {
        "foundations": foundations.figures,
        "datafly": datafly.figures,
        "channels": channels.figures,
        "government": government.figures,
        "cellsecu": cellsecu.figures,
    }
    return papers[name](folder)
