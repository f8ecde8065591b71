"""`tabulate`: tables of counts of one source, from its rows to a folder with its manifest.

The order: read the policy, count in the engine, protect the counts by the policy's method, write,
read back, check, document, publish. Each method declares itself in a file of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from dataclasses import fields as dataclass_fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from sfumato.accounting import check_noise_source
from sfumato.engines import open_source, read_released_frame
from sfumato.errors import Bug, Mistake, PolicyError, Problem
from sfumato.policy import (
    TABULATION_METHODS,
    TablesOfCounts,
    out_of_range,
    read_tables_of_counts,
    reading_policy,
    tables_of_counts_as_table,
)
from sfumato.report import table, tag
from sfumato.runs import claim, interruptible, temporary_folder
from sfumato.tabulation import ReleasedTable
from sfumato.wording import counted

from ..atomic_folder import MANIFEST, REPORT, aside, check_target
from ..documents import manifest_digest
from ..inventory import digest_of, list_files, size_of
from ..manifest import Manifest, ReleaseShape, write_manifest
from .method_facts import MethodFacts
from .table_files import COUNTS, read_table, table_columns, write_areas, write_table
from .tabulation_page import tabulation_page

FORMATS: Final = ("csv", "parquet")
_COMMON: Final = {each.name for each in dataclass_fields(TablesOfCounts)} - {
    "name",
    "folder",
    "settings",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class TabulatedRelease:
    """A table of counts that was made: its manifest, what is known of its protection, and its
    folder or its frame."""

    manifest: Mapping[str, Any] = field(repr=False)
    outcome: str
    cells: int
    suppressed: int
    findings: tuple[tuple[str, str], ...]
    """The measurements of the table, each with its name; for the holder."""
    folder: Path | None = None
    frame: Any = field(default=None, repr=False)
    digest: str = ""

    @property
    def account(self) -> Mapping[str, Any] | None:
        """The account of a private table."""
        found: Mapping[str, Any] | None = self.manifest.get("account")
        return found

    def __repr__(self) -> str:
        place = f"in {self.folder}" if self.folder is not None else "in memory"
        return f"<TabulatedRelease {place}: {self.outcome}, {self._size()}>"

    def _repr_html_(self) -> str:
        title = tag("p", tag("b", self.outcome), f": {self._size()}")
        return str(tag("div", title, table(("what", "found"), self.findings, caption="Protection")))

    def _size(self) -> str:
        gone = f", {self.suppressed:,} suppressed" if self.suppressed else ""
        return f"{counted(self.cells, 'cell')}{gone}"


def tabulate(
    source: Any,
    policy: str | Path | Mapping[str, Any] | TablesOfCounts | None = None,
    *,
    to: str | Path | None = None,
    file_format: str = "csv",
    replace: bool = False,
    progress: Callable[[str], None] = lambda stage: None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    **options: Any,
) -> TabulatedRelease:
    """Make a table of counts of `source`, into the folder `to` or as a frame.

    The policy is a file or a dict with `[tables_of_counts]`, or its keys as keywords: `method` is
    `private`, `suppress`, `round`, `swap` or `cell_key`. `fields` are crossed, and `domains` has
    their values. `levels` and `areas` are the geography, and `entity` identifies the person of a
    row. `epsilon` may be given beside a policy. Other options are those of `open_source`."""
    keys = _COMMON.union(*(each.parameter_names for each in TABULATION_METHODS.all().values()))
    keywords = {name: options.pop(name) for name in keys & options.keys()}
    settled = _settled(policy, keywords)
    if file_format not in FORMATS:
        raise Mistake(f"A table was asked for as {file_format}.", attempt="csv or parquet.")
    if settled.declaration.has_account:
        check_noise_source()
    with interruptible(), ExitStack() as held:
        if to is not None:
            check_target(Path(to), replace=replace)
            held.enter_context(claim(Path(to)))
        progress("counting")
        with open_source(source, policy=reading_policy(policy), **options) as opened:
            _check_fields(settled, [info.name for info in opened.fields()])
            made = settled.declaration.tabulate(opened, settled)
        run = _TabulationRun(policy=settled, made=made, created=_time(clock))
        progress("writing and checking")
        if to is None:
            folder = held.enter_context(temporary_folder())
            facts = run.write(folder, "parquet")
            frame = read_released_frame(folder / f"{COUNTS}.parquet", source)
            return run.result(facts, frame=frame)
        with aside(Path(to), replace=replace) as folder:
            facts = run.write(folder, file_format)
        return run.result(facts, folder=Path(to))


def _time(clock: Callable[[], datetime]) -> str:
    return clock().isoformat(timespec="seconds")


def _settled(
    policy: str | Path | Mapping[str, Any] | TablesOfCounts | None, keywords: Mapping[str, Any]
) -> TablesOfCounts:
    given = {name: value for name, value in keywords.items() if value is not None}
    if policy is None:
        return read_tables_of_counts({"tables_of_counts": given}, name="of keywords")
    if given.keys() - {"epsilon"}:
        names = ", ".join(sorted(given.keys() - {"epsilon"}))
        raise Mistake(
            f"A policy was given, and {names} beside it.", attempt="writing it into the policy."
        )
    read = policy if isinstance(policy, TablesOfCounts) else read_tables_of_counts(policy)
    if "epsilon" in given and not read.declaration.has_account:
        raise Mistake(
            f"Epsilon was given for a table by the method {read.method}, which has none.",
            attempt='method = "private".',
        )
    return replace(read, settings=_changed(read.settings, given)) if given else read


def _changed(settings: Any, given: Mapping[str, Any]) -> Any:
    """Parameters with others in their place, within the same ranges."""
    out = replace(settings, **given)
    for name, found in out_of_range(out):
        raise Mistake(f"{name.capitalize()} was given for a table of counts.", found=found)
    return out


def _check_fields(policy: TablesOfCounts, names: list[str]) -> None:
    """Every field that is counted is in the source, and no name is one of the table's own."""
    needed = [*policy.fields, *policy.levels[-1:], *filter(None, [policy.entity, policy.measure])]
    if not policy.areas:
        needed.extend(policy.levels[:-1])
    problems = [
        Problem(where="tables_of_counts", found=f"The source has no field {name}.")
        for name in needed
        if name not in names
    ]
    own = {"level", "area", "count", "sum", "suppressed"}
    problems += [
        Problem(
            where="tables_of_counts.fields",
            found=f"The table has a column {name} of its own.",
            attempt="another name for the field.",
        )
        for name in policy.fields
        if name in own
    ]
    if problems:
        raise PolicyError(problems, name=f"Policy {policy.name}")


