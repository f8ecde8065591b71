"""Evidence from rows that are held is what the engine itself counts."""

from __future__ import annotations

from pathlib import Path

from sfumato.engines import open_source
from sfumato.surveys.coded_rows import all_coded_rows
from sfumato.surveys.evidence import gather, gather_held

ROWS = """when,number,text,flag,amount,empty
2020-02-29,007,Änne,true,1.50,
2021-02-29,12,änne,false,-3,
2020-01-01 10:00,+12," x ",true,1e3,
not a date,.5,b,,1.50,
,12,"line
break",true,,
"""


def test_a_field_that_is_held_has_the_profile_and_the_sample_of_its_engine(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(ROWS, encoding="utf-8")
    with open_source(path) as engine:
        infos = engine.fields()
        held = all_coded_rows(engine, [info.name for info in infos], rows=engine.count_rows())
        assert held is not None
        for info in infos:
            assert gather_held(info, held[info.name]) == gather(engine, info.name)


def test_more_rows_than_may_be_held_are_counted_by_the_engine(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(ROWS, encoding="utf-8")
    with open_source(path) as engine:
        assert all_coded_rows(engine, ["when"], rows=10**6) is None
