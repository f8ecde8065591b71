"""`sfumato accounts`: the accounts of a gate, its first administrator among them. The gate itself
must be closed."""

from __future__ import annotations

import argparse
import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .shared_arguments import add_json, print_json

if TYPE_CHECKING:
    from rich.console import Console

RIGHTS = ("recipient", "steward", "board", "administrator")


def configure(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--config",
        type=Path,
        default=Path("gate.toml"),
        help="the gate's file (default: gate.toml)",
    )
    parts = command.add_subparsers(dest="what", metavar="WHAT", required=True)
    add_json(parts.add_parser("list", help="list all accounts"))
    add = parts.add_parser("add", help="add an account; its password is generated and shown once")
    add.add_argument("name", help="name of the account")
    add.add_argument(
        "--right",
        choices=RIGHTS,
        default="recipient",
        help="right of the account (default: recipient)",
    )
    add.add_argument(
        "--profile",
        default="public",
        help="the recipient profile of the policies (default: public)",
    )
    add.add_argument(
        "--group",
        action="append",
        default=[],
        help="a group whose members share what they see; repeatable",
    )
    add.add_argument(
        "--until", default="", metavar="DATE", help="the last day on which it may come"
    )
    add.add_argument(
        "--ask", action="store_true", help="ask for the password in place of generating one"
    )
    add_json(add, what="name and password")
    again = parts.add_parser(
        "password", help="set a new password, generated and shown once; sessions and tokens end"
    )
    again.add_argument("name", help="name of the account")
    again.add_argument(
        "--ask", action="store_true", help="ask for the password in place of generating one"
    )
    add_json(again, what="name and password")


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.gate import open_office, read_settings

    console = Console()
    with open_office(read_settings(options.config)) as office:
        if options.what == "list":
            _list(office, console, as_json=options.json)
            return 0
        password = _asked() if options.ask else made_up_password()
        if options.what == "add":
            from sfumato.gate import Right

            right, groups = Right(options.right), tuple(options.group)
            _check_day(options.until)
            office.accounts.add(
                options.name,
                password,
                right=right,
                profile=options.profile,
                groups=groups,
                until=options.until,
            )
            facts = {
                "account": options.name,
                "right": right.value,
                "profile": options.profile,
                "groups": list(groups),
                **({"until": options.until} if options.until else {}),
            }
            office.audit.append("account added", {"who": "the command line", **facts})
        else:
            office.accounts.set_password(options.name, password)
            facts = {"account": options.name, "changes": {}, "password": True}
            office.audit.append("account changed", {"who": "the command line", **facts})
    if options.json:
        print_json({"account": options.name, **({} if options.ask else {"password": password})})
    elif not options.ask:
        console.print(f"{options.name}: {password}", highlight=False, markup=False)
        console.print("This password is shown once.")
    return 0


def _check_day(until: str) -> None:
    from sfumato.errors import Mistake
    from sfumato.register import is_day

    if until and not is_day(until):
        raise Mistake(
            "An account was given its last day.",
            found="It is no day.",
            attempt="a day such as 2027-06-30.",
        )


def _list(office: Any, console: Console, *, as_json: bool) -> None:
    accounts = [office.accounts.find(name) for name in office.accounts.names()]
    found = [each for each in accounts if each is not None]
    if as_json:
        print_json(
            [
                {
                    "name": each.name,
                    "right": each.right.value,
                    "profile": each.profile,
                    "disabled": each.disabled,
                    "until": each.until,
                }
                for each in found
            ]
        )
        return
    for each in found:
        state = ", disabled" if each.disabled else f", until {each.until}" if each.until else ""
        said = f"{each.name}: {each.right.value}, profile {each.profile}{state}"
        console.print(said, highlight=False)


def made_up_password() -> str:
    """Five groups of five letters and digits that cannot be mistaken for each other: 115 bits."""
    import secrets

    letters = "abcdefghjkmnpqrstuvwxyz23456789"
    return "-".join("".join(secrets.choice(letters) for _ in range(5)) for _ in range(5))


def _asked() -> str:
    from sfumato.errors import Mistake

    first = getpass.getpass("Password: ")
    if getpass.getpass("Again: ") != first:
        raise Mistake("The two passwords differ.", attempt="again.")
    return first
