"""Asking over HTTP: the catalogue, a look, an answer, links, history and budget; and what refusals
look like."""

from __future__ import annotations

import io

import pytest
from doors import a_door

from sfumato.gate.audit import entries
from sfumato.gate.settings import Budget, Mode, Terms
from sfumato.gate.web.endpoints import told

SQL = "SELECT age, town, sex, test FROM people"


@pytest.fixture
def door(tmp_path):
    with a_door(tmp_path) as door:
        yield door


def test_a_number_that_is_none_is_null():
    reply = told({"rows": [("a", float("nan")), ("b", 1.5)], "off": {"n": float("inf")}})
    assert reply.body == b'{"rows":[["a",null],["b",1.5]],"off":{"n":null}}'


def test_the_catalogue_tells_roles_kinds_and_levels_and_no_more(door):
    (table,) = door.gets("/catalogue", who="ann").json()["tables"]
    fields = {field["name"]: field for field in table["fields"]}
    assert table["never"] == ["name"]
    assert {name: field["role"] for name, field in fields.items()} == {
        "age": "known", "town": "known", "sex": "known", "test": "protected", "cost": "protected",
    }  # fmt: skip
    assert len(fields["age"]["levels"]) == 5
    assert fields["test"]["levels"] == []
    assert "Cadiz" not in str(table)


def test_a_look_offers_shapes_and_an_answer_has_the_one_that_was_chosen(door):
    offer = door.posts("/look", {"sql": SQL}, who="ann").json()
    last = offer["shapes"][-1]
    answer = door.posts("/ask", {"sql": SQL, "shape": last["shape"]}, who="ann").json()
    assert answer["query"] == offer["query"]
    assert answer["levels"] == last["levels"]
    assert answer["columns"] == ["age", "town", "sex", "test", "answered_as"]
    assert not answer["as_asked"]
    assert len(answer["rows"]) == last["rows"]
    assert set(answer["level_names"]) == {"age", "town", "sex"}


def test_a_refusal_that_depends_on_data_has_one_form(door):
    other = door.posts("/ask", {"sql": SQL, "shape": "age=0,town=0,sex=0"}, who="ann")
    assert other.status_code == 403
    told = other.json()
    assert set(told) == {"code", "query", "message"}
    assert told["code"] == "not-answered"
    assert told["message"] == (
        f"This query was not answered under profile 'public'. Quote {told['query']} to the "
        "data steward to learn why."
    )


def test_a_refusal_before_any_row_is_read_says_why_and_where(door):
    wrong = door.posts("/ask", {"sql": "SELECT age\nFROM people WHERE"}, who="ann")
    assert wrong.status_code == 422
    assert wrong.json()["code"] == "syntax"
    assert wrong.json()["place"]["line"] == 2
    unknown = door.posts("/ask", {"sql": "SELECT ages FROM people"}, who="ann").json()
    assert unknown["code"] == "unknown-field"
    assert "age" in unknown["message"]
    assert unknown["place"] == {"line": 1, "column": 11}
    never = door.posts("/ask", {"sql": "SELECT name FROM people"}, who="ann").json()
    assert never["code"] == "never-shown"


@pytest.mark.parametrize(
    "body", [{}, {"sql": 7}, {"sql": ""}, {"sql": "x", "else": 1}, {"sql": "x" * 30_000}, [], "x"]
)
def test_what_does_not_fit_is_told_without_repeating_it(door, body):
    told = door.posts("/ask", body, who="ann")
    assert told.status_code == 422
    assert told.json()["code"] == "not-fitting"
    assert "x" * 10 not in told.text


def test_what_is_no_json_is_told(door):
    for content in (b"{", b"\xff\xfe", b'{"sql": NaN}', b"[" * 100_000):
        told = door.sends(
            "POST", "/ask", who="ann", content=content, headers={"Content-Type": "application/json"}
        )
        assert (told.status_code, told.json()["code"]) == (422, "not-json")
    typed = door.sends(
        "POST", "/ask", who="ann", content=b"sql=1", headers={"Content-Type": "text/plain"}
    )
    assert typed.status_code == 415


