"""`sfumato sweep`: candidates over a number of the policy, drawn as risk against utility; nothing
is released."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from .run_log import LOG
from .shared_arguments import (
    add_json,
    add_policy,
    add_source,
    default_target,
    policy_place,
    print_json,
    source_options,
)

if TYPE_CHECKING:
    from rich.console import Console

    from sfumato.assessment import ChannelSweep, Sweep


def configure(command: argparse.ArgumentParser) -> None:
    from sfumato.assessment.utility import RISKS, UTILITIES

    add_source(command)
    add_policy(command)
    command.add_argument(
        "--over",
        required=True,
        metavar="NAME=A,B,C",
        help="a requirement of the policy and the numbers to try: k=2,3,5,10,20 or "
        "maximum_risk=0.5,0.2,0.1; for channels, channels.risk_tolerance=1,1.2,1.4, channels.tolerance, "
        "channels.bound, channels.max_inputs or channels.max_differing",
    )
    command.add_argument(
        "--solver", default="", metavar="A,B", help="solvers to compare (default: the policy's)"
    )
    command.add_argument(
        "--risk",
        choices=tuple(RISKS),
        default="highest",
        help="risk measure of the map (default: highest)",
    )
    command.add_argument(
        "--utility",
        choices=tuple(UTILITIES),
        default="information",
        help="utility measure of the map (default: information)",
    )
    command.add_argument(
        "--to", type=Path, help="folder for sweep.html and sweep.json (default: SOURCE-sweep)"
    )
    command.add_argument("--replace", action="store_true", help="replace earlier files")
    add_json(command, what="the numbers")


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.assessment import ChannelSweep, sweep

    console = Console(stderr=options.json)
    target = options.to or _target(options.source)
    with _bar(console) as step:
        made = sweep(
            options.source,
            policy_place(options),
            over=options.over,
            solvers=tuple(name.strip() for name in options.solver.split(",") if name.strip()),
            risk=options.risk,
            utility=options.utility,
            to=target,
            replace=options.replace,
            step=step,
            **source_options(options),
        )
    if options.json:
        print_json(made.as_dict())
    elif isinstance(made, ChannelSweep):
        show_channel_sweep(made, console)
    else:
        show_sweep(made, console)
    for name in ("sweep.html", "sweep.json"):
        console.print(f"  {target / name}", highlight=False, soft_wrap=True)
    tried = made.trade_off.points if isinstance(made, ChannelSweep) else made.map.points
    return 0 if any(not point.reason for point in tried) else 1


def _target(source: Path | str) -> Path:
    usual = default_target(source)
    return usual.with_name(f"{usual.name.removesuffix('-release')}-sweep")


@contextmanager
def _bar(console: Console) -> Iterator[Callable[[int, int, str], None]]:
    """How many candidates are done, and which is being made; silent when output is not a
    terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("counting bins", total=None)

        def step(done: int, total: int, what: str) -> None:
            LOG.info("%s", what)
            bar.update(task, completed=done, total=total, description=what)

        yield step


def show_sweep(made: Sweep, console: Console) -> None:
    """One line for each candidate, least risk first within its solver as asked; then guidance on the
    swept number."""
    from rich.markup import escape
    from rich.table import Table

    from sfumato.assessment import guidance_for

    found = made.map
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in (
        found.over,
        "solver",
        f"risk ({found.risk})",
        f"utility ({found.utility})",
        "rows left out",
        "contacts",
        "",
    ):
        table.add_column(heading, justify="left" if heading in ("solver", "") else "right")
    knees = found.knees.values()
    for number, (point, worse) in enumerate(zip(found.points, found.dominated, strict=True)):
        place = found.on(point)
        note = "diminishing return" * (number in knees) or "another is better" * worse
        if place is None:
            table.add_row(
                f"{point.setting:g}",
                point.solver,
                "",
                "",
                "",
                "",
                f"[yellow]{escape(_first(point.reason))}[/]",
            )
            continue
        style = "bold" if number in knees else "dim" if worse else ""
        cells = (
            f"{place[0]:.4f}",
            f"{place[1]:.4f}",
            f"{point.rows_suppressed:,}",
            f"{point.contacts:,.1f}",
        )
        table.add_row(f"{point.setting:g}", point.solver, *cells, note, style=style)
    console.print(table, highlight=False)
    if not knees:
        console.print("No point of diminishing return can be named.", highlight=False)
    guidance = guidance_for(found.over)
    if guidance is not None:
        console.print(f"{found.over} defends {guidance.defends}.", highlight=False)
        console.print(f"It leaves open: {guidance.leaves_open}.", highlight=False)


def show_channel_sweep(made: ChannelSweep, console: Console) -> None:
    """One line for each setting, lowest first; then where more tolerance stops paying."""
    from rich.markup import escape
    from rich.table import Table

    found = made.trade_off
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in (found.over, "loss", "least", "told nothing", "inputs each", "at risk", ""):
        table.add_column(heading, justify="right" if heading else "left")
    for point in found.points:
        if point.reason:
            note = f"[yellow]{escape(_first(point.reason))}[/]"
            table.add_row(f"{point.setting:g}", "", "", "", "", "", note)
            continue
        is_knee = point.setting == found.diminishing_return
        table.add_row(
            f"{point.setting:g}",
            f"{point.loss:.4f}",
            "" if point.least_loss is None else f"{point.least_loss:.4f}",
            f"{point.untold:.1%}",
            f"{point.inputs_each:.2f}",
            f"{point.at_risk:.1%}",
            "diminishing return" * is_knee,
            style="bold" if is_knee else "",
        )
    console.print(table, highlight=False)
    for line in found.words:
        console.print(line, highlight=False)


def _first(reason: str) -> str:
    """The first sentence of a reason; the page has all of it."""
    return reason.split(". ")[0].rstrip(".") + "." if reason else "risk or utility is not known"
