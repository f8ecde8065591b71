"""The verb `survey`: open a source and survey it as one table or as several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sfumato.engines import engine_for, open_undecided

from .database_survey import survey_tables
from .table_survey import survey_table


def survey(
    source: Any,
    *,
    max_combination: int = 3,
    table: str = "",
    progress: Callable[[str, float], None] | None = None,
    engine: str = "",
    **options: Any,
) -> Any:
    """Report the likeness of each field, propose a treatment, and count how unique the rows are.

    The source is a file, a frame, an address or an open engine; a folder, a database or a mapping
    of frames is several tables, whose links are looked for too, unless `table` names one.
    `max_combination` is the most fields that a counted combination has. `progress` is called with
    the stage and the share of it that is done. Other options set how the source is read.

    Returns a `Survey`, or a `TablesSurvey`. Either has the `policy` that it proposes.

    Example:
        >>> rows = [{"zip": "02138", "sex": "f"}, {"zip": "02139", "sex": "f"}, {"zip": "02139", "sex": "m"}]
        >>> found = survey(rows, engine="reference")
        >>> found
        <Survey of the rows: 3 rows, 2 fields: 2 quasi (zip, sex)>
    """
    if hasattr(source, "frequencies"):
        return survey_table(source, max_combination=max_combination, table=table, progress=progress)
    engine = engine or engine_for(source)
    named: dict[str, Any] = {"table": table} if table else {}
    with open_undecided(source, engine=engine, **named, **options) as opened:
        if opened.database is not None:
            return survey_tables(
                opened.database,
                max_combination=max_combination,
                progress=None if progress is None else lambda stage: progress(stage, 0.0),
            )
        return survey_table(opened.engine, max_combination=max_combination, progress=progress)
