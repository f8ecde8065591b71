"""Whatever is refused stands in the audit with its text, at every door; secrets and very long texts
do not."""

from __future__ import annotations

import psycopg
import pytest
from doors import a_door
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as some
from wires import a_wire

from sfumato.gate.audit import entries, verify_chain
from sfumato.gate.statement_text import HIDDEN, LONGEST, kept_text

REFUSED = {
    "syntax": "SELECT FROM WHERE people",
    "unknown table": "SELECT age FROM nobodies",
    "unknown field": "SELECT nobody FROM people",
    "unknown function": "SELECT frobnicate(age) FROM people",
    "never shown": "SELECT name FROM people",
    "no question": "DROP TABLE people",
    "no statement": "pardon me, how old is Ann?",
}


def last_refusal(gate):
    return [
        entry
        for entry in entries(gate.audit.path)
        if entry["kind"] in ("not admitted", "not answered")
    ][-1]


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    with a_door(tmp_path_factory.mktemp("texts")) as found:
        yield found
        verify_chain(found.gate.audit.path)


@pytest.fixture(scope="module")
def wire(tmp_path_factory):
    with a_wire(tmp_path_factory.mktemp("texts"), per_minute=100) as found:
        yield found
        verify_chain(found.gate.audit.path)


@pytest.mark.parametrize("sql", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("path", ["/ask", "/look"])
def test_over_http(door, sql, path):
    assert door.posts(path, {"sql": sql}, who="ann").status_code == 422
    line = last_refusal(door.gate)
    assert (line["who"], line["asked"]) == ("ann", sql)


@pytest.mark.parametrize("beside", [{"mode": "sideways"}, {"shape": 7}, {"unknown": "thing"}])
def test_over_http_with_something_beside_it_that_does_not_fit(door, beside):
    sql = "SELECT age FROM people WHERE town = 'Bergen'"
    assert door.posts("/ask", {"sql": sql, **beside}, who="ann").status_code == 422
    line = last_refusal(door.gate)
    assert (line["code"], line["asked"]) == ("not-fitting", sql)
    assert "sideways" not in str(line)


@pytest.mark.parametrize("sql", REFUSED.values(), ids=REFUSED)
def test_over_the_wire(wire, sql):
    for prepared in (False, True):
        with psycopg.connect(wire.uri(), autocommit=True) as client, pytest.raises(psycopg.Error):
            client.execute(sql, prepare=prepared)
        line = last_refusal(wire.gate)
        assert (line["who"], line["asked"]) == ("ann", sql)


def test_what_the_wire_refuses_itself(wire):
    for sql in ("SELECT 1; SELECT age FROM people; SELECT sex FROM people", "SAVEPOINT a"):
        with psycopg.connect(wire.uri(), autocommit=True) as client, pytest.raises(psycopg.Error):
            client.execute(sql)
        assert last_refusal(wire.gate)["asked"] == sql


def test_what_comes_too_often_over_http(tmp_path):
    with a_door(tmp_path, queries=1) as door:
        for number in range(3):
            door.posts("/ask", {"sql": f"SELECT sex FROM people LIMIT {number + 1}"}, who="ann")
        line = last_refusal(door.gate)
        assert (line["code"], line["asked"], line["through"]) == (
            "too-many",
            "SELECT sex FROM people LIMIT 3",
            "web",
        )


def test_what_the_door_does_not_read_has_its_line_too(door):
    door.posts("/ask", {"sql": "SELECT sex FROM people " + " " * 200_000}, who="ann")
    assert last_refusal(door.gate)["code"] in ("not-fitting", "too-long")
    door.posts("/ask", {"sql": "SELECT sex FROM people"}, who="adam")
    line = last_refusal(door.gate)
    assert (line["who"], line["code"]) == ("adam", "not-allowed")


def test_records_that_were_brought_are_not_written_down(door):
    asked = {
        "table": "people",
        "on": ["nothing"],
        "show": ["test"],
        "records": [{"nothing": "Ann Other"}],
    }
    assert door.posts("/link", asked, who="ann").status_code == 422
    line = last_refusal(door.gate)
    assert line["asked"] == "LINK people ON (nothing) SHOW (test)"
    assert "Ann Other" not in door.gate.audit.path.read_text()


SECRETS = (
    "ALTER USER ann PASSWORD '{}'",
    "ALTER USER ann WITH ENCRYPTED PASSWORD '{}' VALID UNTIL '2027-01-01'",
    "CREATE ROLE eve LOGIN PASSWORD $${}$$",
    "CREATE USER eve IDENTIFIED BY '{}'",
    "SET sfumato.token = '{}'",
    "SET SESSION password TO {}",
    "COPY people FROM 'postgresql://ann:{}@host/db'",
    "SELECT dblink('postgresql://ann:{}@host/db')",
    "SELECT dblink('host=x user=ann password={} dbname=y')",
    "SELECT * FROM people WHERE password = '{}'",
    "select 1 -- my password: {}",
    "curl -H 'Authorization: Bearer {}' gate",
    "INSERT INTO secrets VALUES ('{}')",
    "{}",
    "  {} ;",
    "ALTER USER ann PASSWORD '{}",
)


@pytest.mark.parametrize(
    "secret", ["hunter2hunter2", "correct-horse-battery!", "Wf3" + "xY9-_" * 8]
)
@pytest.mark.parametrize("statement", SECRETS)
def test_secrets_are_left_out(statement, secret):
    kept = kept_text(statement.format(secret))
    assert secret not in kept
    assert HIDDEN in kept


def test_a_token_is_left_out_wherever_it_stands():
    token = "q7" + "aB3_-xyZ" * 5
    assert token not in kept_text(f"SELECT '{token}' FROM people")


def test_questions_stay_as_they_are():
    for sql in (
        *REFUSED.values(),
        "SELECT age FROM people WHERE town = 'Bergen' AND note = 'it''s'",
        "SELECT\n\t1",
    ):
        assert kept_text(sql) == sql


@given(some.text(max_size=6_000))
@settings(max_examples=example_count(200), deadline=None)
def test_any_text_is_kept_short_and_printable(text):
    kept = kept_text(text)
    assert len(kept) <= 2 * LONGEST + 100
    kept.encode()
    assert "\x00" not in kept
