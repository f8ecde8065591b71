"""`sfumato validate`: ask a gate whether a number of a synthetic copy holds in the real table."""

from __future__ import annotations

import argparse
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .shared_arguments import add_json, print_json

if TYPE_CHECKING:
    from sfumato.gate import GateClient

TOKEN: Final = "SFUMATO_TOKEN"
"""Where a token is looked for without --token-file."""
EXIT: Final = {"agrees": 0, "differs": 1, "cannot say": 3}


def configure(command: argparse.ArgumentParser) -> None:
    command.add_argument("query", help='the question, such as "SELECT AVG(age) FROM people"')
    command.add_argument(
        "--value",
        type=float,
        help="the number on your copy (default: the gate computes it, where it has the copy)",
    )
    command.add_argument(
        "--margin", type=float, required=True, help="how far off the real number may be"
    )
    command.add_argument(
        "--gate",
        default="http://127.0.0.1:8417",
        metavar="URL",
        help="address of the gate (default: http://127.0.0.1:8417)",
    )
    command.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help=f"file with your token for programs (default: the environment's {TOKEN})",
    )
    command.add_argument(
        "--certificate", type=Path, metavar="FILE", help="PEM file to check the gate with"
    )
    command.add_argument("--epsilon", type=float, help="cost (default: that of your profile)")
    command.add_argument(
        "--confidence",
        type=float,
        default=0.95,
        help="how often the interval holds the real number (default: 0.95)",
    )
    command.add_argument(
        "--forecast",
        action="store_true",
        help="only say what it would cost and which epsilon would decide it",
    )
    add_json(command)


def run(options: argparse.Namespace) -> int:
    client = _client(options)
    claim = {name: getattr(options, name) for name in ("margin", "value", "epsilon", "confidence")}
    if options.forecast:
        return _forecast(client, options, claim)
    found = client.validate(options.query, **claim)
    if options.json:
        print_json({**asdict(found), "agreement": found.agreement.value})
    else:
        print(found.in_words())
        for cut in found.cuts:
            print(f"Before noise, {cut}.")
        cost = (
            "It was answered before and cost nothing"
            if found.remembered
            else (f"It cost epsilon {found.epsilon:g}")
        )
        print(f"{cost}; {found.left:,} such answers remain. Query {found.query}.")
    return EXIT[found.agreement.value]


def _forecast(client: GateClient, options: argparse.Namespace, claim: dict[str, float]) -> int:
    found = client.forecast(options.query, **claim)
    if options.json:
        print_json(asdict(found))
        return 0
    print(f"It would cost epsilon {found.epsilon:g}; {found.left:,} such answers remain.")
    if found.half_width is None:
        print("How near the number would be is unknown: the gate has no synthetic copy for it.")
        return 0
    print(f"The number would usually be within {found.half_width:.4g} of the real one.")
    if not found.decides and found.epsilon_needed is not None:
        beyond = " (more than you may choose)" if found.epsilon_needed > found.most else ""
        print(
            f"A margin of {options.margin:g} needs epsilon {found.epsilon_needed:.2g}{beyond}; this "
            f"epsilon decides a margin of {found.margin_decided:.4g}."
        )
    return 0


def _client(options: argparse.Namespace) -> GateClient:
    from sfumato.errors import Mistake, SecretError
    from sfumato.gate import GateClient

    token = os.environ.get(TOKEN, "")
    if options.token_file is not None:
        try:
            token = options.token_file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise SecretError(
                f"The token file {options.token_file} cannot be read.",
                attempt="the file that has your token and nothing else.",
            ) from None
    if not token.strip():
        raise Mistake(
            "A gate was to be asked without a token.",
            attempt=f"--token-file, or {TOKEN} in the environment; the gate's page Programs makes one.",
        )
    return GateClient(url=options.gate, token=token.strip(), certificate=options.certificate)
