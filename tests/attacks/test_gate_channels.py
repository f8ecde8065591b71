"""What is not in an answer must not tell either: errors, refusals, and SQL that hides what it does.

Most of these read one person's test off a gate that looks for WHERE and hands the rest to its
database."""

from __future__ import annotations

from dataclasses import replace

import pytest
from gate_world import POLICY, World, against_ours, against_plain, improvement, pairs, people

from sfumato.errors import NotAdmitted, NotAnswered
from sfumato.gate.settings import Asker, Mode, Terms
from sfumato.gate.sql.predicates import Like

EVERYBODY = people()
EVE = Asker(name="eve", profile="public")
EXACT = Terms(mode=Mode.EXACT)
LIMIT = 0.1


def case(then, otherwise):
    return f"CASE WHEN {{alone}} AND test = 1 THEN {then} ELSE {otherwise} END"


HIDING = {
    "lower case": "select sum(test) from people where {alone}",
    "a comment": "SELECT SUM(test) FROM people WHERE/**/{alone}",
    "a line": "SELECT SUM(test) FROM people\nWHERE {alone}",
    "a common table": "WITH x AS (SELECT * FROM people\nWHERE {alone}) SELECT SUM(test) FROM x",
    "a nested one": "SELECT SUM(test) FROM (SELECT * FROM (SELECT * FROM people) AS a\nWHERE {alone}) AS b",
    "a file": "SELECT SUM(test) FROM read_csv('{path}')\nWHERE {alone}",
    "a filter": "SELECT SUM(test) FILTER ({alone}) FROM people".replace("({", "(WHERE\n{"),
    "a join": "SELECT SUM(a.test) FROM people AS a JOIN people AS b USING (age, town, sex, arrived)\nWHERE {alone}",
    "a sorted list": "SELECT test FROM people ORDER BY ({alone}) DESC LIMIT 1",
    "a union": "SELECT 0 FROM people UNION ALL SELECT SUM(test) FROM people\nWHERE {alone} ORDER BY 1 DESC LIMIT 1",
    "a subquery": "SELECT (SELECT SUM(test) FROM people\nWHERE {alone}) FROM people LIMIT 1",
    "a division": f"SELECT MAX(1 / ({case(0, 1)})) - 1 FROM people",
    "a cast": f"""SELECT SUM(CAST({case("'x'", "'1'")} AS INTEGER)) * 0 FROM people""",
    "an expensive branch": f"SELECT MAX(LENGTH(REPEAT('x', {case(90000, 1)}))) - 1 FROM people",
}  # fmt: skip


@pytest.fixture(scope="module")
def towns(tmp_path_factory):
    return pairs(EVERYBODY, 2, tmp_path_factory.mktemp("gate"))


@pytest.fixture(scope="module")
def world(towns):
    return towns[0].worlds[0]


def reading(template, path):
    """Ask what hides; an error and a number above a half both say 1."""

    def attack(ask, target):
        found = ask(template.replace("{alone}", target.alone).replace("{path}", str(path)))
        if not found or found[0][0] is None:
            return None
        return 1 if found[0][0] == "error" else int(float(found[0][0]) > 0.5)

    return attack


@pytest.mark.long("a gate for each way to hide; each third stays", every=3)
@pytest.mark.parametrize("name", HIDING)
def test_sql_that_hides_tells_no_more_than_sql_that_does_not(towns, name):
    def attacked(against):
        return lambda world, target: against(reading(HIDING[name], world.path))(world, target)

    assert improvement(attacked(against_plain), towns) > 0.9
    assert improvement(attacked(lambda attack: against_ours(attack, terms=EXACT)), towns) <= LIMIT


