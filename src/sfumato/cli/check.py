"""`sfumato check`: all problems of a policy at once, alone or against its source."""

from __future__ import annotations

import argparse
from pathlib import Path

from .reading import add_source, source_options


def configure(command: argparse.ArgumentParser) -> None:
    command.add_argument("policy", type=Path, help="a policy file")
    add_source(command)
    for action in command._actions:
        if action.dest == "source":
            action.nargs = "?"


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.policy import read_policy
    from sfumato.releases import prepare
    from sfumato.sources import open_source

    console = Console()
    policy = read_policy(options.policy)
    if options.source is None:
        console.print(f"{options.policy.name} holds together. Give its source too to check them against each other.")
        return 0
    with open_source(options.source, **source_options(options)) as engine:
        prepared = prepare(engine, policy)
    console.print(
        f"{options.policy.name} fits {options.source.name}: {prepared.rows:,} rows, {len(prepared.bins):,} bins over "
        f"({', '.join(prepared.known)}), solver {prepared.solver.name}.",
        highlight=False,
    )
    return 0
