"""`sfumato list`: the parts that there are, of Sfumato and of installed packages, with their
parameters."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.parts import PartEntry, Registry

REGISTRIES = {
    "models": ("sfumato.policy", "MODELS"),
    "solvers": ("sfumato.policy", "SOLVERS"),
    "techniques": ("sfumato.policy", "TECHNIQUES"),
    "synthesis": ("sfumato.policy", "SYNTHESIS_METHODS"),
    "tabulation": ("sfumato.policy", "TABULATION_METHODS"),
    "hierarchies": ("sfumato.hierarchies", "BUILDERS"),
    "engines": ("sfumato.engines", "ENGINES"),
    "formats": ("sfumato.engines.formats", "FORMATS"),
    "detectors": ("sfumato.text.detectors", "DETECTORS"),
    "languages": ("sfumato.text.language_packs", "LANGUAGE_PACKS"),
}
"""The kinds of parts, with the module and the name of their registry, which is imported when it is
asked for."""


def configure(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "kind",
        nargs="?",
        choices=tuple(REGISTRIES),
        metavar="KIND",
        help=f"one of {', '.join(REGISTRIES)} (default: the names of all of them)",
    )
    command.add_argument("name", nargs="?", default="", metavar="NAME", help="only this one")
    command.add_argument("--json", action="store_true", help="print them as JSON")


def run(options: argparse.Namespace) -> int:
    from sfumato.parts import entries_of

    if options.kind is None:
        _show_kinds(as_json=options.json)
        return 0
    entries = _chosen(entries_of(registry_of(options.kind)), options)
    if options.json:
        print(json.dumps([entry.as_json() for entry in entries], indent=2, ensure_ascii=False))
        return 0
    _show(entries)
    return 0


def _show_kinds(*, as_json: bool) -> None:
    """The keys of all parts, kind by kind."""
    from sfumato.parts import entries_of

    found = {kind: [each.key for each in entries_of(registry_of(kind))] for kind in REGISTRIES}
    if as_json:
        print(json.dumps(found, indent=2, ensure_ascii=False))
        return
    for kind, keys in found.items():
        print(f"{kind}: {', '.join(keys)}")
    print("Details: sfumato list KIND, or sfumato list KIND NAME.")


def registry_of(kind: str) -> Registry[Any]:
    from importlib import import_module

    module, name = REGISTRIES[kind]
    found: Registry[Any] = getattr(import_module(module), name)
    return found


def _chosen(entries: Sequence[PartEntry], options: argparse.Namespace) -> Sequence[PartEntry]:
    if not options.name:
        return entries
    chosen = [entry for entry in entries if entry.key == options.name]
    if not chosen:
        from sfumato.errors import Mistake
        from sfumato.parts import with_question

        keys = [entry.key for entry in entries]
        raise Mistake(
            f'"{options.name}" was asked for among the {options.kind}.',
            found=with_question("There is none of that name.", options.name, keys),
            attempt=f"one of {', '.join(keys)}.",
        )
    return chosen


def _show(entries: Sequence[PartEntry]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(show_lines=True)
    for head in ("key", "what it does"):
        table.add_column(head, overflow="fold")
    columns = _columns(entries)
    for head in columns:
        table.add_column(head, overflow="fold", ratio=2 if head == "parameters" else None)
    for entry in entries:
        doc = entry.doc + (f"\n(from {entry.origin})" if entry.origin else "")
        cells = (
            _parameters(entry) if head == "parameters" else entry.abilities.get(head, "")
            for head in columns
        )
        table.add_row(*(Text(cell) for cell in (entry.key, doc, *cells)))
    Console().print(table)


def _columns(entries: Sequence[PartEntry]) -> tuple[str, ...]:
    abilities = tuple(dict.fromkeys(name for entry in entries for name in entry.abilities))
    return (*abilities, *(("parameters",) if any(entry.parameters for entry in entries) else ()))


def _parameters(entry: PartEntry) -> str:
    from sfumato.parts import default_of, holds

    lines = []
    for each in entry.parameters:
        default = "needed" if each.needed else f"default {default_of(each, quote='')}"
        lines.append(f"{each.name}: {each.doc} ({holds(each, quote='')}; {default})")
    return "\n".join(lines)
