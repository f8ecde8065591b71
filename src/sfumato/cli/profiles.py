"""`sfumato release --profiles`: a release for each recipient profile, judged together."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from .shared_arguments import as_words, default_target, given_key, print_json, source_options

if TYPE_CHECKING:
    from rich.console import Console

    from sfumato.views import ProfileReleases


def add_profiles(command: argparse.ArgumentParser) -> None:
    """Options of releases to several profiles."""
    part = command.add_argument_group("releases to several profiles, judged together")
    part.add_argument(
        "--profiles",
        type=as_words,
        default=(),
        metavar="A,B",
        help="one folder with a release for each of these profiles, the one that may see most first",
    )
    part.add_argument(
        "--apart",
        type=as_words,
        default=(),
        metavar="A,B",
        help="profiles whose recipients share nothing with the others, and are judged alone",
    )


def run_profiles(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.views import release_profiles

    from .progress import stages

    _check(options)
    console = Console(stderr=options.json)
    with stages(console) as progress:
        made = release_profiles(
            options.source,
            options.policy,
            to=options.to or default_target(options.source),
            profiles=options.profiles,
            apart=options.apart,
            key=given_key(options),
            person=options.person,
            keep_people=options.keep_people,
            replace=options.replace,
            progress=progress,
            file_format=options.format,
            lookup_file=options.lookup,
            quote_formulas=options.quote_formulas,
            sign=options.sign,
            **source_options(options),
        )
    if options.json:
        print_json(made.as_dict())
    else:
        _show(made, console)
    return 0


def _check(options: argparse.Namespace) -> None:
    """Refuse options that are about a single release."""
    from sfumato.errors import Mistake

    given = {
        "--register": options.register,
        "--documents": options.documents,
        "--agreement": options.agreement,
        "--keep-stages": options.keep_stages,
    }
    strange = [word for word, value in given.items() if value is not None]
    if strange or not options.profiles:
        raise Mistake(
            "Releases to several profiles were asked for.",
            found=f"{', '.join(strange)} is about a single release."
            if strange
            else "No profile was named.",
            attempt="one release after another, each with its own."
            if strange
            else "--profiles A,B too.",
        )


def _show(made: ProfileReleases, console: Console) -> None:
    from rich.markup import escape

    from sfumato.wording import counted

    from .release_text import show_digest

    for name, each in made.releases.items():
        console.print(
            f"{name}: {each.outcome}, {counted(each.rows, 'row')} in {each.folder}",
            highlight=False,
            soft_wrap=True,
        )
        levels = each.manifest["recoding"]["level_names"]
        console.print(
            f"  {', '.join(f'{field} {level}' for field, level in levels.items())}",
            highlight=False,
            markup=False,
        )
        if made.held_back[name]:
            people = counted(made.held_back[name], "person", "people")
            console.print(
                f"  {people} left out, whom this release and others together would expose",
                highlight=False,
            )
        for warning in each.manifest["warnings"]:
            console.print(f"  [yellow]![/] {escape(warning)}", highlight=False)
        show_digest(each.digest, console)
    for name, verdict in made.verdicts.items():
        console.print(f"{name}: {verdict.outcome}, {verdict.reason}", highlight=False)
    console.print(
        f"Give each recipient the folder of their profile alone. To check all of them: "
        f"sfumato verify {made.folder} --digest {made.digest}",
        highlight=False,
        soft_wrap=True,
    )
