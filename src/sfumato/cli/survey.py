"""`sfumato survey`: look a table over and propose a policy."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from .reading import add_source, source_options


def configure(command: argparse.ArgumentParser) -> None:
    add_source(command)
    command.add_argument(
        "--to", type=Path, help="where to write the proposed policy (default: SOURCE.policy.toml beside the data)"
    )
    command.add_argument("--no-policy", action="store_true", help="only look, write nothing")
    command.add_argument("--json", action="store_true", help="print the survey as JSON instead of tables")
    command.add_argument("--combinations", type=int, default=3, metavar="N", help="most fields in a combination")


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.releases import beside, write_new
    from sfumato.sources import open_source
    from sfumato.sources.survey import print_survey, proposed_toml, survey, survey_as_dict

    from .showing import stages

    console = Console()
    with open_source(options.source, **source_options(options)) as engine, stages(console) as progress:
        progress("surveying")
        found = survey(engine, max_combination=options.combinations)
    if options.json:
        print(json.dumps(survey_as_dict(found), indent=2))
    else:
        print_survey(found, console)
    if not options.no_policy:
        path = options.to or beside(options.source)
        write_new(path, proposed_toml(found))
        console.print(f"Proposed policy: {path}", highlight=False, soft_wrap=True)
    return 0
