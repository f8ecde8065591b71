"""`sfumato key`: make a key for pseudonyms."""

from __future__ import annotations

import argparse
from pathlib import Path

from .shared_arguments import add_json, print_json


def configure(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "file", type=Path, help="where to write the key; only its owner may read it"
    )
    add_json(command, what="where the key is")


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.releases import Key

    Key.create_file(options.file)
    if options.json:
        print_json({"key": options.file})
        return 0
    Console().print(
        f"Wrote a new key to {options.file}. Keep it apart from the releases: whoever has "
        "it can find out whose "
        "pseudonym is whose. Without it, pseudonyms cannot be made the same in another release.",
        highlight=False,
    )
    return 0
