"""`sfumato audit`: prove that a gate's audit log was not changed, search it, export it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.wording import counted

from .shared_arguments import add_json, print_json

if TYPE_CHECKING:
    from sfumato.gate import Head

FOUND_BY = ("who", "kind", "query", "text", "since", "until")


def configure(command: argparse.ArgumentParser) -> None:
    parts = command.add_subparsers(dest="what", metavar="WHAT", required=True)
    verify = parts.add_parser("verify", help="check that no line was changed, removed or cut off")
    verify.add_argument(
        "file", type=Path, help="audit.jsonl in the gate's folder, or a full export of it"
    )
    verify.add_argument(
        "--ends-in", default="", metavar="DIGEST", help="the last digest, as recorded elsewhere"
    )
    verify.add_argument(
        "--anchor", type=Path, metavar="FILE", help="an anchor that is kept elsewhere"
    )
    add_json(verify)
    anchor = parts.add_parser(
        "anchor", help="verify the log and record its end elsewhere, for `serve --anchor`"
    )
    anchor.add_argument("file", type=Path, help="audit.jsonl in the gate's folder")
    anchor.add_argument(
        "--to",
        type=Path,
        required=True,
        metavar="FILE",
        help="file for the anchor, preferably on another disk",
    )
    add_json(anchor)
    show = parts.add_parser("show", help="print lines of the log, the newest first")
    show.add_argument("file", type=Path, help="audit.jsonl in the gate's folder")
    show.add_argument("--limit", type=int, default=20, help="number of lines (default: 20)")
    add_json(show, what="the lines")
    export = parts.add_parser("export", help="print lines as JSON lines or CSV, the oldest first")
    export.add_argument("file", type=Path, help="audit.jsonl in the gate's folder")
    export.add_argument(
        "--format",
        choices=("jsonl", "csv"),
        default="jsonl",
        help="format of the lines (default: jsonl)",
    )
    export.add_argument(
        "--json",
        dest="format",
        action="store_const",
        const="jsonl",
        help="the same as --format jsonl",
    )
    for part in (show, export):
        for name in FOUND_BY:
            part.add_argument(f"--{name}", default="", help=_HELP[name])


_HELP = {
    "who": "lines of this account",
    "kind": "lines of this kind: answered, not answered, looked, not admitted, logged in, …",
    "query": "lines of this query number",
    "text": "lines that contain this text",
    "since": "lines not before this time, such as 2026-01-31T12:00",
    "until": "lines not after this time",
}


def run(options: argparse.Namespace) -> int:
    if options.what == "verify":
        return _verify(options)
    if options.what == "anchor":
        return _anchor(options)
    return _show(options) if options.what == "show" else _export(options)


def _verify(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.gate import verify_chain

    beside = _beside(options.file)
    checked = verify_chain(
        options.file, ends_in=options.ends_in, anchor=_anchored(options.anchor), beside=beside
    )
    if options.json:
        proven = bool(options.ends_in or options.anchor is not None)
        print_json({"lines": checked.lines, "digest": checked.digest, "end_proven": proven})
        return 0
    console = Console()
    console.print(
        f"[green]The chain holds[/]: {counted(checked.lines, 'line')}, none changed or cut out.",
        highlight=False,
    )
    console.print(f"It ends in {checked.digest}", highlight=False, soft_wrap=True)
    if beside is not None:
        console.print("It has the line that the gate sealed beside it as the last one.")
    if not options.ends_in and options.anchor is None:
        console.print(
            "That nothing was cut off its end is proven by --ends-in or --anchor, written "
            "down before."
        )
    return 0


def _beside(file: Path) -> Head | None:
    """The end of the audit log that the gate keeps beside it, where its key is at hand to prove
    it."""
    from sfumato.gate import Anchor, gate_secret

    key = file.with_name("gate.key")
    return (
        Anchor(file.with_name(f"{file.name}.head"), key=gate_secret(key)).read()
        if key.exists()
        else None
    )


def _anchored(path: Path | None) -> Head | None:
    from sfumato.errors import SourceError
    from sfumato.gate import Anchor

    if path is None:
        return None
    found = Anchor(path).read()
    if found is None:
        raise SourceError(
            f"There is no anchor {path}.", attempt="`sfumato audit anchor`, to make one."
        )
    return found


def _anchor(options: argparse.Namespace) -> int:
    """An existing anchor must be of this audit log. It is moved forward, never back."""
    from rich.console import Console

    from sfumato.gate import Anchor, verify_chain

    anchor = Anchor(options.to)
    head = verify_chain(options.file, anchor=anchor.read())
    anchor.write(head)
    anchor.close()
    if options.json:
        print_json({"lines": head.lines, "digest": head.digest, "anchor": str(options.to)})
        return 0
    console = Console()
    console.print(
        f"[green]The chain holds[/]: {counted(head.lines, 'line')}. Its end is in {options.to}.",
        highlight=False,
    )
    return 0


def _show(options: argparse.Namespace) -> int:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from sfumato.gate import found

    with _readable(options.file):
        lines, _ = found(options.file, _search(options), limit=max(1, options.limit))
    if options.json:
        print_json(list(lines))
        return 0
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("", "time", "kind", "who", "query", "further"):
        table.add_column(heading, overflow="fold")
    for entry in lines:
        further = entry.get("asked") or entry.get("reason") or entry.get("changed") or ""
        cells = (entry.get(name, "") for name in ("number", "time", "kind", "who", "query"))
        table.add_row(*(escape(str(cell)) for cell in (*cells, further)))
    Console().print(table)
    return 0


def _export(options: argparse.Namespace) -> int:
    from sfumato.gate import as_csv, as_line, entries

    search = _search(options)
    with _readable(options.file):
        fitting = (entry for entry in entries(options.file) if search.fits(entry, as_line(entry)))
        lines: Iterator[str] = (
            as_csv(fitting) if options.format == "csv" else (f"{as_line(e)}\n" for e in fitting)
        )
        for line in lines:
            sys.stdout.write(line)
    return 0


@contextmanager
def _readable(file: Path) -> Iterator[None]:
    from sfumato.errors import SourceError

    try:
        yield
    except OSError as error:
        raise SourceError(
            f"The audit file {file} cannot be read.", found=f"{error.strerror}."
        ) from None
    except (ValueError, KeyError):
        raise SourceError(
            f"{file} is not an audit file.", attempt="sfumato audit verify, to see where."
        ) from None


def _search(options: argparse.Namespace) -> Any:
    from sfumato.gate import AuditSearch

    return AuditSearch.of({name: getattr(options, name) for name in FOUND_BY})