def test_links_as_json_and_as_files_are_one_question(door, tmp_path):
    asked = {"table": "people", "on": ["age", "town"], "show": ["test"]}
    records = [{"age": age, "town": "Cadiz"} for age in range(30, 50)]
    first = door.posts("/link", {**asked, "records": records}, who="ann").json()
    assert first["columns"] == ["age", "town", "test", "answered_as"]
    assert len(first["rows"]) > 0
    text = "town,age,own\n" + "".join(f"{each['town']},{each['age']},secret\n" for each in records)
    as_csv = _uploaded(door, asked, "mine.csv", text.encode())
    assert as_csv.json() == {**first, "remembered": True}
    parquet = pytest.importorskip("pyarrow.parquet")
    page = io.BytesIO()
    parquet.write_table(pytest.importorskip("pyarrow").Table.from_pylist(records), page)
    assert _uploaded(door, asked, "mine", page.getvalue()).json() == {**first, "remembered": True}
    assert "secret" not in door.gate.audit.path.read_text()
    assert not list(door.gate.settings.folder.glob("brought-*"))


def _uploaded(door, asked, name, content, **more):
    form = {"table": asked["table"], "on": asked["on"], "show": asked["show"], **more}
    return door.sends("POST", "/link", who="ann", data=form, files={"file": (name, content)})


def test_a_link_can_be_looked_at_first(door):
    asked = {
        "table": "people",
        "on": ["age"],
        "show": ["test"],
        "records": [{"age": 40}],
        "preview": True,
    }
    offer = door.posts("/link", asked, who="ann").json()
    assert "shapes" in offer
    assert [entry["kind"] for entry in entries(door.gate.audit.path)][-1] == "looked"


@pytest.mark.long("a gate for each file; one stays", every=3)
@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("a.csv", b"town\nCadiz\n", "link-fields"),
        ("a.parquet", b"PAR1 and then something else", "not-a-table"),
        ("a.csv", b"", "not-a-table"),
    ],
)
def test_files_that_cannot_be_read_are_told_in_our_words(door, name, content, code):
    told = _uploaded(door, {"table": "people", "on": ["age"], "show": ["test"]}, name, content)
    assert (told.status_code, told.json()["code"]) == (422, code)
    assert str(door.gate.settings.folder) not in told.text


def test_my_history_says_what_i_was_told_and_not_why(door):
    door.posts("/ask", {"sql": SQL, "shape": "age=0,town=0,sex=0"}, who="ann")
    door.posts("/ask", {"sql": SQL}, who="ann")
    door.posts("/ask", {"sql": "SELECT age, cost FROM people"}, who="stella")
    lines = door.gets("/history", who="ann").json()["entries"]
    assert [line["kind"] for line in lines] == ["answered", "not answered"]
    assert not {"reason", "closest", "answer", "digest"} & {key for line in lines for key in line}
    newest = door.gets("/history", who="ann", params={"limit": 1}).json()
    older = door.gets("/history", who="ann", params={"before": newest["before"]}).json()
    assert [*newest["entries"], *older["entries"]] == lines


def test_the_budget_goes_down(tmp_path):
    terms = Terms(mode=Mode.NOISY, budget=Budget(query=0.25, person=0.5, table=10.0))
    with a_door(tmp_path, terms=terms) as door:
        count = {"sql": "SELECT COUNT(*) AS n FROM people"}
        assert door.posts("/look", count, who="ann").json()["left"] == 2
        assert door.posts("/ask", count, who="ann").json()["noise"]
        (table,) = door.gets("/budget", who="ann").json()["tables"]
        assert (table["person"], table["answers_left"]) == (0.5, 1)
        assert table["spent"] == pytest.approx(table["left"], rel=1e-6)
        assert 0.25 < table["spent"] < 0.5  # Epsilons of parts add up to more than the whole's.
        rho = table["rho"]
        assert rho["spent"] + rho["left"] == pytest.approx(rho["person"])
        assert rho["query"] == pytest.approx(rho["person"] / 2)


