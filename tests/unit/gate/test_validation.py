"""Validation: a claim about one number is judged by its noisy answer, at its cost and no other."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction

import pytest
from gates import ANN, BOB, POLICY, a_gate, people, write
from linked import linked_gate, write_table

import sfumato
from sfumato.errors import Mistake, NotAdmitted, NotAnswered, ReleaseBroken
from sfumato.gate.gate_opener import open_gate
from sfumato.gate.settings import (
    Audience,
    Budget,
    HeldTable,
    LinkedCopy,
    Mode,
    Settings,
    Terms,
    ValidationTerms,
)
from sfumato.gate.validation.claims import ClaimAgreement, ValidationClaim

BUDGET = Budget(query=0.5, person=2.0, table=40.0, most=1.0)
MAY = ValidationTerms(allowed=True)
TERMS = Terms(
    mode=Mode.NOISY,
    audience=Audience.PERSON,
    budget=BUDGET,
    bounds={"cost": (0, 1000), "age": (0, 100), "test": (0, 1)},
    validation=MAY,
)
ROWS = people(3000)
SHARE = "SELECT AVG(test) AS share FROM people"
OPEN = POLICY.replace("[fields.test]\n", "[fields.test]\ndomain = [0, 1]\n").replace(
    "[fields.cost]\n", "[fields.cost]\ndomain = { least = 0, most = 1000 }\n"
)


def mean(name: str, rows=ROWS) -> float:
    return sum(row[name] for row in rows) / len(rows)


@pytest.fixture(scope="module")
def gate(tmp_path_factory):
    with a_gate(tmp_path_factory.mktemp("gate"), ROWS, policy=OPEN, terms=TERMS) as gate:
        yield gate


def fresh(name: str):
    return replace(ANN, name=name)


FOUND = {
    "a count": ("SELECT COUNT(*) FROM people WHERE sex = 'F'", 150),
    "a share": ("SELECT AVG(test) FROM people", 0.1),
    "a mean": ("SELECT AVG(cost) FROM people", 50),
    "an effect": (
        "SELECT AVG(cost) FILTER (WHERE sex = 'F') - AVG(cost) FILTER (WHERE sex = 'M') FROM people",
        200,
    ),
    "a slope": ("SELECT COVAR_POP(cost, age) / VAR_POP(age) FROM people", 8),
    "a regression": ("SELECT REGR_SLOPE(cost, age) FROM people", 8),
    "a correlation": ("SELECT CORR(cost, age) FROM people", 0.4),
    "a percentile": ("SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY cost) FROM people", 150),
}


@pytest.mark.parametrize("kind", FOUND)
def test_a_claim_far_off_differs_and_a_true_one_does_not(gate, kind):
    import pandas

    sql, margin = FOUND[kind]
    table = pandas.DataFrame(ROWS)
    cost, by_sex = table.cost, table.groupby("sex").cost.mean()
    truth = {
        "a count": (table.sex == "F").sum(), "a share": table.test.mean(), "a mean": cost.mean(),
        "an effect": by_sex["F"] - by_sex["M"], "a slope": cost.cov(table.age) / table.age.var(),
        "a regression": cost.cov(table.age) / table.age.var(),
        "a correlation": cost.corr(table.age), "a percentile": cost.median(),
    }[kind]  # fmt: skip
    who = fresh(kind)
    near = gate.validator.validate(who, ValidationClaim(sql=sql, value=float(truth), margin=margin))
    far = gate.validator.validate(
        who, ValidationClaim(sql=sql, value=float(truth) + 9 * margin, margin=margin)
    )
    assert near.agreement is not ClaimAgreement.DIFFERS
    assert far.agreement is ClaimAgreement.DIFFERS
    assert near.low < near.number < near.high
    assert (near.remembered, near.epsilon) == (False, BUDGET.query)
    assert (far.remembered, far.epsilon, far.number) == (True, 0.0, near.number)


def test_it_is_charged_once_and_reads_the_answer_of_the_question_itself(gate):
    who = fresh("once")
    first = gate.validator.validate(who, ValidationClaim(sql=SHARE, value=0.3, margin=0.1))
    spellings = (
        SHARE,
        "select avg(test) from people",
        "SELECT AVG(p.test) AS other FROM people AS p WHERE TRUE",
    )
    for sql in spellings:
        for value, margin in ((0.31, 0.1), (0.3, 0.0001), (5, 1)):
            again = gate.validator.validate(
                who, ValidationClaim(sql=sql, value=value, margin=margin)
            )
            assert (again.number, again.low, again.high) == (first.number, first.low, first.high)
    asked = gate.keeper.ask(who, SHARE, mode=Mode.NOISY)
    assert asked.rows[0][0] == pytest.approx(first.number)
    assert gate.keeper.budget(who, "people").rho_spent <= BUDGET.question_rho


def test_the_budget_holds_and_a_used_up_one_says_so(gate):
    who = fresh("spender")
    towns = ("Aberdeen", "Bergen", "Cadiz", "Delphi", "Oslo")
    claims = [
        ValidationClaim(sql=f"{SHARE} WHERE town = '{town}'", value=0.3, margin=0.2)
        for town in towns
    ]
    for claim in claims[:4]:
        gate.validator.validate(who, claim)
    with pytest.raises(NotAdmitted) as refused:
        gate.validator.validate(who, claims[4])
    assert refused.value.code == "budget"
    spent = gate.keeper.budget(who, "people").rho_spent
    assert BUDGET.person_rho * Fraction(99, 100) < spent <= BUDGET.person_rho
    gate.validator.validate(who, replace(claims[0], margin=0.1))
    assert gate.keeper.budget(who, "people").rho_spent == spent


def test_a_forecast_is_free_and_names_the_epsilon_that_decides(gate):
    who = fresh("careful")
    count = ValidationClaim(
        sql="SELECT COUNT(*) FROM people WHERE sex = 'M'", value=1500, margin=60
    )
    found = gate.validator.forecast(who, count)
    assert gate.keeper.budget(who, "people").rho_spent == 0
    assert found.half_width is not None
    assert found.epsilon_needed is not None
    wider = gate.validator.forecast(who, replace(count, epsilon=min(1.0, found.epsilon_needed)))
    assert wider.half_width == pytest.approx(0.35 * count.margin, rel=0.05)
    given = gate.validator.validate(who, count)
    assert (given.high - given.low) / 2 == pytest.approx(found.half_width, rel=0.05)
    assert gate.validator.forecast(who, count).epsilon == 0
    average = gate.validator.forecast(who, ValidationClaim(sql=SHARE, value=0.3, margin=0.1))
    assert (average.half_width, average.decides, average.epsilon_needed) == (None, None, None)


NOT_CLAIMS = (
    "SELECT age, COUNT(*) FROM people GROUP BY age",
    "SELECT COUNT(*), AVG(cost) FROM people",
    "SELECT age FROM people",
    "SELECT COUNT(*) FROM people HAVING COUNT(*) > 5",
    "SELECT COUNT(*) FROM people LIMIT 1",
    "SELECT SUM(COUNT(*)) OVER () FROM people",
    "SELECT COUNT(*) FROM people UNION ALL SELECT COUNT(*) FROM people",
    "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY cost) * 2 FROM people",
    "SELECT COUNT(*) * 1.0 / (SELECT COUNT(*) FROM people) FROM people WHERE sex = 'F'",
    "SELECT COUNT(*) FROM people WHERE cost > (SELECT AVG(cost) FROM people)",
)


@pytest.mark.parametrize("sql", NOT_CLAIMS)
def test_other_than_one_number_is_not_admitted_and_costs_nothing(gate, sql):
    who = fresh("odd")
    with pytest.raises(NotAdmitted):
        gate.validator.validate(who, ValidationClaim(sql=sql, value=1.0, margin=1.0))
    assert gate.keeper.budget(who, "people").rho_spent == 0
    last = json.loads(gate.audit.path.read_text().splitlines()[-1])
    assert (last["kind"], last["who"]) == ("not admitted", "odd")


@pytest.mark.parametrize(
    "claim",
    [
        ValidationClaim(sql=SHARE, value=0.3, margin=0.0),
        ValidationClaim(sql=SHARE, value=0.3, margin=float("inf")),
        ValidationClaim(sql=SHARE, value=float("nan"), margin=1.0),
        ValidationClaim(sql=SHARE, value=0.3, margin=1.0, confidence=1.0),
        ValidationClaim(sql=SHARE, value=0.3, margin=1.0, epsilon=50.0),
        ValidationClaim(sql=SHARE, margin=1.0),
    ],
)
def test_impossible_claims_are_not_admitted(gate, claim):
    with pytest.raises(NotAdmitted):
        gate.validator.validate(fresh("impossible"), claim)
    assert gate.keeper.budget(fresh("impossible"), "people").rho_spent == 0


def test_only_profiles_whose_terms_say_so_may_validate(tmp_path):
    with a_gate(tmp_path, ROWS[:200], terms=replace(TERMS, validation=ValidationTerms())) as gate:
        for does in (gate.validator.validate, gate.validator.forecast):
            with pytest.raises(NotAdmitted) as refused:
                does(ANN, ValidationClaim(sql=SHARE, value=0.3, margin=0.1))
            assert refused.value.code == "not-allowed"


def test_too_few_people_are_refused_with_the_one_code(tmp_path):
    terms = replace(TERMS, mode=Mode.EITHER)
    with a_gate(tmp_path, ROWS[:200], terms=terms) as gate:
        claim = ValidationClaim(
            sql="SELECT AVG(cost) FROM people WHERE age = 33", value=500.0, margin=100
        )
        with pytest.raises(NotAnswered) as refused:
            gate.validator.validate(ANN, claim)
        assert refused.value.code == "not-answered"


def test_the_audit_has_the_claim_and_the_verdict(gate):
    found = gate.validator.validate(BOB, ValidationClaim(sql=SHARE, value=0.3, margin=0.25))
    last = json.loads(gate.audit.path.read_text().splitlines()[-1])
    assert (last["kind"], last["query"], last["agreement"]) == (
        "validated", found.query, found.agreement.value,
    )  # fmt: skip
    assert (last["value"], last["margin"]) == (0.3, 0.25)


def test_a_divisor_that_may_be_zero_gives_no_verdict(gate):
    sql = "SELECT COUNT(*) / (COUNT(*) FILTER (WHERE age = 79 AND town = 'Oslo')) FROM people"
    for value in (1.0, 1e9):
        found = gate.validator.validate(
            fresh("zero"), ValidationClaim(sql=sql, value=value, margin=1.0)
        )
        assert found.agreement is ClaimAgreement.CANNOT_SAY


# ---------------------------------------------------------------- with a synthetic copy


@contextmanager
def gate_with_copy(folder, *, digest: str = "", change=lambda made: None):
    write(folder, ROWS, policy=OPEN)
    made = sfumato.synthesize(
        folder / "people.csv",
        epsilon=4,
        domains={
            "age": {"least": 20, "most": 79},
            "town": ["Aberdeen", "Bergen", "Cadiz", "Delphi"],
            "sex": ["F", "M"],
            "test": [0, 1],
            "cost": {"least": 0, "most": 1000, "step": 10},
        },
        leave_out=["name"],
        to=folder / "copy",
    )
    change(made)
    table = HeldTable(
        name="people",
        source=str(folder / "people.csv"),
        policy=folder / "policy.toml",
        synthetic=LinkedCopy(release=folder / "copy", digest=digest or made.digest),
    )
    settings = Settings(folder=folder / "state", tables={"people": table}, terms={"public": TERMS})
    with open_gate(settings) as gate:
        yield gate, made


def test_the_value_comes_from_the_copy_without_noise_or_cost(tmp_path):
    import pandas

    with gate_with_copy(tmp_path) as (gate, made):
        copy = pandas.read_csv(next(made.folder.glob("synthetic*.csv")))
        sql = "SELECT AVG(cost) FROM people WHERE sex = 'F' AND age < 50"
        found = gate.validator.forecast(ANN, ValidationClaim(sql=sql, margin=100))
        seen = copy[(copy.sex == "F") & (copy.age < 50)].cost.mean()
        assert found.value == pytest.approx(seen, abs=1)
        assert found.copy == made.digest
        assert found.half_width is not None
        given = gate.validator.validate(ANN, ValidationClaim(sql=sql, margin=100))
        assert (given.value, given.copy) == (found.value, made.digest)
        assert (given.high - given.low) / 2 == pytest.approx(found.half_width, rel=0.3)
        assert gate.keeper.budget(ANN, "people").rho_spent <= BUDGET.question_rho


def test_another_release_than_the_named_one_opens_no_gate(tmp_path):
    with pytest.raises(ReleaseBroken), gate_with_copy(tmp_path / "digest", digest="0" * 64):
        pass

    def edit(made):
        file = next(made.folder.glob("synthetic*.csv"))
        file.write_text(file.read_text().replace("Bergen", "Cadiz", 1))

    with pytest.raises(ReleaseBroken), gate_with_copy(tmp_path / "edited", change=edit):
        pass


def test_a_release_of_real_rows_is_no_copy(tmp_path):
    write(tmp_path, ROWS)
    made = sfumato.release(
        tmp_path / "people.csv", policy=tmp_path / "policy.toml", to=tmp_path / "real"
    )
    table = HeldTable(
        name="people",
        source=str(tmp_path / "people.csv"),
        policy=tmp_path / "policy.toml",
        synthetic=LinkedCopy(release=tmp_path / "real", digest=made.digest),
    )
    with (
        pytest.raises(Mistake),
        open_gate(Settings(folder=tmp_path / "s", tables={"people": table})),
    ):
        pass


# ---------------------------------------------------------------- several tables about the same people


def test_a_claim_over_linked_tables_counts_each_person_within_the_bounds(tmp_path):
    policy = 'entity = "id"\n[fields]\nid = "direct"\n{more}\n[require]\nk = 2\n'
    patients = [{"id": f"p{n}", "sex": "FM"[n % 2]} for n in range(800)]
    stays = [{"id": f"p{n % 800}", "nights": n % 7} for n in range(1600)]
    stays += [{"id": "p1", "nights": 6}] * 500  # One patient with very many stays.
    held = (
        write_table(tmp_path, "patients", patients, policy.format(more='sex = "quasi"')),
        write_table(tmp_path, "stays", stays, policy.format(more='nights = "insensitive"')),
    )
    terms = replace(
        TERMS, bounds={"nights": (0, 7)}, rows_per_person=2, budget=replace(BUDGET, most=2.0)
    )
    sql = "SELECT AVG(s.nights) FROM stays s JOIN patients p ON s.id = p.id WHERE p.sex = 'F'"
    with linked_gate(tmp_path, held, terms=terms) as gate:
        found = gate.validator.validate(
            ANN, ValidationClaim(sql=sql, value=3.0, margin=1.5, epsilon=2.0)
        )
        assert found.agreement is ClaimAgreement.AGREES
        assert any("2 rows of each person" in cut for cut in found.cuts)
        visits = "SELECT COUNT(*) FROM patients WHERE EXISTS (SELECT 1 FROM stays WHERE stays.id = patients.id)"
        with pytest.raises(
            NotAdmitted
        ):  # Two recipients' answers: the budget is the same people's.
            gate.validator.validate(
                ANN, ValidationClaim(sql=visits, value=800, margin=100, epsilon=2.0)
            )


def test_copies_of_linked_tables_are_joined_as_the_tables_are(tmp_path):
    import pandas

    policy = 'membership = "protected"\nentity = "id"\n[fields]\nid = "direct"\n{more}\n[require]\nk = 2\n'
    patients = [{"id": f"p{n}", "sex": "FM"[n % 2]} for n in range(600)]
    stays = [{"id": f"p{n % 500}", "nights": n % 7} for n in range(1200)]
    made = sfumato.synthesize(
        {"patients": pandas.DataFrame(patients), "stays": pandas.DataFrame(stays)},
        {"synthesis": {"epsilon": 4.0, "tables": {
            "patients": {"key": "id", "domains": {"sex": ["F", "M"]}},
            "stays": {"parent": "patients", "link": "id", "most": 4, "domains": {"nights": {"least": 0, "most": 7}}},
        }}},
        to=tmp_path / "copy",
    )  # fmt: skip
    copy = LinkedCopy(release=tmp_path / "copy", digest=made.digest)
    more = {
        "patients": 'sex = { role = "quasi", domain = ["F", "M"] }',
        "stays": 'nights = "insensitive"',
    }
    held = [
        replace(write_table(tmp_path, name, rows, policy.format(more=more[name])), synthetic=copy)
        for name, rows in (("patients", patients), ("stays", stays))
    ]
    terms = replace(TERMS, bounds={"nights": (0, 7)}, rows_per_person=4)
    people, rows = (
        pandas.read_csv(made.folder / f"synthetic_{n}.csv") for n in ("patients", "stays")
    )
    with_stay = people.id.isin(rows.id) & (people.sex == "F")
    joined = rows.merge(people, on="id")
    with linked_gate(tmp_path, held, terms=terms) as gate:
        some = "EXISTS (SELECT 1 FROM stays WHERE stays.id = patients.id)"
        there = f"SELECT COUNT(*) FROM patients WHERE sex = 'F' AND {some}"
        found = gate.validator.forecast(ANN, ValidationClaim(sql=there, margin=100))
        assert found.value == with_stay.sum()
        mean = "SELECT AVG(s.nights) FROM stays s JOIN patients p ON s.id = p.id WHERE p.sex = 'F'"
        found = gate.validator.forecast(ANN, ValidationClaim(sql=mean, margin=1))
        assert found.value == pytest.approx(joined[joined.sex == "F"].nights.mean(), abs=0.01)
        assert found.half_width is not None
