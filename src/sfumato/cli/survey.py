"""`sfumato survey`: survey the fields of a table or a database and propose a policy."""

from __future__ import annotations

import argparse
import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from .shared_arguments import add_source, source_options

if TYPE_CHECKING:
    from rich.console import Console

    from sfumato.engines import Database, Engine
    from sfumato.policy import SourceFormat


def configure(command: argparse.ArgumentParser) -> None:
    add_source(command)
    command.add_argument(
        "--to",
        type=Path,
        help="file for the proposed policy (default: SOURCE.policy.toml beside the data; "
        "DATABASE.policy.toml "
        "here for an address)",
    )
    command.add_argument(
        "--no-policy", action="store_true", help="print the survey, and write no policy"
    )
    command.add_argument(
        "--json", action="store_true", help="print the survey as JSON instead of tables"
    )
    command.add_argument(
        "--reasons",
        action="store_true",
        help="also print the reasons for each field, the Safe Harbor list and the combinations",
    )
    command.add_argument(
        "--combinations",
        type=int,
        default=3,
        metavar="N",
        help="largest number of fields in a combination",
    )


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.releases import beside, check_new, write_new
    from sfumato.runs import claim

    console = Console(stderr=options.json)
    path = None if options.no_policy else options.to or beside(options.source)
    with ExitStack() as held:
        if path is not None:
            check_new(path)
            held.enter_context(claim(path))
        proposed = _proposed(options, console)
        if path is not None:
            write_new(path, proposed)
            console.print(f"Proposed policy: {path}", highlight=False, soft_wrap=True)
    return 0


def _proposed(options: argparse.Namespace, console: Console) -> str:
    """Survey the source and show the findings; the text of the proposed policy, if any."""
    from sfumato.engines import open_undecided
    from sfumato.policy import SourceFormat

    with open_undecided(options.source, **source_options(options)) as opened:
        format = SourceFormat().with_options(opened.options)
        if opened.database is not None:
            return _tables(options, opened.database, console, format=format)
        return _one_table(options, opened.engine, console, format=format)


def _one_table(
    options: argparse.Namespace, engine: Engine, console: Console, *, format: SourceFormat
) -> str:
    """Survey and show one table; the text of its proposed policy, with how the table was read, so
    that a release repeats it."""
    from sfumato.surveys import (
        print_summary,
        print_survey,
        proposed_toml,
        survey,
        survey_as_dict,
    )

    from .progress import stages

    with stages(console) as progress:
        progress("surveying")
        found = survey(engine, max_combination=options.combinations)
    if options.json:
        print(json.dumps(survey_as_dict(found), indent=2))
    elif options.reasons:
        print_survey(found, console)
    else:
        print_summary(found, console)
    return "" if options.no_policy else proposed_toml(found, source=format)


def _tables(
    options: argparse.Namespace, database: Database, console: Console, *, format: SourceFormat
) -> str:
    """The same for several tables."""
    from sfumato.surveys import (
        print_tables_summary,
        print_tables_survey,
        proposed_tables_toml,
        survey_tables,
        tables_survey_as_dict,
    )

    from .progress import stages

    with stages(console) as progress:
        found = survey_tables(database, max_combination=options.combinations, progress=progress)
    if options.json:
        print(json.dumps(tables_survey_as_dict(found), indent=2))
    elif options.reasons:
        print_tables_survey(found, console)
    else:
        print_tables_summary(found, console)
    return "" if options.no_policy else proposed_tables_toml(found, source=format)
