"""Every example in docs/policy.md and docs/hierarchies.md holds."""

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from sfumato.errors import PolicyError
from sfumato.hierarchies import BUILDERS, CsvHierarchy, hierarchy_from_table
from sfumato.policy import (
    BUILT_IN,
    OBJECTIVES,
    SOLVERS,
    Method,
    Orphans,
    Policy,
    Role,
    RowCountMerging,
    TablePolicy,
    order_of_tables,
    policy_from_table,
    read_policy,
    reference_tables,
)
from sfumato.protection import KMRequirement

DOCS = Path(__file__).parents[3] / "docs"
POLICY = (DOCS / "policy.md").read_text(encoding="utf-8")
HIERARCHIES = (DOCS / "hierarchies.md").read_text(encoding="utf-8")


def blocks(text, kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


WHOLE, SHORT, STEPS, MADE_OF, ANSWERS, TABLES, REPEATING, WRONG = blocks(POLICY, "toml")
EXAMPLES = re.findall(
    r"^```toml\n(.*?)^```\n\n```ladders\n(.*?)^```$", HIERARCHIES, re.MULTILINE | re.DOTALL
)


def read_from(folder, text, name):
    (folder / "zip.csv").write_text(blocks(POLICY, "csv")[0])
    (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return read_policy(folder / f"{name}.toml")


def test_the_whole_example_is_a_policy(tmp_path):
    policy = read_from(tmp_path, WHOLE, "patients")
    assert policy.named(Role.QUASI) == ("zip", "birth", "sex")
    assert policy.profile.links_on("sex") == 0.5


def test_the_whole_example_shows_every_setting():
    example = tomllib.loads(WHOLE)
    shown = {
        *example,
        *example["source"],
        *example["require"],
        *example["recipient"]["research"],
        *example["solve"],
        *example["documentation"],
    }
    shown |= {key for field in example["fields"].values() for key in field}
    shown |= {*tomllib.loads(STEPS)["fields"]["income"]}
    shown |= {*tomllib.loads(MADE_OF)["tables"]["patients"]["fields"]["person"]}
    several = tomllib.loads(TABLES)
    shown |= {
        *several["require"],
        *several["tables"]["visits"],
        *several["tables"]["visits"]["row_counts"],
    }
    settings = set(re.findall(r"^\| `(\w+)` \|", POLICY, re.MULTILINE))
    assert settings - shown == {"proposed", "open", "may_tell", "public"}


def test_the_example_of_several_tables_is_a_policy():
    policy = policy_from_table(tomllib.loads(TABLES))
    assert order_of_tables(policy) == ("patients", "physicians", "visits", "diagnoses")
    assert reference_tables(policy) == ("physicians",)
    assert set(tomllib.loads(TABLES)["require"]["k_m"][0]) == {
        field.name for field in fields(KMRequirement)
    }
    assert {field.name for field in fields(TablePolicy)} - {"name"} == set(
        tomllib.loads(TABLES)["tables"]["visits"]
    )


def test_the_example_of_several_rows_per_person_is_a_policy():
    policy = policy_from_table(tomllib.loads(REPEATING))
    assert (policy.row_counts.bin_size, policy.require.each("k_m")[0].table) == (5, "")


def test_the_short_example_is_a_policy():
    assert isinstance(policy_from_table(tomllib.loads(SHORT)), Policy)


def test_the_problems_are_told_as_printed(tmp_path):
    with pytest.raises(PolicyError) as caught:
        read_from(tmp_path, WRONG, "patients")
    assert str(caught.value) == blocks(POLICY, "text")[0].strip()


def test_every_word_that_a_policy_may_use_is_in_the_page():
    words = [
        *SOLVERS,
        *OBJECTIVES,
        *(f'"{word}"' for word in (*Method, *RowCountMerging, *Orphans)),
        *Role,
        *BUILT_IN,
    ]
    assert [word for word in words if word not in POLICY] == []


def test_the_examples_in_python_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    read_from(tmp_path, SHORT.replace('name = "direct"\n', ""), "patients")
    for page in (POLICY, HIERARCHIES):
        for block in blocks(page, "python"):
            (tmp_path / "zip.csv").unlink(missing_ok=True)
            exec(compile(block, "docs", "exec"), {})
    assert (tmp_path / "copy.toml").exists()


@pytest.mark.parametrize(
    ("snippet", "ladders"), EXAMPLES, ids=lambda text: text.splitlines()[0][:60]
)
def test_a_hierarchy_gives_the_ladders_beside_it(snippet, ladders):
    rows = [line.split(" > ") for line in ladders.splitlines()]
    hierarchy = hierarchy_from_table(tomllib.loads(snippet)["hierarchy"]).bind(
        [row[0] for row in rows]
    )
    found = [
        [names[codes[n]] for names, codes in zip(hierarchy.labels, hierarchy.up, strict=True)]
        for n in range(len(rows))
    ]
    assert found == rows


def test_every_builder_has_an_example_with_ladders():
    assert len(EXAMPLES) == len(blocks(HIERARCHIES, "toml"))
    assert {key for snippet, _ in EXAMPLES for key in tomllib.loads(snippet)["hierarchy"]} >= set(
        BUILDERS
    )


def test_the_csv_example_is_a_hierarchy(tmp_path):
    (tmp_path / "zip.csv").write_text(blocks(HIERARCHIES, "csv")[0])
    assert CsvHierarchy.read(tmp_path / "zip.csv").bind(["02138"]).height == 3


def test_the_example_of_a_key_of_several_fields_is_read():
    policy = policy_from_table(
        {"entity": "patients.person", "require": {"k": 2}, **tomllib.loads(MADE_OF)}
    )
    assert policy.tables["visits"].links[0].field == policy.tables["patients"].key == "person"


def test_the_answers_of_the_page_are_read():
    assert set(read_policy(SHORT + ANSWERS).documentation) == {"original", "notice"}


def test_steps_of_sensitive_numbers():
    table = tomllib.loads(STEPS)
    table["fields"]["zip"] = "quasi"
    assert policy_from_table(table).fields["income"].value_steps == (5000.0,)