NEVER = (
    "COPY people TO 'x.csv'", "ATTACH 'x.db' AS x", "INSTALL httpfs", "PRAGMA database_list", "SET threads = 9",
    "CALL pragma_version()", "EXPLAIN SELECT test FROM people", "CREATE TABLE x AS SELECT * FROM people",
    "SELECT test FROM people; SELECT 1", "SELECT * FROM glob('*')", "SELECT pg_sleep(9) FROM people",
    "SELECT * FROM \"people.csv\"", "SELECT t\u0435st FROM people", "SELECT test FROM \u0440eople",
    "SELECT rowid FROM people", "SELECT test FROM people FOR UPDATE", "SELECT test INTO x FROM people",
    "SELECT ROW_NUMBER() OVER (ORDER BY age), test FROM people", "SELECT test FROM people TABLESAMPLE 1%",
    "SELECT test FROM people WHERE age = 30 OR test = 1", "SELECT test FROM people WHERE test = age",
    "SELECT test FROM people WHERE CAST(test + age AS TEXT) = '1'", "SELECT string_agg(test, ',') FROM people",
    "SELECT GREATEST(test, age) FROM people", "SELECT test FROM people LIMIT (SELECT SUM(test) FROM people)",
    "SELECT test FROM people p WHERE test > (SELECT AVG(q.test) FROM people q WHERE q.age = p.age)",
    "SELECT MIN(person), COUNT(DISTINCT person) FROM people", "SELECT random() FROM people",
)  # fmt: skip


def test_what_is_not_listed_does_not_pass_and_is_refused_alike_in_both_worlds(towns):
    said = []
    for place in (0, 1):
        with towns[0].worlds[place].ours(terms=EXACT) as keeper:
            for sql in NEVER:
                with pytest.raises(NotAdmitted) as refused:
                    keeper.ask(EVE, sql)
                said.append((place, str(refused.value)))
    assert [text for place, text in said if place == 0] == [
        text for place, text in said if place == 1
    ]


def test_every_refusal_that_data_decides_reads_alike(world):
    """Too few people, people who are too alike, and what was shown before: one sentence, but for
    the number."""
    target = EVERYBODY[0]
    asked = (
        "SELECT test, age, town, sex, arrived FROM people",
        f"SELECT test, age FROM people WHERE {target.alone}",
    )
    said = set()
    with world.ours(terms=EXACT) as keeper:
        for sql in asked:
            with pytest.raises(NotAnswered) as refused:
                keeper.ask(
                    EVE,
                    sql,
                    shape=",".join(f"{name}=0" for name in ("age", "town", "sex", "arrived")),
                )
            said.add(str(refused.value).replace(refused.value.query, "q"))
    assert len(said) == 1


def test_a_count_that_could_overflow_is_refused_by_the_query_alone(world):
    """That a count overflows would tell that it is large: no row is looked at for such a
    question."""
    with world.ours(terms=EXACT) as keeper:
        before = keeper.state.exposure("everyone", "people")
        with pytest.raises(NotAdmitted):
            keeper.ask(
                EVE, f"SELECT town, {' * '.join(['COUNT(*)'] * 16)} FROM people GROUP BY town"
            )
        assert keeper.state.exposure("everyone", "people") == before


def test_a_pattern_takes_no_longer_for_a_value_that_nearly_fits(world):
    held = world.holding.fields["town"]
    slow = replace(held, values=("a" * 5000,), codes=held.codes[:1] * 0)
    assert not Like("town", "%a" * 40 + "%b").marks({"town": slow}, {"town": slow.codes}).any()
    assert Like("town", "%a" * 40 + "%").marks({"town": slow}, {"town": slow.codes}).all()


def test_what_one_profile_does_not_know_and_another_does_is_known_to_whoever_shares(tmp_path):
    """A field shown as it is to somebody who cannot link on it is linked on by somebody who can."""
    recipients = {"public": {"linking": {"age": 0.0}}, "clinic": {"linking": {"age": 1.0}}}
    world = World(
        EVERYBODY, tmp_path, policy={**POLICY, "recipient": recipients, "release_to": "public"}
    )
    with world.ours(terms=EXACT) as keeper:
        found = keeper.ask(EVE, "SELECT age, test FROM people")
    sizes = {age: sum(row[0] == age for row in found.rows) for age, _ in found.rows}
    assert found.levels["age"] > 0
    assert min(sizes.values()) > 20
