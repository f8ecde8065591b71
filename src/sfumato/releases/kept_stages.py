"""A folder that keeps every step of a release as a table to look at, for the data holder alone.

It has private rows: it is never inside the release, and only its owner may enter it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sfumato.bins import Bins
from sfumato.engines import Engine, Lookup, TableView, WritePlan, open_source
from sfumato.errors import TargetError
from sfumato.policy import Order

from .destinations import WrittenTables
from .flow import Flow, FoundT, PlannedT, RecountedRelease, SolvedT, Stages
from .manifest import ONE_TABLE
from .source import OpenedSource
from .steps import SteppedTables

INDEX, INDEX_JSON = "index.md", "index.json"
WARNING = (
    "This folder holds private data: rows of the source as they are. Do not share it, and "
    "delete it after use."
)


@dataclass(frozen=True, kw_only=True)
class KeptStage:
    """A table of the folder: the step of the pipeline that made it, and what it holds."""

    step: str
    file: str
    holds: str
    rows: int


@dataclass(eq=False)
class StageFolder:
    """The folder with the stages that were kept so far; without a folder, nothing is kept."""

    folder: Path | None = None
    kept: list[KeptStage] = field(default_factory=list)

    def keep_source(self, opened: OpenedSource) -> None:
        """The source as it was read."""
        if self.folder is not None and opened.database is not None:
            for name in opened.policy.tables:
                table = opened.database.view(TableView(table=name))
                self._keep_table("source", name, table, holds=f"{name} as it was read")
        elif self.folder is not None:
            self._keep_table("source", ONE_TABLE, opened.engine, holds="the table as it was read")

    def keep_stepped(self, stepped: SteppedTables) -> None:
        """The tables that the steps of the policy changed."""
        if self.folder is not None and stepped.steps:
            for name, table in stepped.tables.items():
                self._keep_table(
                    "steps", name, table.engine, holds=f"{name} after the steps of the policy"
                )

    def keep_solved(self, flow: Flow[Any, SolvedT, Any, Any], solved: SolvedT) -> None:
        """The bins that were solved, and the recoding that was found."""
        if self.folder is not None:
            self._keep_bins("count", flow.count_bins(solved), holds="the bins of", unit=flow.counts)
            self._keep_lookups("plan", flow.recoding(solved))

    def keep_stages(self, stages: Stages) -> None:
        """The tables that are written, where they are not the source itself."""
        if self.folder is not None:
            for table in stages.tables:
                if table.is_stage:
                    holds = f"{table.name} as it is written, before pseudonyms"
                    self._keep_table("stage", table.name, table.engine, holds=holds)

    def keep_recount(
        self,
        flow: Flow[Any, Any, PlannedT, FoundT],
        planned: PlannedT,
        recounted: RecountedRelease[FoundT],
        written: WrittenTables,
    ) -> None:
        """The bins of what was written."""
        if self.folder is not None:
            bins = flow.recount_bins(planned, recounted, written)
            self._keep_bins(
                "recount", bins, holds="the bins of the written table", unit=flow.counts
            )

    def _keep_table(self, step: str, name: str, engine: Engine, *, holds: str) -> None:
        """All rows of a table, with the types that they have."""
        suffix = ".parquet" if "Parquet" in engine.abilities.writes else ".csv"
        path = self._path(step, name, suffix)
        fields = tuple(info.name for info in engine.fields())
        rows = engine.write(WritePlan(fields=fields, order=Order.KEEP), path)
        self._note(KeptStage(step=step, file=path.name, holds=holds, rows=rows))

    def _keep_bins(self, step: str, bins: Mapping[str, Bins], *, holds: str, unit: str) -> None:
        """The bins of each table: a row for each, with how many rows or people it has."""
        for name, found in bins.items():
            counts = (
                dict(
                    zip(
                        (*found.fields, _unused("count", found.fields)),
                        (*labels, count),
                        strict=True,
                    )
                )
                for labels, count in zip(found.tuples(), found.counts.tolist(), strict=True)
            )
            self._keep_rows(step, name, counts, holds=f"{holds} {name}, counted in {unit}")

    def _keep_lookups(self, step: str, lookups: Mapping[str, Sequence[Lookup]]) -> None:
        """How values are recoded, by table: from the values of the keys to the new ones; or the
        rows that are left out."""
        for table, found in lookups.items():
            for lookup in found:
                fields = ", ".join(lookup.fields)
                said = (
                    f"the new values of {fields} in {table}"
                    if fields
                    else f"the bins of {table} that are left out"
                )
                name = "-".join((table, *(lookup.fields or ("left-out",))))
                self._keep_rows(step, name, _entries(lookup), holds=said)

    def _keep_rows(
        self, step: str, name: str, rows: Iterator[Mapping[str, Any]], *, holds: str
    ) -> None:
        """Rows written out here, which DuckDB makes a Parquet file of."""
        path = self._path(step, name, ".parquet")
        lines = path.with_suffix(".jsonl")
        many = 0
        with lines.open("w", encoding="utf-8") as file:
            for row in rows:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                many += 1
        if not many:
            lines.unlink()
            return
        try:
            with open_source(lines) as engine:
                fields = tuple(info.name for info in engine.fields())
                engine.write(WritePlan(fields=fields, order=Order.KEEP), path)
        finally:
            lines.unlink()
        self._note(KeptStage(step=step, file=path.name, holds=holds, rows=many))

    def _path(self, step: str, name: str, suffix: str) -> Path:
        assert self.folder is not None
        safe = "".join(mark if mark.isalnum() or mark in "-_." else "_" for mark in name)
        return self.folder / f"{len(self.kept) + 1:02}-{step}-{safe[:80]}{suffix}"

    def _note(self, stage: KeptStage) -> None:
        """The index is whole after every stage, also where a later step fails."""
        assert self.folder is not None
        self.kept.append(stage)
        facts = {"warning": WARNING, "stages": [asdict(each) for each in self.kept]}
        (self.folder / INDEX_JSON).write_text(
            json.dumps(facts, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        rows = (
            f"| {each.step} | `{each.file}` | {each.holds} | {each.rows:,} |" for each in self.kept
        )
        lines = (
            "# Stages of a release",
            "",
            f"**{WARNING}**",
            "",
            "| step | file | holds | rows |",
            "| --- | --- | --- | --- |",
            *rows,
        )
        (self.folder / INDEX).write_text("\n".join(lines) + "\n", encoding="utf-8")


def open_stage_folder(
    folder: str | Path | None, *, target: Path, source: object = None
) -> StageFolder:
    """Make the folder, or take one that is empty; refused inside the release, around it, and inside
    a source that is a folder, where the next run would read stages as tables."""
    if folder is None:
        return StageFolder()
    path, release = Path(folder).absolute(), target.absolute()
    if path.resolve().is_relative_to(release.resolve()) or release.resolve().is_relative_to(
        path.resolve()
    ):
        raise TargetError(
            f"Stages in {folder} were asked for.",
            found="It holds the release, or is inside it, and stages are private.",
            attempt="a folder elsewhere with --keep-stages.",
        )
    if isinstance(source, str | Path) and path.resolve().is_relative_to(Path(source).resolve()):
        raise TargetError(
            f"Stages in {folder} were asked for.",
            found="It is inside the source, where stages would be read as tables.",
            attempt="a folder elsewhere with --keep-stages.",
        )
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        is_empty = not any(path.iterdir())
        if is_empty:
            path.chmod(0o700)
    except OSError as error:
        raise TargetError(
            f"Stages cannot be kept in {folder}.", found=f"{error.strerror}."
        ) from None
    if not is_empty:
        raise TargetError(
            f"Stages in {folder} were asked for.",
            found="It is not empty.",
            attempt="an empty folder, or a new one.",
        )
    return StageFolder(path)


def _entries(lookup: Lookup) -> Iterator[dict[str, Any]]:
    for batch in lookup.batches():
        names = {column: column.removeprefix("key:").replace("new:", "new ") for column in batch}
        columns = [batch[column].tolist() for column in names]
        for row in zip(*columns, strict=True):
            yield dict(zip(names.values(), row, strict=True))


def _unused(name: str, fields: Sequence[str]) -> str:
    while name in fields:
        name += "'"
    return name
