"""Options that commands of the register share: the signer, and the output at the end."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from .shared_arguments import print_json

if TYPE_CHECKING:
    from rich.console import Console

    from sfumato.register import Author, LedgerVerdict, Register


def add_part(
    parts: argparse._SubParsersAction[argparse.ArgumentParser], name: str, text: str
) -> argparse.ArgumentParser:
    part = parts.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
    part.add_argument("folder", type=Path, help="folder of the register")
    return part


def add_author(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--as", dest="author", required=True, metavar="NAME", help="your name in the charter"
    )
    part.add_argument(
        "--sign", type=Path, required=True, metavar="KEY", help="your key (see: sfumato key --sign)"
    )


def add_people_key(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--key",
        type=Path,
        metavar="KEY",
        help="the holder's key, to check the people record with; otherwise $SFUMATO_KEY (without "
        "it, the group is at review)",
    )


def given_author(options: argparse.Namespace) -> Author:
    from sfumato.errors import Mistake
    from sfumato.register import Author
    from sfumato.signatures import SigningKey

    if options.sign.suffix == ".pub":
        raise Mistake(
            f"{options.author} was to sign with {options.sign}.",
            found="It is the public half of a key, which only verifies.",
            attempt=f"--sign {options.sign.with_suffix('')}.",
        )
    return Author(name=options.author, key=SigningKey.from_file(options.sign))


def print_head(options: argparse.Namespace, head: str, text: str) -> int:
    from rich.console import Console

    if options.json:
        print_json({"head": head})
        return 0
    console = Console()
    console.print(text, highlight=False, markup=False)
    console.print(
        f"  {head}  is the new end of the register, for verify --anchor",
        highlight=False,
        soft_wrap=True,
    )
    return 0


def print_judged(
    options: argparse.Namespace,
    register: Register,
    verdicts: Mapping[str, LedgerVerdict],
    *,
    text: str = "",
) -> int:
    from rich.console import Console

    head = register.state().head.line()
    if options.json:
        print_json({"head": head, "verdicts": verdict_facts(verdicts)})
    else:
        console = Console()
        print_verdicts(verdicts, console)
        if text:
            console.print(text, highlight=False, markup=False, soft_wrap=True)
        console.print(
            f"  {head}  is the new end of the register, for verify --anchor",
            highlight=False,
            soft_wrap=True,
        )
    return exit_code(verdicts)


def print_verdicts(verdicts: Mapping[str, LedgerVerdict], console: Console) -> None:
    from rich.markup import escape

    from .release_text import COLOUR

    for group, verdict in verdicts.items():
        console.print(
            f"[{COLOUR[verdict.outcome]}]{verdict.outcome}[/] {escape(group)}: "
            f"{escape(verdict.reason)}",
            highlight=False,
            soft_wrap=True,
        )


def verdict_facts(verdicts: Mapping[str, LedgerVerdict]) -> dict[str, object]:
    return {group: verdict.as_dict() for group, verdict in verdicts.items()}


def exit_code(verdicts: Mapping[str, LedgerVerdict]) -> int:
    outcomes = {verdict.outcome for verdict in verdicts.values()}
    return 1 if "fail" in outcomes else 3 if "review" in outcomes else 0
