"""`sfumato clean`: remove the remaining files of killed runs, and nothing else."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sfumato.runs import Leftover

FATES = {
    "dead": "left by a run that ended",
    "living": "of a run that is active",
    "unknown": "its owner is unknown here",
}


def configure(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the folder that releases and pages are written to (default: this one); subfolders "
        "are not searched",
    )
    command.add_argument("--dry-run", action="store_true", help="only list what would be removed")
    command.add_argument("--json", action="store_true", help="print the list as JSON")


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.errors import TargetError
    from sfumato.runs import find_leftovers

    if not options.folder.is_dir():
        raise TargetError(
            f"{options.folder} is not a folder.", attempt="the folder that releases are written to."
        )
    console = Console()
    found = list(find_leftovers(options.folder))
    done = [
        (each, each.state == "dead" and not options.dry_run and each.remove()) for each in found
    ]
    if options.json:
        print(json.dumps([_facts(each, removed=removed) for each, removed in done], indent=2))
    else:
        for each, removed in done:
            word = (
                each.fate() if removed else "would be removed" if each.state == "dead" else "stays"
            )
            line = f"{word}: {each.words()} ({FATES[each.state]})"
            console.print(line, highlight=False, markup=False, soft_wrap=True)
        if not found:
            console.print("There are no leftovers here.", highlight=False)
    failed = not options.dry_run and any(
        each.state == "dead" and not removed for each, removed in done
    )
    return int(failed)


def _facts(each: Leftover, *, removed: bool) -> dict[str, object]:
    return {"path": str(each.path), "kind": each.kind, "run": each.state, "removed": removed}
