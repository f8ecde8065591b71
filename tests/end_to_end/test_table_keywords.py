"""Keywords describe several tables: a survey finds keys and links, and nothing uncertain is used."""

from __future__ import annotations

import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import PolicyError

PEOPLE = 12


def patients() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "patient_id": [f"p{n}" for n in range(PEOPLE)],
            "age": [20 + 30 * (n % 2) for n in range(PEOPLE)],
            "sex": ["f", "m"] * (PEOPLE // 2),
        }
    )


def visits() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "visit_id": range(2 * PEOPLE),
            "patient_id": [f"p{n % PEOPLE}" for n in range(2 * PEOPLE)],
            "ward": ["east", "west"] * PEOPLE,
            "diagnosis": ["flu", "flu", "gout", "gout"] * (PEOPLE // 2),
        }
    )


def tables() -> dict[str, pd.DataFrame]:
    return {"patients": patients(), "visits": visits()}


@pytest.mark.long("a release for each spelling; one stays", but=("quasi0-*",))
@pytest.mark.parametrize(
    ("quasi", "sensitive"),
    [
        ({"patients": ["age", "sex"], "visits": "ward"}, {"visits": ["diagnosis"]}),
        (["patients.age", "patients.sex", "visits.ward"], ["visits.diagnosis"]),
        ("age, sex, ward", "diagnosis"),
    ],
)
def test_names_by_table_with_a_dot_or_alone(quasi, sensitive):
    made = sf.release(tables(), quasi=quasi, sensitive=sensitive, k=3, l=2)
    assert made.outcome == "pass"
    assert set(made.frame) == {"patients", "visits"}
    shared = made.frame["visits"].groupby(["ward"])["patient_id"].nunique()
    assert shared.min() >= 3
    assert {"age", "sex"} <= {*made.frame["patients"]}
    assert set(made.frame["visits"]["patient_id"]) <= set(made.frame["patients"]["patient_id"])
    assert "p1" not in {*made.frame["patients"]["patient_id"]}


def test_every_field_that_nobody_named_is_listed_with_keys_and_links():
    made = sf.release(tables(), quasi=["age"], sensitive=["diagnosis"], k=3, l=2)
    assert set(made.surveyed) == {
        "patients.patient_id",
        "patients.sex",
        "visits.visit_id",
        "visits.patient_id",
        "visits.ward",
    }
    assert made.surveyed["visits.patient_id"] == "link to patients.patient_id, replaced (number)"
    assert made.surveyed["patients.sex"].startswith("quasi:")
    assert "not named: patients.sex" in repr(made)
    assert "link to patients.patient_id" in made._repr_html_()


@pytest.mark.long("a large release; the same for one table stays in test_frames.py")
def test_all_sensitive_fields_are_judged_where_one_table_has_none():
    """A requirement without fields asks for every sensitive field, also where a table has none."""
    made = sf.release(tables(), quasi=["age", "sex", "ward"], sensitive="diagnosis", k=3, l=2)
    again = sf.release(tables(), made.policy)
    assert any("l-diversity" in verdict.model for verdict in again.verdicts)


@pytest.mark.long("a large release; the same for one table stays in test_frames.py")
def test_a_sensitive_field_without_a_model_is_review():
    made = sf.release(tables(), quasi=["age", "sex", "ward"], sensitive="diagnosis", k=3)
    assert made.outcome == "review"
    assert "visits.diagnosis" in made.reviews[0]


def test_wrong_names_are_refused_all_at_once():
    with pytest.raises(PolicyError) as refused:
        sf.release(
            tables(), quasi=["patient_id", "wrd"], sensitive={"vists": ["diagnosis"]}, keep=3, k=3
        )
    text = str(refused.value)
    assert 'Try "patients.patient_id" or "visits.patient_id".' in text
    assert 'Did you mean "ward"?' in text
    assert 'Did you mean "visits"?' in text
    assert "keep: It must be a list of names of fields." in text


def test_a_key_or_a_link_has_no_other_role():
    with pytest.raises(
        PolicyError, match=r"visits\.patient_id joins the tables, and cannot be quasi"
    ):
        sf.release(tables(), quasi=["visits.patient_id"], k=3)
    with pytest.raises(PolicyError, match=r"the survey finds patients\.patient_id"):
        sf.release(tables(), quasi=["age"], entity="visits.visit_id", k=3)


def test_a_table_without_a_link_is_refused():
    with pytest.raises(PolicyError, match="No link from beds to patients was found"):
        sf.release(tables() | {"beds": pd.DataFrame({"bed": [1, 2]})}, quasi=["age"], k=3)


def test_two_fields_that_could_be_the_link_are_refused_until_one_is_named():
    treated = visits().rename(columns={"patient_id": "treated_patient_id"})
    treated["referring_patient_id"] = treated["treated_patient_id"][::-1].values
    source = {"patients": patients(), "visits": treated}
    asked = {"quasi": ["age", "sex", "ward"], "sensitive": ["diagnosis"], "k": 3, "l": 2}
    with pytest.raises(PolicyError, match="either could identify the person of a row") as refused:
        sf.release(source, **asked)
    assert 'direct=["visits.referring_patient_id"]' in str(refused.value)
    made = sf.release(source, direct=["visits.referring_patient_id"], **asked)
    assert "referring_patient_id" not in made.frame["visits"]
    assert made.outcome == "review"
    assert "visits.treated_patient_id for a link to patients.patient_id" in made.reviews[0]
