"""`sfumato verify`: re-check a release against its manifest."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from .reading import as_target


def configure(command: argparse.ArgumentParser) -> None:
    command.add_argument("folder", type=as_target, help="folder of a release, or postgresql://host/database#schema")
    command.add_argument("--json", action="store_true", help="print the checks as JSON")


def run(options: argparse.Namespace) -> int:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from sfumato.releases import verify

    from .released import COLOUR

    checks = verify(options.folder)
    failed = any(check.outcome == "fail" for check in checks)
    if options.json:
        print(json.dumps([asdict(check) for check in checks], indent=2))
        return int(failed)
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("", "claim", "found"):
        table.add_column(heading, overflow="fold")
    words = {"pass": "pass", "fail": "fail", "review": "cannot be seen here"}
    for check in checks:
        table.add_row(f"[{COLOUR[check.outcome]}]{words[check.outcome]}[/]", escape(check.claim), escape(check.found))
    console = Console()
    console.print(table)
    console.print("[red]The release is not what its manifest says.[/]" if failed else "[green]Every check holds.[/]")
    return int(failed)
