"""`sfumato serve`: the gate, one process with all its doors."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from .shared_arguments import add_json, print_line

if TYPE_CHECKING:
    from rich.console import Console

    from sfumato.gate import DoorAddresses, Settings


def configure(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--config",
        type=Path,
        default=Path("gate.toml"),
        help="the gate's file (default: gate.toml)",
    )
    command.add_argument(
        "--host",
        default="",
        help="address to listen on, in place of the file's (default: 127.0.0.1)",
    )
    command.add_argument(
        "--http-port",
        type=int,
        help="HTTP port, in place of the file's (default: 8417; 0 takes any)",
    )
    command.add_argument(
        "--wire-port",
        type=int,
        help="PostgreSQL port, in place of the file's (default: 5417; 0 takes any)",
    )
    command.add_argument(
        "--anchor",
        type=Path,
        help="also keep the audit log's end in this file, and compare it at opening",
    )
    command.add_argument(
        "--health",
        action="store_true",
        help="check whether the gate of this file answers, without opening it: exit code 0 or 1",
    )
    add_json(command, what="the addresses, or whether the gate answers, in one line")


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.gate import serve

    settings = _settings(options)
    console = Console()
    if options.health:
        return _check_health(settings, console, as_json=options.json)
    if options.json:
        serve(settings, told=lambda addresses: print_line(address_facts(addresses, settings)))
        return 0
    console.print(f"Reading {_counted(len(settings.tables), 'table')} ...", highlight=False)
    serve(settings, told=lambda addresses: show_addresses(addresses, settings, console))
    console.print("The gate is closed.")
    return 0


def _check_health(settings: Settings, console: Console, *, as_json: bool) -> int:
    from sfumato.gate import is_answering

    answers = is_answering(settings)
    if as_json:
        print_line({"answers": answers})
    else:
        console.print(f"The gate {'answers' if answers else 'does not answer'}.", highlight=False)
    return 0 if answers else 1


def address_facts(addresses: DoorAddresses, settings: Settings) -> dict[str, object]:
    """The addresses of an open gate, its audit log and the notes for its operator."""
    return {
        "pages": f"{addresses.http}/",
        "api": f"{addresses.http}/api/v1/openapi.json",
        "postgresql": addresses.wire or None,
        "encrypted": addresses.encrypted,
        "audit": str(settings.folder / "audit.jsonl"),
        "notices": list(addresses.notices),
    }


def _settings(options: argparse.Namespace) -> Settings:
    from dataclasses import replace

    from sfumato.errors import Mistake
    from sfumato.gate import read_settings

    settings = read_settings(options.config)
    for name in ("http_port", "wire_port"):
        port = getattr(options, name)
        if port is not None and not 0 <= port <= 65535:
            raise Mistake(f"--{name.replace('_', '-')} is {port}, and must be between 0 and 65535.")
    given = {
        "host": options.host or None, "http_port": options.http_port, "wire_port": options.wire_port,
        "anchor": options.anchor,
    }  # fmt: skip
    return replace(settings, **{name: value for name, value in given.items() if value is not None})


def show_addresses(addresses: DoorAddresses, settings: Settings, console: Console) -> None:
    """The addresses of the gate, and settings that its operator should change."""
    from rich.table import Table

    from sfumato.gate import is_loopback

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_row("pages", f"[bold]{addresses.http}/[/]")
    table.add_row("programs", f"{addresses.http}/api/v1/openapi.json")
    if addresses.wire:
        table.add_row("psql", addresses.wire)
    table.add_row("audit", str(settings.folder / "audit.jsonl"))
    console.print("The gate is open.", style="green", highlight=False)
    console.print(table, soft_wrap=True)
    if not addresses.encrypted and not is_loopback(settings.host):
        console.print(
            "[yellow]Others can reach it, and passwords go unencrypted: give it a certificate.[/]"
        )
    for notice in addresses.notices:
        console.print(notice, style="yellow", markup=False, highlight=False)
    console.print("Ctrl-C closes it.")


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
