"""`sfumato release`: the main job."""

from __future__ import annotations

import argparse
from pathlib import Path

from .candidate import add_register, check_register, run_candidate
from .profiles import add_profiles, run_profiles
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
        "ledger; with --profiles a new folder of such files; needs --key",
    )
    command.add_argument(
        "--person",
        default="",
        metavar="FIELD",
        help="field that identifies the person of a row, for --keep-people and --profiles "
        "(default: the policy's entity)",
    )
    command.add_argument(
        "--agreement",
        metavar="FILE",
        help="text that the recipient signed, or sha256:…; the manifest names it by its digest "
        "(default: that of --application)",
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
    add_profiles(command)
    add_register(command)
    add_json(command, what="outcome, verdicts and places")


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.releases import release

    from .progress import stages
    from .release_text import EXIT, release_facts, show_release

    check_register(options)
    if options.profiles or options.apart:
        return run_profiles(options)
    target = options.to or default_target(options.source)
    making = dict(
        documents=options.documents,
        file_format=options.format,
        lookup_file=options.lookup,
        replace=options.replace,
        quote_formulas=options.quote_formulas,
        sign=options.sign,
        person=options.person,
        keep_stages=options.keep_stages,
        agreement=options.agreement,
        **source_options(options),
    )
    if options.register is not None:
        return run_candidate(options, target, making)
    console = Console(stderr=options.json)
    with stages(console) as progress:
        made = release(
            options.source,
            options.policy,
            to=target,
            key=given_key(options),
            keep_people=options.keep_people,
            progress=progress,
            **making,
        )
    if options.json:
        print_json(release_facts(made))
    else:
        show_release(made, console)
    return EXIT[made.outcome]
