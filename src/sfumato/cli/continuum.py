"""`sfumato continuum`: how much each technique distorts this data set, all of them in order;
nothing is released."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from .shared_arguments import add_policy, add_source, policy_place, source_options

if TYPE_CHECKING:
    from rich.console import Console

    from sfumato.assessment import Continuum


def configure(command: argparse.ArgumentParser) -> None:
    add_source(command)
    add_policy(command)
    command.add_argument(
        "--to", type=Path, metavar="FILE.html", help="write a page with the chart to this file"
    )
    command.add_argument(
        "--rows", type=int, default=2_000, help="number of rows to sample at random (default: 2000)"
    )
    command.add_argument(
        "--seed", type=int, default=0, help="seed of the sample and the trials (default: 0)"
    )
    command.add_argument("--json", action="store_true", help="print every result as JSON")
    command.add_argument("--replace", action="store_true", help="replace an earlier page")


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.assessment import continuum

    console = Console(stderr=options.json)
    with _bar(console) as step:
        made = continuum(
            options.source,
            policy_place(options),
            to=options.to,
            rows=options.rows,
            seed=options.seed,
            replace=options.replace,
            step=step,
            **source_options(options),
        )
    if options.json:
        import json

        print(json.dumps(made.as_dict(), indent=2, allow_nan=False))
    else:
        show_continuum(made, console)
    if options.to is not None:
        console.print(f"  {options.to}", highlight=False, soft_wrap=True)
    return 0


@contextmanager
def _bar(console: Console) -> Iterator[Callable[[int, int, str], None]]:
    """How many trials are done, and which is being made; silent when output is not a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("reading", total=None)

        def step(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total, description=what)

        yield step


def show_continuum(made: Continuum, console: Console) -> None:
    """One line for each technique, least distorting first, with a bar from its least to its most
    and its median."""
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("technique", "least", "median", "most", "", "results"):
        table.add_column(heading, justify="left" if heading in ("technique", "") else "right")
    for place in made.places:
        numbers = (f"{share:.3f}" for share in (place.low, place.median, place.high))
        table.add_row(
            place.name,
            *numbers,
            drawn(place.low, place.median, place.high),
            str(len(place.results)),
        )
    console.print(table, highlight=False)
    for what, why in made.left_out.items():
        console.print(f"not measured: {what}: {why}", style="dim", highlight=False, soft_wrap=True)


def drawn(low: float, middle: float, high: float, *, width: int = 20) -> str:
    """A range on a line of text.

    Example:
        >>> drawn(0.0, 0.5, 0.75, width=9)
        '════●══  '
    """
    places = [round(share * (width - 1)) for share in (low, middle, high)]
    line = ["═" if places[0] <= place <= places[2] else " " for place in range(width)]
    line[places[1]] = "●"
    return "".join(line)