def test_a_number_that_cannot_be_had_is_refused_with_an_offer_and_never_another_number(tmp_path):
    """Once the budget is spent, a count was about a wider condition, and only the page said so."""
    terms = Terms(mode=Mode.EITHER, budget=Budget(query=0.25, person=0.25, table=10.0))
    sql = "SELECT COUNT(*) AS n FROM people WHERE age = {} AND town = 'Cadiz' AND test = 1"
    with a_door(tmp_path, terms=terms) as door:
        spent = {
            "sql": "SELECT sex, COUNT(*) AS n FROM people WHERE age = 33 GROUP BY sex",
            "mode": "noisy",
        }
        assert door.posts("/ask", spent, who="ann").json()["columns"] == [
            "sex",
            "n",
            "n_within",
            "answered_as",
        ]
        refused = door.posts("/ask", {"sql": sql.format(34)}, who="ann")
        told = refused.json()
        assert (refused.status_code, told["code"]) == (403, "not-answered")
        assert "used up" in told["found"]
        assert "age in steps of 5" in told["attempt"]
        distinct = door.posts(
            "/ask", {"sql": "SELECT COUNT(DISTINCT age) FROM people WHERE sex = 'F'"}, who="ann"
        )
        assert distinct.status_code == 403 or distinct.json()["rows"] == [[60]]


def test_an_offer_that_follows_from_what_was_shown_is_one_that_is_kept(tmp_path):
    with a_door(tmp_path, terms=Terms(mode=Mode.EXACT)) as door:
        shown = door.posts("/ask", {"sql": "SELECT age, sex, test FROM people"}, who="ann").json()
        assert not shown["as_asked"]
        sql = "SELECT age, COUNT(*) AS n FROM people WHERE test = 1 GROUP BY age"
        told = door.posts("/ask", {"sql": sql}, who="ann").json()
        level = shown["levels"]["age"]
        assert told["attempt"].endswith(f"Ask with the shape age={level}.")
        answer = door.posts("/ask", {"sql": sql, "shape": f"age={level}"}, who="ann").json()
        assert answer["columns"] == ["age", "n", "n_within", "answered_as"]
        assert {tuple(row[2:]) for row in answer["rows"]} == {(0, answer["rows"][0][3])}
        assert "age in steps of" in answer["rows"][0][3]
        assert sum(row[1] for row in answer["rows"]) == sum(row[2] for row in shown["rows"])
        again = door.posts("/ask", {"sql": sql}, who="ann").json()
        assert (
            again["code"] == "not-answered"
        )  # What was chosen once is not given for what was not asked.


def test_the_catalogue_says_towards_whom_no_differential_privacy_holds(tmp_path):
    for mode, said in (
        (Mode.EITHER, "No differential privacy holds"),
        (Mode.NOISY, "Differential privacy holds"),
    ):
        with a_door(tmp_path / mode, terms=Terms(mode=mode)) as door:
            (table,) = door.gets("/catalogue", who="ann").json()["tables"]
            (budget,) = door.gets("/budget", who="ann").json()["tables"]
            assert table["promise"].startswith(said)
            assert budget["promise"] == table["promise"]


DERIVED = (
    "SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*), 2.5 * COUNT(*) FROM people GROUP BY 1",
    "SELECT CASE WHEN age >= 65 THEN 'old' END AS old, AVG(cost), STDDEV(cost) FROM people GROUP BY 1",
    "SELECT FLOOR(age / 10) AS decade, test FROM people",
)


@pytest.mark.parametrize("sql", DERIVED)
def test_what_a_query_derives_is_looked_at_and_answered(door, sql):
    offer = door.posts("/look", {"sql": sql}, who="ann")
    answer = door.posts("/ask", {"sql": sql}, who="ann")
    assert (offer.status_code, answer.status_code) == (200, 200)
    found = answer.json()
    assert set(found["level_names"].values()) <= {"value", "suppressed"}
    assert not any(name.startswith("_col") for name in found["columns"])
