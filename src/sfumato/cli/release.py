"""`sfumato release`: the main job."""

from __future__ import annotations

import argparse
from pathlib import Path

from .shared_arguments import (
    add_json,
    add_key,
    add_policy,
    add_source,
    as_target,
    default_target,
    given_key,
    print_json,
    source_options,
)


def configure(command: argparse.ArgumentParser) -> None:
    add_source(command)
    add_policy(command, otherwise="; proposed if absent")
    command.add_argument(
        "--to",
        type=as_target,
        help="folder for the release, or postgresql://host/database#schema (default: "
        "SOURCE-release beside the data; "
        "DATABASE-release here for an address)",
    )
    command.add_argument(
        "--documents",
        type=Path,
        help="folder for manifest and report of tables in a database (default: SCHEMA-release)",
    )
    command.add_argument(
        "--format",
        choices=("csv", "parquet", "xlsx"),
        default="",
        help="format of the tables (default: Parquet for Parquet and servers, otherwise CSV)",
    )
    command.add_argument("--replace", action="store_true", help="replace an earlier release")
    command.add_argument(
        "--quote-formulas",
        action="store_true",
        help="put an apostrophe before cells of CSV that a spreadsheet would run",
    )
    command.add_argument(
        "--keep-stages",
        type=Path,
        metavar="DIR",
        help="an empty folder that keeps every step as a table to inspect; it holds private rows",
    )
    command.add_argument(
        "--keep-people",
        type=Path,
        metavar="FILE",
        help="a new file for the holder with the person of each row, as keyed numbers, for the "
        "ledger; needs --key",
    )
    command.add_argument(
        "--person",
        default="",
        metavar="FIELD",
        help="field that identifies the person of a row, for --keep-people (default: the policy's entity)",
    )
    command.add_argument(
        "--sign",
        type=Path,
        metavar="KEY",
        help="sign the manifest with this key (see: sfumato key --sign)",
    )
    command.add_argument(
        "--lookup", type=Path, help="file that keeps lookup pseudonyms, created if absent"
    )
    add_key(command)
    add_json(command, what="outcome, verdicts and places")


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.releases import release

    from .progress import stages
    from .release_text import EXIT, release_facts, show_release

    console = Console(stderr=options.json)
    reading = source_options(options)
    with stages(console) as progress:
        made = release(
            options.source,
            options.policy,
            to=options.to or default_target(options.source),
            documents=options.documents,
            file_format=options.format,
            key=given_key(options),
            lookup_file=options.lookup,
            replace=options.replace,
            quote_formulas=options.quote_formulas,
            sign=options.sign,
            keep_people=options.keep_people,
            person=options.person,
            keep_stages=options.keep_stages,
            progress=progress,
            **reading,
        )
    if options.json:
        print_json(release_facts(made))
    else:
        show_release(made, console)
    return EXIT[made.outcome]