@dataclass(eq=False, kw_only=True)
class _TabulationRun:
    policy: TablesOfCounts
    made: MethodFacts
    created: str
    digest: str = ""

    def write(self, folder: Path, file_format: str) -> dict[str, Any]:
        """Write the table, read it back, check it, and write report and manifest."""
        made, policy = self.made, self.policy
        file = write_table(made.table, policy, folder, file_format)
        if policy.levels:
            write_areas(made.tree, folder)
        with open_source(file) as written:
            back = read_table(written, policy)
        _check_same(back, made.table)
        made = self.made = replace(made, findings=(*made.findings, *made.check(back)))
        entry: dict[str, Any] = {
            "file": file.name,
            "sha256": digest_of(file),
            "bytes": size_of(file),
            "rows": len(back),
            "fields": table_columns(back.columns, policy),
        }
        page = tabulation_page(made, policy, created=self.created)
        (folder / REPORT).write_text(page, encoding="utf-8")
        facts = Manifest(
            shape=ReleaseShape.TABLES_OF_COUNTS,
            created=self.created,
            outcome=made.outcome,
            sections={
                "statement": made.statement,
                "tables": {COUNTS: entry},
                "tabulation": dict(made.released_facts),
                **({"account": made.account.as_dict()} if made.account is not None else {}),
                "policy": tables_of_counts_as_table(policy),
                "files": list_files(folder, known={file.name: entry["sha256"]}),
            },
        ).as_dict()
        write_manifest(facts, folder / MANIFEST)
        self.digest = manifest_digest(folder)
        return facts

    def result(
        self, facts: Mapping[str, Any], *, folder: Path | None = None, frame: Any = None
    ) -> TabulatedRelease:
        values = self.made.table.values
        return TabulatedRelease(
            manifest=facts,
            outcome=self.made.outcome,
            cells=len(values),
            suppressed=sum(value is None for value in values),
            findings=self.made.findings,
            folder=folder,
            frame=frame,
            digest=self.digest,
        )


def _check_same(back: ReleasedTable, made: ReleasedTable) -> None:
    # An engine may hand out the lines of a large file in another order.
    cells = [dict(zip(each.labels, each.values, strict=True)) for each in (back, made)]
    if cells[0] != cells[1] or len(back) != len(made):
        raise Bug("the table of counts was written otherwise than it was made.")
