"""Tables as their publishers wrote them are read without a word from anybody. Left out where the
data is absent."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sfumato.engines import open_database, open_source
from sfumato.errors import SourceError
from sfumato.policy.source_records import SourceFormat
from sfumato.surveys import propose_policy, survey

REAL = Path(os.environ.get("SFUMATO_DATA", "")) / "real"
TABLES = (
    *(
        "adventureworks_customers",
        "compas",
        "diabetic_data",
        "ibm_attrition",
        "maires_fr",
        "student_mat",
    ),
    *("titanic3", "tse_candidatos_rj", "wapo_shootings"),
)
pytestmark = pytest.mark.skipif(
    not REAL.is_dir(), reason="left out: SFUMATO_DATA names no folder with real tables"
)


def said_of(name: str) -> dict[str, object]:
    found: dict[str, object] = json.loads((REAL / f"{name}.roles.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("name", TABLES)
def test_each_table_is_read_as_a_person_would_say_and_as_its_proposed_policy_says(
    name: str,
) -> None:
    options = {"rename_headers": True} if name == "compas" else {}
    said = said_of(name)
    with open_source(REAL / f"{name}.csv", **options) as engine:
        assert engine.count_rows() == said["rows"]
        (read,) = engine.snapshot().facts["read"]
        expected = said.get("read", {})
        assert isinstance(expected, dict)
        assert read["separator"] == expected.get("separator", ",")
        assert read["encoding"].startswith(expected.get("encoding", "utf-8"))
        found = survey(engine, max_combination=1)
    policy = propose_policy(found, source=SourceFormat().with_options(options))
    with open_source(REAL / f"{name}.csv", policy=policy) as engine:
        assert [info.name for info in engine.fields()] == list(policy.fields)
        assert all(
            engine.profile(item.name).nulls == item.missing
            for item in found.fields
            if item.null_words
        )


def test_headers_as_published_are_refused_by_name_with_the_option() -> None:
    with pytest.raises(SourceError) as refused:
        open_source(REAL / "compas.csv")
    for word in (
        "'decile_score' is the name of columns",
        "'priors_count' is the name of columns",
        "`rename_headers`",
    ):
        assert word in str(refused.value)


def test_a_folder_of_tables_that_are_written_in_different_ways() -> None:
    with open_database(REAL / "synthea") as database:
        read = database.snapshot().facts["read"]
    assert {one["separator"] for one in read} == {",", ";"}
    assert len(read) == 12
