"""`sfumato advise`: the loss under a policy, the cost of each field, and changes that make lost
fields usable again."""

from __future__ import annotations

import argparse
import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.wording import counted

from .shared_arguments import add_policy_and_source, settle_policy_and_source, source_options

if TYPE_CHECKING:
    from rich.console import Console

    from sfumato.policy import Policy
    from sfumato.releases import Advice

EXIT = {"pass": 0, "fail": 1, "review": 3}
MOST_COSTS = 5


def configure(command: argparse.ArgumentParser) -> None:
    add_policy_and_source(command)
    command.add_argument("--json", action="store_true", help="print the advice as JSON")
    command.add_argument(
        "--seconds",
        type=_seconds,
        default=300.0,
        metavar="N",
        help="CPU seconds that the searches may take (default: 300)",
    )
    command.add_argument(
        "--write", type=Path, metavar="FILE", help="write the policy with a change to a new file"
    )
    command.add_argument(
        "--change",
        type=int,
        default=1,
        metavar="N",
        help="number of the change for --write (default: 1, the first)",
    )


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e6:
        raise argparse.ArgumentTypeError(f"a number of seconds above 0 is needed, not {text}")
    return seconds


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.policy import read_policy
    from sfumato.releases import check_new
    from sfumato.runs import claim

    settle_policy_and_source(options)
    console = Console(stderr=options.json)
    policy = read_policy(options.policy)
    with ExitStack() as held:
        if options.write is not None:
            check_new(options.write)
            held.enter_context(claim(options.write))
        found = _advised(options, policy, console)
        if options.json:
            print(json.dumps(found.as_dict(), indent=2))
        else:
            show_advice(found, console)
        if options.write is not None:
            _write(options, found, console)
    return EXIT[found.outcome]


def _advised(options: argparse.Namespace, policy: Policy, console: Console) -> Advice:
    from sfumato.releases import advise

    from .progress import stages

    with stages(console) as progress:
        return advise(
            options.source,
            policy,
            progress=progress,
            seconds=options.seconds,
            **source_options(options),
        )


def show_advice(found: Advice, console: Console) -> None:
    """Lost fields, the cost of each field, and changes."""
    if found.trial is None:
        console.print("No recoding keeps what the policy requires.", highlight=False)
    elif not found.lost:
        console.print(
            f"Nothing is lost: every known field stays useful, precision {found.trial.precision:.2f}.",
            highlight=False,
        )
        return
    else:
        console.print(
            f"Lost: {', '.join(found.lost)}. Precision {found.trial.precision:.2f}, "
            f"{found.trial.rows_suppressed:,} of {found.trial.rows:,} rows left out.",
            highlight=False,
            markup=False,
        )
    dear = [each for each in found.costs if each.cost > 0][:MOST_COSTS]
    if dear:
        told = ", ".join(f"{each.name} {each.cost:.1%}" for each in dear)
        console.print(
            f"Cost of each field to the others, by short searches: {told}.",
            highlight=False,
            markup=False,
        )
    _show_changes(found, console)
    if found.skipped:
        left_out = counted(found.skipped, "search was", "searches were")
        console.print(
            f"{left_out} left out, for which the time was too short. --seconds N allows more.",
            highlight=False,
        )


def _show_changes(found: Advice, console: Console) -> None:
    for place, each in enumerate(found.changes, 1):
        console.print(
            f"{place}. {each.words}; {counted(each.trial.rows_suppressed, 'row')} left out "
            f"[{each.change.protection}]",
            highlight=False,
            markup=False,
        )
    if not found.changes:
        console.print("No change that was tried keeps more.", highlight=False)
    else:
        console.print(
            "Each was searched for on the whole source, as a release would"
            + (", some for a shorter time. " if found.is_short else ". ")
            + "--write FILE --change N writes the policy with one.",
            highlight=False,
        )


def _write(options: argparse.Namespace, found: Advice, console: Console) -> None:
    from sfumato.errors import Mistake
    from sfumato.policy import policy_as_toml
    from sfumato.releases import write_new

    if not 1 <= options.change <= len(found.changes):
        raise Mistake(
            f"Change {options.change} was asked for.",
            found=f"There are {len(found.changes)}.",
            attempt="a number of the list, or no --write.",
        )
    chosen = found.changes[options.change - 1]
    header = [
        f"As sfumato advise changed it from {options.policy.name}: {chosen.words}.",
        f"Protection: {chosen.change.protection}.",
    ]
    write_new(options.write, policy_as_toml(chosen.change.policy, header=header))
    console.print(f"Policy with change {options.change}: {options.write}", highlight=False)
