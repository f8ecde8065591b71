"""What a pandas user would try first: each works, or fails with a message that helps."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from people_frames import frame

import sfumato as sf
from sfumato.errors import Mistake, PolicyError, SourceError


@pytest.fixture(scope="module")
def df() -> pd.DataFrame:
    return frame("pandas")[["name", "age", "zip", "sex"]]


@pytest.fixture(scope="module")
def made(df):
    return sf.release(df, k=3)


def test_k_alone_is_enough(made):
    assert (made.outcome, list(made.frame.columns)) == ("pass", ["age", "zip", "sex"])


def test_one_name_in_place_of_a_list(df):
    policy = sf.release(df, quasi="age", k=3).policy
    assert policy.named("quasi") == ("age", "zip", "sex")


def test_names_with_commas_or_an_index_of_pandas(df):
    assert sf.release(df, quasi="age, zip", k=3).surveyed.keys() == {"name", "sex"}
    assert sf.release(df, quasi=df.columns[1:], k=3).surveyed.keys() == {"name"}


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"qi": ["age"]}, 'Did you mean "quasi" for qi?'),
        ({"quasi_identifiers": ["age"]}, 'Did you mean "quasi" for quasi_identifiers?'),
        ({"sensitiv": ["age"]}, 'Did you mean "sensitive"?'),
        ({"colour": 3}, "one of to, quasi"),
    ],
)
def test_keywords_of_other_libraries(df, keywords, said):
    with pytest.raises(Mistake) as told:
        sf.release(df, k=3, **keywords)
    assert said in str(told.value)


def test_options_of_other_engines_pass_and_words_of_other_libraries_do_not(tmp_path):
    rows = [{"age": 30}, {"age": 31}, {"age": None}]
    asked = {"quasi": ["age"], "k": 3, "engine": "reference"}
    assert len(sf.release(rows, **asked, fields=["age"], to=tmp_path / "release")) == 3
    with pytest.raises(Mistake, match='Try to="folder"'):
        sf.release(rows, **asked)
    with pytest.raises(Mistake, match="quasi"):
        sf.release(rows, **asked, qi=["age"])


@pytest.mark.parametrize(
    ("wrap", "said"),
    [
        (lambda df: [df, df], 'Try a mapping of names and frames, such as {"patients"'),
        (lambda df: (df, df), "Try a mapping of names and frames"),
        (lambda df: {"patients": df}, "Try the frame itself"),
        (lambda df: df.to_dict("records"), "Try pandas.DataFrame(rows)"),
        (lambda df: {}, "Try pandas.DataFrame(columns)"),
    ],
)
def test_frames_in_a_wrapper_that_is_not_read(df, wrap, said):
    with pytest.raises(SourceError) as told:
        sf.release(wrap(df), k=3)
    assert said in str(told.value)
    tables = {"entity": "patients.id", "tables": {"patients": {"fields": {"id": "direct"}}}}
    with pytest.raises((SourceError, PolicyError)):
        sf.release(wrap(df), tables)


def test_a_list_in_place_of_a_policy(df):
    with pytest.raises(Mistake, match="Try quasi="):
        sf.release(df, ["age", "zip"], k=3)


@pytest.mark.parametrize(("k", "said"), [("5", "a whole number"), (0, "must be"), (2.5, "whole")])
def test_a_k_that_is_none(df, k, said):
    with pytest.raises(PolicyError, match=said):
        sf.release(df, quasi=["age"], k=k)


@pytest.mark.parametrize(
    ("name", "said"),
    [("df", "made.frame"), ("to_csv", "made.save"), ("shape", "made.frame"), ("k", "require.k")],
)
def test_attributes_of_a_frame(made, name, said):
    with pytest.raises(AttributeError, match=said):
        getattr(made, name)


def test_length_and_truth(made):
    assert len(made) == made.rows
    assert made


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("anonymize", "sfumato.release"),
        ("deidentify", "sfumato.release"),
        ("k_anonymity", "sfumato.models.KAnonymity"),
        ("redact", "sfumato.scrub"),
        ("risk", "sfumato.assess"),
        ("KAnonymity", "sfumato.models.KAnonymity"),
        ("PolicyError", "sfumato.errors.PolicyError"),
        ("recommend", "sfumato.advise"),
        ("hierarchy", "the command `sfumato hierarchy` in a shell"),
        ("check", "sfumato.verify for a release, or sfumato.read_policy for a policy"),
    ],
)
def test_names_of_other_libraries(name, said):
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'. Use {said}"):
        getattr(sf, name)


def test_parts_are_one_level_below():
    assert sf.models.KAnonymity(k=5).k == 5
    assert issubclass(sf.errors.PolicyError, sf.errors.Mistake)
    assert "optimal" in sf.solvers.SOLVERS


def test_models_as_records_and_as_a_dict(df):
    asked = {"quasi": ["age", "zip"], "insensitive": ["sex"], "direct": ["name"]}
    records = sf.release(df, **asked, require=[sf.models.KAnonymity(k=3)])
    table = sf.release(df, **asked, require={"k": 3, "max_suppression": 0.05})
    assert records.policy.require == table.policy.require
    assert records.outcome == "pass"
    both = sf.release(df, **asked, k=3, require=[sf.models.MaximumRisk(threshold=0.5)])
    assert both.policy.require.keys == ("k", "maximum_risk")
    usual = sf.release(df, **asked, max_suppression=0.2)
    assert (usual.outcome, usual.policy.require.max_suppression) == ("review", 0.2)


def test_a_hierarchy_of_ones_own(df):
    made = sf.release(
        df, quasi=["zip"], insensitive=["age", "sex"], hierarchies={"zip": {"prefix": [3]}}, k=3
    )
    assert set(made.frame["zip"]) <= {"021**", *df["zip"], "*"}
    with pytest.raises(PolicyError, match="only a quasi field"):
        sf.release(df, insensitive=["age"], hierarchies={"age": {"prefix": [1]}}, k=3)


def test_texts_are_scrubbed():
    texts = ["Dear Ms. Townsend, call 617-473-1214.", None, "", "Ms. Townsend came."]
    made = sf.scrub(texts=pd.Series(texts), people=[7, 7, 8, 7])
    assert made.texts[1:3] == [None, ""]
    assert len(made) == 4
    assert not [text for text in made if text and ("Townsend" in text or "473-1214" in text)]
    new = made[0].split("Ms. ")[1].split(",")[0]
    assert new in made[3]
    assert "Townsend" not in repr(made) + made._repr_html_()
    assert new not in repr(made) + made._repr_html_()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"paths": "Dear Ms. Townsend"}, "texts=["),
        ({"texts": ["a"], "to": "x"}, "nothing is written"),
        ({"texts": ["a", 5]}, "1 of them is no text"),
        ({"texts": ["a"], "people": [1, 2]}, "one entry of people"),
    ],
)
def test_texts_that_cannot_be_scrubbed(asked, said):
    with pytest.raises(Mistake) as told:
        sf.scrub(**asked)
    assert said in str(told.value)
    assert "Townsend" not in str(told.value)


@pytest.mark.parametrize("column", [pd.Series([1, 2, 3]), np.array([["a", 1], ["b", 2]])])
def test_a_column_or_an_array_is_no_table(column):
    with pytest.raises(SourceError, match="a table has named fields"):
        sf.release(column, k=2)


def test_an_error_starts_with_a_capital():
    with pytest.raises(SourceError, match=r"^The frame holds no row\."):
        sf.release(pd.DataFrame({"age": pd.Series([], dtype=int)}), k=2)


def test_the_policy_of_a_dict_has_no_name(df):
    with pytest.raises(PolicyError, match=r"^The policy has 2 problems:"):
        sf.release(df, {"fields": {"name": "direkt"}, "require": {"k": 2.5}})


def test_a_frame_is_not_verified(df):
    with pytest.raises(Mistake, match="A release was expected, and DataFrame was given"):
        sf.verify(df)


def test_a_slip_in_the_name_of_an_attribute(made):
    with pytest.raises(AttributeError, match=r'Did you mean "frame"\?'):
        _ = made.frme


def test_names_are_listed_once():
    assert dir(sf) == sorted(set(dir(sf)))
    assert {*sf.__all__, "errors", "solvers"} <= set(dir(sf))
    assert not {"Any", "TYPE_CHECKING", "annotations", "import_module"} & set(dir(sf))


def test_an_error_speaks_of_keywords(made, tmp_path):
    made.save(tmp_path / "release")
    with pytest.raises(Mistake, match="Try another folder with `to`, or `replace` to put"):
        made.save(tmp_path / "release")


def test_one_lost_field_is_one(df):
    lost = repr(sf.release(df, quasi=["age", "zip", "sex"], k=len(df)))
    assert "sfumato.advise(source, made.policy) finds changes that keep them" in lost


def test_every_result_has_a_short_repr(df, made):
    intrusion = sf.intrude(made, source=df, targets=5)
    assert repr(intrusion).startswith("Intrusion into a release in memory: 0 of ")
    assert all(len(line) < 300 for line in repr(intrusion).splitlines())
    assert "<caption>Intrusion into a release in memory</caption>" in intrusion._repr_html_()
    synthetic = sf.synthesize(df[["sex"]], epsilon=1, domains={"sex": ["f", "m"]})
    assert repr(synthetic).startswith("<SyntheticRelease in memory: ")
    assert "epsilon 1 at delta 1e-09>" in repr(synthetic)
    assert " bin" in synthetic._repr_html_()
    assert "Ann" not in intrusion._repr_html_() + synthetic._repr_html_()


def test_a_policy_names_builders_as_its_file_does(made):
    shown = made.policy._repr_html_()
    assert "generalised by numbers" in shown
    assert "generalised by prefix" in shown
