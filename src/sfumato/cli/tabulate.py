"""`sfumato tabulate`: tables of counts of one source."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from .shared_arguments import add_made_table, made_table_keywords, print_json

if TYPE_CHECKING:
    from rich.console import Console

    from sfumato.releases import TabulatedRelease


def configure(command: argparse.ArgumentParser) -> None:
    add_made_table(
        command,
        section="[tables_of_counts]: the method, the fields and their values",
        epsilon="privacy budget of a private table",
        printed="the outcome, what was measured and the places",
    )


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.releases import tabulate

    from .progress import stages

    console = Console(stderr=options.json)
    with stages(console) as progress:
        made = tabulate(
            options.source, options.policy, progress=progress, **made_table_keywords(options)
        )
    if options.json:
        print_json(
            {
                "folder": made.folder,
                "outcome": made.outcome,
                "cells": made.cells,
                "suppressed": made.suppressed,
                "findings": [{"what": what, "found": found} for what, found in made.findings],
                "account": made.account,
                "digest": made.digest,
            }
        )
    else:
        _show(made, console)
    return {"pass": 0, "fail": 1}.get(made.outcome, 3)


def _show(made: TabulatedRelease, console: Console) -> None:
    gone = f", {made.suppressed:,} suppressed" if made.suppressed else ""
    console.print(f"{made.outcome}: {made.cells:,} cells{gone}")
    for what, found in made.findings:
        console.print(f"  {what}: {found}", markup=False)
    console.print(f"{made.folder}: {made.manifest['tables']['counts']['file']}, report.html")
    console.print(f"digest {made.digest}")
