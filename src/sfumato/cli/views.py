"""`sfumato views`: each recipient profile reads its own release of a live source."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from .shared_arguments import (
    add_json,
    add_key,
    add_policy,
    add_source,
    as_target,
    as_words,
    given_key,
    policy_place,
    print_json,
    source_options,
)

if TYPE_CHECKING:
    from rich.console import Console

    from sfumato.views import RefreshedViews


def configure(command: argparse.ArgumentParser) -> None:
    add_source(command)
    add_policy(command)
    command.add_argument(
        "--to",
        type=as_target,
        required=True,
        help="a folder, for a DuckDB file of each profile, or postgresql://host/database, for a "
        "schema of each",
    )
    command.add_argument(
        "--profiles",
        type=as_words,
        default=(),
        metavar="A,B",
        help="profiles that get views, the one that may see most first (default: the policy's own)",
    )
    command.add_argument(
        "--apart",
        type=as_words,
        default=(),
        metavar="A,B",
        help="profiles whose recipients share nothing with the others, and are judged alone",
    )
    command.add_argument(
        "--role",
        action="append",
        default=[],
        metavar="PROFILE=ROLE",
        help="the PostgreSQL role of a profile (default: its own name)",
    )
    command.add_argument(
        "--state",
        type=Path,
        help="the holder's folder with all that was shown (default: beside --to)",
    )
    command.add_argument(
        "--person",
        default="",
        metavar="FIELD",
        help="the field that is the same for one person in every state (default: the entity)",
    )
    command.add_argument(
        "--anew",
        action="store_true",
        help="solve again in place of keeping the levels of the last release",
    )
    add_key(command)
    add_json(command)


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.errors import Mistake
    from sfumato.views import refresh_views

    from .progress import stages

    key = given_key(options)
    if key is None:
        raise Mistake(
            "Views were asked for.",
            found="There is no key to number people with.",
            attempt="--key FILE, which `sfumato key FILE` makes; the same one at every refresh.",
        )
    console = Console(stderr=options.json)
    with stages(console) as progress:
        made = refresh_views(
            options.source,
            policy_place(options),
            to=options.to,
            key=key,
            profiles=options.profiles,
            apart=options.apart,
            roles=_roles(options.role),
            state=options.state,
            person=options.person,
            anew=options.anew,
            progress=progress,
            **source_options(options),
        )
    if options.json:
        print_json(made.as_dict())
    else:
        _show(made, console)
    return 0


def _roles(given: list[str]) -> dict[str, str]:
    from sfumato.errors import Mistake

    pairs = [each.partition("=") for each in given]
    if not all(profile and role for profile, _, role in pairs):
        raise Mistake("A role was named for a profile.", attempt="--role PROFILE=ROLE.")
    return {profile: role for profile, _, role in pairs}


def _show(made: RefreshedViews, console: Console) -> None:
    from sfumato.wording import counted

    for each in made.profiles:
        console.print(f"{each.profile}: {counted(each.rows, 'row')} in {each.place}")
        levels = ", ".join(f"{name} {level}" for name, level in each.levels.items())
        console.print(f"  {levels}")
        if each.waiting:
            console.print(f"  {counted(each.waiting, 'newcomer')} waiting for more like them")
        if each.held_back:
            console.print(
                f"  {counted(each.held_back, 'person', 'people')} left out, whom earlier releases "
                "and this one together would expose"
            )
    for name, verdict in made.verdicts.items():
        console.print(f"{name}: {verdict.outcome}, {verdict.reason}")
    console.print(f"Keep {made.state}: it knows what was shown. It is private.")
