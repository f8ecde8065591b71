"""`sfumato key`: make a key for pseudonyms, or one that signs releases."""

from __future__ import annotations

import argparse
from pathlib import Path

from .shared_arguments import add_json, print_json


def configure(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", type=Path, help="file for the key; only its owner may read it")
    command.add_argument(
        "--sign",
        action="store_true",
        help="make a key that signs (Ed25519); its public half is written to FILE.pub",
    )
    command.add_argument(
        "--release",
        type=Path,
        metavar="FOLDER",
        help="a release of any kind to sign with the key in FILE; needs --sign",
    )
    add_json(command, what="the place of the key")


def run(options: argparse.Namespace) -> int:
    if options.release is not None:
        return _sign(options)
    return _signing_key(options) if options.sign else _pseudonym_key(options)


def _sign(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.errors import Mistake
    from sfumato.releases import sign_release

    if not options.sign:
        raise Mistake(
            f"The release {options.release} was named with a key.",
            found="It is not said what for.",
            attempt="--sign too.",
        )
    number = sign_release(options.release, options.file)
    if options.json:
        print_json({"release": options.release, "signed_by": number})
        return 0
    words = f"Signed {options.release} with the key {number[:16]}."
    Console().print(words, highlight=False, markup=False)
    return 0


def _pseudonym_key(options: argparse.Namespace) -> int:
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


def _signing_key(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.signatures import SigningKey, public_file

    public = SigningKey.create_file(options.file).public
    place = public_file(options.file)
    if options.json:
        print_json({"key": options.file, "public": place, "line": public.line})
        return 0
    console = Console()
    console.print(
        f"Wrote a new key to {options.file}: whoever has it can sign in your name. Its public "
        f"half is in {place}; give that to those who verify your releases.",
        highlight=False,
        markup=False,
    )
    console.print(f"  {public.line}", highlight=False, markup=False, soft_wrap=True)
    return 0
