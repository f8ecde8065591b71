"""`sfumato release`: the main job."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from .reading import add_key, add_source, given_key, source_options

if TYPE_CHECKING:
    from rich.console import Console

    from sfumato.releases import Release

EXIT = {"pass": 0, "fail": 1, "review": 3}
COLOUR = {"pass": "green", "fail": "red", "review": "yellow"}


def configure(command: argparse.ArgumentParser) -> None:
    add_source(command)
    command.add_argument(
        "--policy", type=Path, help="policy file (default: SOURCE.policy.toml beside the data; proposed if absent)"
    )
    command.add_argument("--to", type=Path, help="folder for the release (default: SOURCE-release beside the data)")
    command.add_argument("--format", choices=("csv", "parquet"), default="", help="default: as the source")
    command.add_argument("--replace", action="store_true", help="put this release in the place of an earlier one")
    command.add_argument("--lookup", type=Path, help="file that keeps lookup pseudonyms, made if absent")
    add_key(command)


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.releases import release

    from .showing import stages

    console = Console()
    target = options.to or options.source.parent / f"{options.source.stem}-release"
    with stages(console) as progress:
        made = release(
            options.source,
            options.policy,
            to=target,
            file_format=options.format,
            key=given_key(options),
            lookup_file=options.lookup,
            replace=options.replace,
            progress=progress,
            **source_options(options),
        )
    show_release(made, console)
    return EXIT[made.outcome]


def show_release(made: Release, console: Console) -> None:
    """The verdicts, what was assumed, and where everything is."""
    from rich.table import Table

    table = Table(title=None, box=None, header_style="bold", pad_edge=False)
    for heading in ("verdict", "model", "requirement", "reason"):
        table.add_column(heading, overflow="fold")
    for verdict in made.verdicts:
        word = f"[{COLOUR[verdict.outcome]}]{verdict.outcome}[/]"
        table.add_row(word, verdict.model, verdict.requirement, verdict.reason)
    console.print(table)
    for warning in made.manifest["warnings"]:
        console.print(f"[yellow]![/] {warning}", highlight=False)
    if made.proposed_file is not None:
        console.print(
            f"[yellow]![/] No policy was given. One was proposed in {made.proposed_file}: read it, correct it, delete "
            "its line 'proposed = true' and run again.",
            highlight=False,
        )
    share = made.rows_suppressed / max(made.rows + made.rows_suppressed, 1)
    console.print(
        f"[bold {COLOUR[made.outcome]}]{made.outcome}[/]: {made.rows:,} rows released, {made.rows_suppressed:,} "
        f"suppressed ({share:.1%}); precision {made.manifest['utility']['precision']:.2f}",
        highlight=False,
    )
    for name in (made.table.name, "manifest.json", "report.html"):
        console.print(f"  {made.folder / name}", highlight=False, soft_wrap=True)
