"""The console output of a scrub: findings by kind, texts to read first, and omissions."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.text.languages import READ, UNTOLD, unread
from sfumato.wording import counted

if TYPE_CHECKING:
    from rich.table import Table

    from sfumato.scrubbing import ScrubbedFiles, WaysCompared

MOST_NAMED = 10
"""So many files are named; of the others, only the number is printed."""


def show_scrubbed(
    made: ScrubbedFiles, *, as_json: bool, page: Path | None = None, more: Sequence[str] = ()
) -> None:
    """The table, the warnings with `more` of them, and the sentence that must accompany the
    files."""
    if as_json:
        for warning in more:
            print(warning, file=sys.stderr)
        print(json.dumps(_as_json(made, page), indent=2, ensure_ascii=False))
        return
    from rich.console import Console
    from rich.markup import escape

    from sfumato.releases import manifest_digest

    from .release_text import COLOUR, show_digest

    console = Console()
    console.print(_findings(made))
    console.print()
    for warning in (*more, *warnings(made)):
        console.print(f"[yellow]![/] {escape(warning)}", highlight=False)
    console.print(f"[yellow]![/] {escape(made.words)}", highlight=False)
    files = "1 file" if made.files == 1 else f"{made.files:,} files"
    total = sum(sum(became.values()) for became in made.counts.values())
    said = (
        f"[bold {COLOUR[made.outcome]}]{made.outcome}[/]: {files} scrubbed, {total:,} "
        "references found"
    )
    console.print(said, highlight=False)
    for place in filter(None, (made.folder, made.folder / "manifest.json", page)):
        console.print(f"  {place}", highlight=False, soft_wrap=True, markup=False)
    show_digest(manifest_digest(made.folder), console)


def show_comparison(compared: WaysCompared, *, as_json: bool) -> None:
    """The ways side by side, by kind and in all."""
    if as_json:
        facts = {
            "texts": compared.texts,
            "references": compared.references,
            "masked": compared.masked,
        }
        print(json.dumps(facts, indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    from sfumato.scrubbing import WAYS

    table = Table(title=None, box=None, header_style="bold", pad_edge=False)
    table.add_column("kind")
    for heading in ("references", *WAYS):
        table.add_column(heading, justify="right")
    for kind, count in sorted(compared.references.items(), key=lambda each: -each[1]):
        table.add_row(kind, f"{count:,}", *(f"{compared.share(way, kind):.3f}" for way in WAYS))
    total = sum(compared.references.values())
    table.add_row("all", f"{total:,}", *(f"{compared.share(way):.3f}" for way in WAYS))
    console = Console()
    console.print(table)
    console.print(
        f"{counted(compared.texts, 'text')}. A reference is what any of these ways masks: nobody "
        "marked these texts, so what all of them miss is not counted.",
        highlight=False,
    )


def warnings(made: ScrubbedFiles) -> Iterator[str]:
    """Warnings that a person should read before the files are sent."""
    again = made.manifest["scrubbed"]["found_again"]
    if again:
        yield (
            f"Texts that were masked elsewhere are still found in {counted(again, 'place')}: "
            "read those files (--review)."
        )
    pages = made.manifest["scrubbed"]["unreadable_pages"]
    if pages:
        yield (
            f"{counted(pages, 'page of a scan', 'pages of scans')} could not be read, and nothing of "
            "them was written: a person must look at the sources."
        )
    others = unread(made.manifest["scrubbed"]["languages"])
    if others:
        yield (
            f"{_in_languages(others)}: the detectors read {' and '.join(sorted(READ))} only and miss "
            f"names and places there. A person must read these texts: {_unread_files(made)}."
        )
    for name, left in _some(made.left_out):
        yield f"Left out of {name}: {', '.join(left)}."
    for name, notes in _some(made.notes):
        yield f"{name}: {'; '.join(notes)}."
    if made.no_way_back:
        names = ", ".join(made.no_way_back[:MOST_NAMED])
        yield (
            f"The mapping cannot restore {counted(len(made.no_way_back), 'file')}; keep the "
            f"sources: {names}."
        )
    if made.skipped:
        yield (
            f"Left out {counted(len(made.skipped), 'file')} of unknown formats: "
            f"{_named(made.skipped)}."
        )
    for each in made.unusual[:MOST_NAMED]:
        yield (
            f"Unusual, to be read first: {each.file}{f', {each.where}' if each.where else ''} "
            f"({each.score:.2f})."
        )


def _in_languages(others: Mapping[str, int]) -> str:
    told = others.get(UNTOLD, 0)
    named = [
        f"{counted(count, 'passage')} in {name}" for name, count in others.items() if name != UNTOLD
    ]
    if told:
        named.append(f"{counted(told, 'passage')} with too few words to tell the language")
    return ", ".join(named)


def _unread_files(made: ScrubbedFiles) -> str:
    names = [
        str(each["file"])
        for each in made.manifest["scrubbed"]["files"]
        if unread(each["languages"])
    ]
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def _some(by_name: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield from list(by_name.items())[:MOST_NAMED]
    if len(by_name) > MOST_NAMED:
        yield f"{len(by_name) - MOST_NAMED:,} more files", ("see the manifest or --json",)


def _named(paths: tuple[Path, ...]) -> str:
    more = f" and {len(paths) - MOST_NAMED:,} more" if len(paths) > MOST_NAMED else ""
    return ", ".join(map(str, paths[:MOST_NAMED])) + more


def _findings(made: ScrubbedFiles) -> Table:
    """One line for each kind; an outcome without a finding is omitted."""
    from rich.table import Table

    hows = list(dict.fromkeys(how for became in made.counts.values() for how in became))
    table = Table(title=None, box=None, header_style="bold", pad_edge=False)
    table.add_column("kind")
    for heading in ("found", *hows):
        table.add_column(heading, justify="right")
    for kind, became in made.counts.items():
        table.add_row(
            kind,
            f"{sum(became.values()):,}",
            *(f"{became[how]:,}" if how in became else "–" for how in hows),
        )
    return table


def _as_json(made: ScrubbedFiles, page: Path | None) -> dict[str, Any]:
    """For programs of the holder: the manifest, and which file became which."""
    return {
        "folder": str(made.folder),
        "outcome": made.outcome,
        "statement": made.words,
        "manifest": made.manifest,
        "sources": {name: str(path) for name, path in made.sources.items()},
        "skipped": [str(path) for path in made.skipped],
        "notes": {name: list(notes) for name, notes in made.notes.items()},
        "warnings": list(warnings(made)),
        **({"review": str(page)} if page is not None else {}),
    }
