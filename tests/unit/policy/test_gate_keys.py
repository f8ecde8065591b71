"""What a policy says for noisy answers of the gate: membership, domains, and fields that are
constant per person."""

from __future__ import annotations

import pytest

from sfumato import release
from sfumato.errors import PolicyError
from sfumato.policy import Domain, Membership, policy_as_table, policy_from_table

WHOLE = {
    "membership": "protected",
    "entity": "who",
    "fields": {
        "who": "direct",
        "age": {"role": "quasi", "domain": {"least": 0, "most": 110}},
        "sex": {"role": "quasi", "domain": ["F", "M"], "constant_per_person": True},
    },
    "require": {"k": 5},
}


def test_they_are_read_and_written_alike():
    policy = policy_from_table(WHOLE)
    assert policy.membership is Membership.PROTECTED
    assert policy.fields["sex"].domain == Domain(values=("F", "M"))
    assert policy.fields["sex"].constant_per_person
    assert len(policy.fields["age"].domain) == 111
    assert policy_from_table(policy_as_table(policy)) == policy


def test_public_fields_are_read_and_written_alike():
    policy = policy_from_table({**field(public=True), "membership": "public"})
    assert policy.fields["x"].public
    assert policy_from_table(policy_as_table(policy)) == policy


def field(**given: object) -> dict[str, object]:
    return {"fields": {"x": {"role": "quasi", **given}}, "require": {"k": 5}}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (field(domain=[]), "fields.x.domain"),
        (field(domain=["F", "F"]), "fields.x.domain"),
        (field(domain={"least": 5, "most": 1}), "fields.x.domain"),
        (field(domain={"least": 0, "most": 20_000}), "fields.x.domain"),
        (field(domain="F"), "fields.x.domain"),
        (field(domain=[True]), "fields.x.domain"),
        (
            field(role="direct", domain=["F"]),
            "A domain has no effect on a field that is direct",
        ),
        (field(constant_per_person=True), "no entity is named"),
        ({**field(), "membership": "secret"}, "membership"),
        (field(public=True), "public only where it is public who is in"),
        ({**field(role="sensitive", public=True), "membership": "public"}, "Being public"),
    ],
)
def test_what_does_not_fit_is_said(table, said):
    with pytest.raises(PolicyError, match=said):
        policy_from_table(table)


def test_a_release_of_rows_cannot_protect_membership(tmp_path):
    (tmp_path / "people.csv").write_text("who,age,sex\na,30,F\n")
    with pytest.raises(PolicyError, match="cannot hide who is in the table"):
        release(tmp_path / "people.csv", policy_from_table(WHOLE), to=tmp_path / "out")
    assert not (tmp_path / "out").exists()
