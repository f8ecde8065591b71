"""`sfumato demo gate`: a gate over a made-up hospital, with three accounts."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from sfumato.gate import DoorAddresses, Gate

PEOPLE = (("ann", "recipient"), ("stella", "steward"), ("adam", "administrator"))


def run_gate(options: argparse.Namespace, *, rows: int) -> int:
    """Open the gate, print its address and its accounts, and stay until Ctrl-C; then the folder is
    removed."""
    import asyncio

    from rich.console import Console

    from sfumato.datasets import write_hospital_gate
    from sfumato.gate import open_gate, read_settings, serve_gate, signalled

    console = Console(stderr=options.json)
    with _folder(options.to) as folder:
        console.print(f"{rows:,} made-up patients: {folder}", highlight=False, soft_wrap=True)
        ports = {"http_port": options.http_port, "wire_port": options.wire_port}
        given = {name: port for name, port in ports.items() if port is not None}
        with open_gate(read_settings(write_hospital_gate(folder, rows=rows, **given))) as gate:
            passwords = _people(gate)
            asyncio.run(
                serve_gate(
                    gate,
                    told=lambda addresses: (
                        _print_facts(addresses, gate, passwords)
                        if options.json
                        else _show(addresses, gate, passwords, console)
                    ),
                    ends=signalled,
                )
            )
    console.print("The gate is closed, and its folder is gone.")
    return 0


@contextmanager
def _folder(asked: Path | None) -> Iterator[Path]:
    """A new folder that is removed when the gate closes. An existing folder is somebody's, and is
    not touched."""
    from sfumato.errors import TargetError

    if asked is None:
        with tempfile.TemporaryDirectory(prefix="sfumato-gate-") as folder:
            yield Path(folder)
        return
    try:
        asked.mkdir(parents=True, mode=0o700)
    except OSError as error:
        raise TargetError(
            f"{asked} cannot be made.", found=f"{error.strerror}.", attempt="a new folder."
        ) from None
    try:
        yield asked
    finally:
        shutil.rmtree(asked, ignore_errors=True)


def _people(gate: Gate) -> dict[str, str]:
    """An account for each right, and their passwords, which are this gate's alone."""
    from sfumato.gate import Right

    from .accounts import made_up_password

    passwords = {name: made_up_password() for name, _ in PEOPLE}
    for name, right in PEOPLE:
        gate.accounts.add(name, passwords[name], right=Right(right), profile="research")
    return passwords


def _print_facts(addresses: DoorAddresses, gate: Gate, passwords: dict[str, str]) -> None:
    from .serve import address_facts
    from .shared_arguments import print_line

    people = [{"name": n, "right": right, "password": passwords[n]} for n, right in PEOPLE]
    print_line({**address_facts(addresses, gate.settings), "accounts": people})


def _show(
    addresses: DoorAddresses, gate: Gate, passwords: dict[str, str], console: Console
) -> None:
    from rich.table import Table

    from .serve import show_addresses

    show_addresses(addresses, gate.settings, console)
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("name", "right", "password"):
        table.add_column(heading)
    for name, right in PEOPLE:
        table.add_row(name, right, passwords[name])
    console.print()
    console.print(table)
    console.print("\nTry: SELECT zip, sex, diagnosis FROM patients", highlight=False)
