"""`sfumato hierarchy`: draw the hierarchy a policy gives a field, or save it as CSV to edit."""

from __future__ import annotations

import argparse
from pathlib import Path

from .shared_arguments import add_json, add_policy, add_source, policy_place, print_json


def configure(command: argparse.ArgumentParser) -> None:
    add_source(command)
    command.add_argument(
        "field", help="a field of the source; TABLE.FIELD where there are several tables"
    )
    add_policy(command)
    command.add_argument(
        "--csv",
        type=Path,
        help="write 'value;level1;level2;...' to this file, one row per value, to edit",
    )
    command.add_argument("--html", type=Path, help="write the drawing as HTML to this file")
    add_json(command, what="level names and sizes, without a value,")


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.errors import HierarchyError
    from sfumato.files import write_whole
    from sfumato.hierarchies import Suppression, as_html, as_tree, builder_of, write_csv
    from sfumato.policy import read_policy

    from .opened_source import opened_field

    console = Console(stderr=options.json)
    path = policy_place(options)
    policy = read_policy(path) if options.policy or path.exists() else None
    with opened_field(options, policy) as field:
        values = field.engine.frequencies((field.name,)).values[0]
        decided = field.decided
    spec = (decided.hierarchy if decided else None) or Suppression()
    try:
        hierarchy = spec.bind(values)
    except HierarchyError:
        if options.csv is None:
            raise
        hierarchy = Suppression().bind(values)
        console.print(
            "The hierarchy does not cover every value: writing value;* for all of them, to "
            "be filled in."
        )
    if options.csv is not None:
        write_csv(hierarchy, options.csv)
        console.print(f"Wrote {options.csv}", soft_wrap=True)
    if options.html is not None:
        write_whole(options.html, as_html(hierarchy))
        console.print(f"Wrote {options.html}", soft_wrap=True)
    if options.json:
        print_json(
            {
                "field": options.field,
                "builder": builder_of(spec),
                "levels": [hierarchy.level_name(level) for level in range(hierarchy.height + 1)],
                "values": len(values),
            }
        )
    elif options.csv is None and options.html is None:
        console.print(as_tree(hierarchy))
    return 0
