"""A policy is read from a file, a text, a dict or a policy, with the same problems told."""

from __future__ import annotations

import tomllib

import pytest

from sfumato.errors import PolicyError, TargetError
from sfumato.policy import Policy, read_policy

TEXT = """
[fields]
zip = { role = "quasi", hierarchy = { prefix = [4, 3] } }
problem = "sensitive"
[require]
k = 5
"""
WRONG = TEXT.replace('"quasi"', '"quasy"').replace("k = 5", "k = 0")


def ways(text: str, tmp_path) -> list[object]:
    file = tmp_path / "policy.toml"
    file.write_text(text)
    return [file, str(file), text, tomllib.loads(text)]


def test_every_way_gives_the_same_policy(tmp_path):
    first, *others = [read_policy(way) for way in ways(TEXT, tmp_path)]
    assert all(each.fields == first.fields and each.require == first.require for each in others)
    assert read_policy(first) is first


def test_every_way_tells_the_same_problems(tmp_path):
    told = []
    for way in ways(WRONG, tmp_path):
        with pytest.raises(PolicyError) as found:
            read_policy(way)
        told.append(found.value.problems)
    assert [problem.where for problem in told[0]] == ["fields.zip.role", "require.k"]
    assert all(problems == told[0] for problems in told)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["zip"], "is a list. Try quasi="),
        (5, "is a whole number"),
        ("fields.zip = quasi", "The text is not TOML"),
        ("no such file", "cannot be read"),
        ("nothing.toml", "cannot be read"),
    ],
)
def test_what_is_no_policy_is_refused(given, said):
    with pytest.raises(PolicyError, match=said):
        read_policy(given)


def test_a_policy_prints_saves_and_shows_itself(tmp_path):
    policy = read_policy(TEXT)
    again = read_policy(str(policy))
    assert (again.fields, again.require) == (policy.fields, policy.require)
    path = policy.save(tmp_path / "mine.toml")
    assert path.read_text() == str(policy)
    with pytest.raises(TargetError, match="exists already"):
        policy.save(path)
    policy.save(path, replace=True)
    assert repr(policy) == "<Policy policy: 1 quasi (zip), 1 sensitive (problem); requires k = 5>"
    assert "generalised by prefix" in policy._repr_html_()


def test_no_value_that_a_policy_names_is_in_its_repr():
    table = tomllib.loads(TEXT)
    table["fields"]["zip"] |= {"domain": ["02138", "02139"], "null_words": ["unknown-zip"]}
    policy = read_policy(table)
    for shown in (repr(policy), policy._repr_html_()):
        assert "02138" not in shown
        assert "unknown-zip" not in shown


def test_a_proposed_policy_is_confirmed_by_a_person():
    policy = read_policy({**tomllib.loads(TEXT), "proposed": True})
    assert "proposed" in repr(policy)
    assert not policy.confirmed().proposed
    assert isinstance(policy.confirmed(), Policy)
