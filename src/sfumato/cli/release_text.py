"""The console output of a release: verdicts, suppressed rows by reason, warnings, and where
everything is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from sfumato.wording import counted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from sfumato.releases import Release

EXIT = {"pass": 0, "fail": 1, "review": 3}
COLOUR = {"pass": "green", "fail": "red", "review": "yellow"}
WENT = {
    "gone with the row they hang on": "went with their parents",
    "suppressed": "bins too small",
    "dropped to share numbers of rows": "to share numbers of rows",
    "without a person": "without a person",
}
"""The reasons why rows were not released: their name in a release's account, and their heading
here."""
LONGEST_NAME = 24
"""Names of tables up to this long stay on one line, however narrow the console."""


def show_release(made: Release, console: Console) -> None:
    """The verdicts, the tables where there are several, what was assumed, and where everything
    is."""
    from rich.markup import escape

    from sfumato.engines import reading_sentences

    if made.lost:
        console.print(
            f"Lost: {', '.join(made.lost)}. sfumato advise finds changes that bring fields back.",
            highlight=False,
            markup=False,
        )
    console.print(_verdicts(made))
    if "people" in made.manifest:
        console.print()
        console.print(_tables(made.accounts))
        console.print()
    for sentence in reading_sentences(made.manifest.get("snapshot", {})):
        console.print(f"[dim]{escape(sentence)}[/]", highlight=False)
    for warning in made.manifest["warnings"]:
        console.print(f"[yellow]![/] {escape(warning)}", highlight=False)
    if made.proposed_file is not None:
        console.print(
            f"[yellow]![/] No policy was given. One was proposed in {made.proposed_file}: "
            "read it, correct it, decide about its open fields, delete "
            "the lines 'open = true' and 'proposed = true' and run again.",
            highlight=False,
        )
    solver = made.manifest.get("solver", {})
    if "choice" in solver:
        console.print(f"{solver['name']}: {solver['choice']}", highlight=False, soft_wrap=True)
    if "proof" in solver:
        console.print(
            f"{solver['name']}: {solver['proof']['in_words']}", highlight=False, soft_wrap=True
        )
    console.print(
        f"[bold {COLOUR[made.outcome]}]{made.outcome}[/]: {_in_one_line(made)}", highlight=False
    )
    for place in _places(made):
        console.print(f"  {place}", highlight=False, soft_wrap=True)
    show_digest(made.digest, console)
    if made.signed_by:
        console.print(
            f"  signed with the key {made.signed_by[:16]}, for verify --signer",
            highlight=False,
            soft_wrap=True,
        )


def release_facts(made: Release) -> dict[str, object]:
    """The same for programs."""
    return {
        "outcome": made.outcome,
        "rows": made.rows,
        "rows_suppressed": made.rows_suppressed,
        "verdicts": [verdict.as_dict() for verdict in made.verdicts],
        "warnings": list(made.manifest["warnings"]),
        "places": [str(place) for place in _places(made)],
        "proposed_policy": None if made.proposed_file is None else str(made.proposed_file),
        "digest": made.digest,
        "signed_by": made.signed_by or None,
    }


def show_digest(digest: str, console: Console) -> None:
    """The digest to keep elsewhere, so that a later change of anything in the release is
    noticed."""
    console.print(
        f"  sha256:{digest}  of the manifest, for verify --digest", highlight=False, soft_wrap=True
    )


def _verdicts(made: Release) -> Table:
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=None, box=None, header_style="bold", pad_edge=False)
    for heading in ("verdict", "model", "requirement", "reason"):
        table.add_column(heading, overflow="fold")
    reasons = name_bins_once([verdict.reason for verdict in made.verdicts])
    for verdict, reason in zip(made.verdicts, reasons, strict=True):
        word = f"[{COLOUR[verdict.outcome]}]{verdict.outcome}[/]"
        table.add_row(word, verdict.model, escape(verdict.requirement), escape(reason))
    return table


def name_bins_once(reasons: Sequence[str]) -> list[str]:
    """The reasons, of which only the first of several in a row names the fields of the same bins.

    Example:
        >>> name_bins_once(["all 9 bins over (age, sex) keep it", "all 9 bins over (age, sex) keep it; 0.8"])
        ['all 9 bins over (age, sex) keep it', 'all 9 bins over the same fields keep it; 0.8']
    """
    named, out = "", []
    for reason in reasons:
        before, bins, rest = reason.partition(" bins over (")
        fields, end, after = rest.rpartition(") keep it")
        if fields and fields == named:
            reason = f"{before}{bins[:-1]}the same fields{end[1:]}{after}"
        named = fields
        out.append(reason)
    return out


def _tables(tables: Mapping[str, Mapping[str, int]]) -> Table:
    """One line for each table; reasons of no row are omitted."""
    from rich.table import Table
    from rich.text import Text

    ways = [way for way in WENT if any(rows.get(way, 0) for rows in tables.values())]
    table = Table(title=None, box=None, header_style="bold", pad_edge=False)
    table.add_column("table", overflow="fold", min_width=min(LONGEST_NAME, max(map(len, tables))))
    for heading in ("released", "of rows", *(WENT[way] for way in ways)):
        table.add_column(heading, justify="right")
    for name, rows in tables.items():
        gone = (f"{rows[way]:,}" if rows.get(way, 0) else "–" for way in ways)
        table.add_row(Text(name), f"{rows['released']:,}", f"{rows['source']:,}", *gone)
    return table


def _in_one_line(made: Release) -> str:
    source = made.rows + made.rows_suppressed
    share = made.rows_suppressed / max(source, 1)
    if "channels" in made.manifest:
        return _channels_in_one_line(made)
    if "people" not in made.manifest:
        precision = made.manifest["utility"]["precision"]
        return (
            f"{counted(made.rows, 'row')} released, {made.rows_suppressed:,} suppressed ({share:.1%}); "
            f"precision {precision:.2f}"
        )
    tables, people = len(made.manifest["tables"]), made.manifest["people"]
    those = f"{tables} tables" if tables > 1 else "1 table"
    return (
        f"{made.rows:,} of {source:,} rows in {those}, of {people:,} people ({share:.1%} left out)"
    )


def _channels_in_one_line(made: Release) -> str:
    facts = made.manifest["channels"]
    proven = "nothing is proven about the least"
    if facts["gap"] is not None:
        proven = (
            f"at most {facts['gap']:.2%} of it more than the least over {facts['compared_with']}"
        )
    undisclosed = facts["undisclosed"]
    share = (
        f"; nothing disclosed about {undisclosed:,} ({facts['share_undisclosed']:.1%})"
        if undisclosed
        else ""
    )
    return (
        f"{made.rows:,} subjects by name in {facts['output_channels']:,} channels; omega "
        f"{facts['omega']:.4g}, "
        f"{proven}{share}"
    )


def _places(made: Release) -> Iterator[object]:
    """The tables, then manifest and report."""
    yield from made.tables.values() if made.tables else [made.table]
    if made.folder is not None:
        yield from (made.folder / name for name in ("manifest.json", "report.html"))
