"""Exports: what a validator of each format demands, and nothing that may not leave."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

pytest.importorskip("cryptography")

from sfumato.errors import Mistake
from sfumato.register import (
    EXPORTS,
    QUESTIONS,
    Agreement,
    ApplicationForm,
    Author,
    Charter,
    MoveKind,
    Register,
    SealedVote,
    VoteWord,
)
from sfumato.signatures import SigningKey

ROLES = {
    "adam": "administrator", "ann": "applicant", "max": "maker", "rea": "reviewer", "ria": "reviewer",
    "cho": "chair", "keeps": "custodian",
}  # fmt: skip
KEYS = {name: SigningKey.generate() for name in ROLES}
MEMBERS = {name: {"key": KEYS[name].public.line, "roles": [role]} for name, role in ROLES.items()}
ANSWERS = {key: f"About {key}: <b>*it*</b>." for key in QUESTIONS} | {"sharing": "enclave"}
AGREEMENT = {
    "recipient": "The lab", "access": "semi-private", "terms": ["no-linking", "project-only"],
    "digest": "ab" * 32, "valid_from": "2026-01-01", "until": "2026-12-31", "destroy_by": "2027-03-31",
}  # fmt: skip
STATUSES = {
    f"http://schema.org/{each}ActionStatus"
    for each in ("Potential", "Active", "Completed", "Failed")
}
SECRET = "a reason under seal"


def author(name: str) -> Author:
    return Author(name=name, key=KEYS[name])


@pytest.fixture(scope="module")
def register(tmp_path_factory: pytest.TempPathFactory) -> Register:
    """An application whose policy was approved, and one with a sealed vote."""
    folder = tmp_path_factory.mktemp("exports")
    charter = Charter.of({"ledger": {"k": 3}, "members": MEMBERS})
    made = Register.create(
        folder / "r", charter, author=author("adam"),
        clock=lambda: datetime(2026, 1, 2, tzinfo=UTC),
    )  # fmt: skip
    policy = folder / "policy.toml"
    policy.write_text('[fields.age]\nrole = "quasi"\n[require]\nk = 5\n')
    for name in ("study", "other"):
        made.apply(name, group="lab", form=ApplicationForm.of(ANSWERS), author=author("ann"))
        made.agree(name, Agreement.of(AGREEMENT), author=author("keeps"))
        made.propose(name, policy, author=author("max"))
        sealed = {who: SealedVote.sealed("approve", SECRET) for who in ("rea", "ria")}
        for who, vote in sealed.items():
            made.commit_vote(name, vote, author=author(who))
        if name == "other":
            continue
        for who, vote in sealed.items():
            made.open_vote(name, vote, author=author(who))
        made.decide(
            name, VoteWord.APPROVE, reason="fine", conditions=["on site"],
            valid_until="2026-06-30", author=author("cho"),
        )  # fmt: skip
    return made


def test_a_crate_has_what_the_five_safes_profile_demands(register: Register):
    """The MUST rules of profile 0.4."""
    crate = json.loads(register.export("ro-crate", name="study"))
    by_id = {each["@id"]: each for each in crate["@graph"]}
    root = by_id["./"]
    assert by_id["ro-crate-metadata.json"]["about"] == {"@id": "./"}
    assert root["conformsTo"] == {"@id": "https://w3id.org/5s-crate/0.4"}
    assert {"name", "description", "datePublished", "license"} <= root.keys()
    mentioned = [by_id[each["@id"]] for each in root["mentions"]]
    (run,) = [each for each in mentioned if each["@type"] == "CreateAction"]
    assert run["instrument"] == root["mainEntity"]
    assert by_id[root["mainEntity"]["@id"]]["@type"] == "Dataset"
    assert by_id[root["sourceOrganization"]["@id"]]["@type"] == "Project"
    asks = by_id[run["agent"]["@id"]]
    assert (asks["@type"], asks["memberOf"]) == ("Person", root["sourceOrganization"])
    (signed_off,) = [each for each in mentioned if each["@type"] == "AssessAction"]
    assert signed_off["additionalType"] == {"@id": "https://w3id.org/shp#SignOff"}
    assert root["mainEntity"] in signed_off["object"]
    assert {signed_off["actionStatus"], run["actionStatus"]} <= STATUSES
    refused = [each for each in _references(crate["@graph"]) if each not in by_id]
    outside = ("https://w3id.org/",)
    assert [each for each in refused if not each.startswith(outside)] == []


def _references(value: object) -> list[str]:
    if isinstance(value, dict):
        own = [value["@id"]] if value.keys() == {"@id"} else []
        return own + [each for inner in value.values() for each in _references(inner)]
    return (
        [each for inner in value for each in _references(inner)] if isinstance(value, list) else []
    )


def test_prov_names_every_author_and_no_vote(register: Register):
    found = json.loads(register.export("prov"))
    assert len(found["activity"]) == len(register.moves())
    assert {each["prov:label"] for each in found["agent"].values()} == set(ROLES)
    known = found["activity"].keys() | found["agent"].keys() | found["entity"].keys()
    for kind in ("wasAssociatedWith", "wasGeneratedBy", "used"):
        for relation in found[kind].values():
            assert set(relation.values()) <= known
    one = json.loads(register.export("prov", name="study"))
    assert len(one["activity"]) < len(found["activity"])


def test_an_impact_assessment_marks_what_is_open(register: Register):
    text = register.export("dpia", name="other")
    assert "**Open**: the board has not decided yet." in text
    assert "nobody assessed one yet" in text
    done = register.export("dpia", name="study")
    assert "cho approved the policy" in done
    assert "Condition: on site" in done
    assert "About law: \\<b\\>\\*it\\*\\</b\\>." in done
    assert "<b>" not in done


def test_a_vote_on_the_policy_after_another_charter_is_no_disclosure_check(tmp_path: Path):
    """A candidate was submitted, but a new charter put the application back to its policy."""
    charter = {"ledger": {"k": 3}, "members": MEMBERS}
    made = Register.create(
        tmp_path / "r", Charter.of(charter), author=author("adam"),
        clock=lambda: datetime(2026, 1, 2, tzinfo=UTC),
    )  # fmt: skip
    made.apply("study", group="lab", form=ApplicationForm.of(ANSWERS), author=author("ann"))
    made.agree("study", Agreement.of(AGREEMENT), author=author("keeps"))
    (tmp_path / "policy.toml").write_text('[fields.age]\nrole = "quasi"\n[require]\nk = 5\n')
    made.propose("study", tmp_path / "policy.toml", author=author("max"))
    _approved(made)
    facts = {
        "application": "study", "candidate": "cd" * 32, "policy": made.state().applications["study"].proposed,
        "assessment": {}, "verdict": {},
    }  # fmt: skip
    made._append(MoveKind.SUBMISSION, facts, author=author("max"))
    made.change_charter(Charter.of({**charter, "ledger": {"k": 4}}), author=author("adam"))
    _approved(made)
    assert made.export("dpia", name="study").count("cho approved the policy") == 2
    crate = json.loads(made.export("ro-crate", name="study"))
    names = [each["name"] for each in crate["@graph"] if each["@type"] == "AssessAction"]
    assert names == ["Sign-off of the policy: approved"] * 2
    made.withdraw("study", reason="ended", author=author("ann"))
    crate = json.loads(made.export("ro-crate", name="study"))
    (run,) = [each for each in crate["@graph"] if each["@type"] == "CreateAction"]
    assert run["actionStatus"] == "http://schema.org/FailedActionStatus"
    assert "endTime" in run


def _approved(register: Register) -> None:
    sealed = {who: SealedVote.sealed("approve", SECRET) for who in ("rea", "ria")}
    for who, vote in sealed.items():
        register.commit_vote("study", vote, author=author(who))
    for who, vote in sealed.items():
        register.open_vote("study", vote, author=author(who))
    until = register.today()
    register.decide(
        "study", VoteWord.APPROVE, reason="fine", valid_until=until, author=author("cho")
    )


def test_a_catalogue_without_releases_is_one(register: Register):
    found = json.loads(register.export("dcat"))
    assert found["@type"] == "dcat:Catalog"
    assert {"dct:title", "dct:description", "dct:publisher"} <= found.keys()
    assert found["dcat:dataset"] == []


def test_no_export_has_a_sealed_vote(register: Register):
    """Reasons are in an export when the vote is over, and not before."""
    for kind in EXPORTS:
        if kind == "croissant":
            continue
        text = register.export(kind, name="other")
        assert SECRET not in text
        assert "commitment" not in text or kind == "prov"
        kept = [move.facts["commitment"] for move in register.moves() if "commitment" in move.facts]
        assert len(kept) == 4
        assert not [each for each in kept if each in text]


def test_what_cannot_be_exported_is_told(register: Register, tmp_path: Path):
    with pytest.raises(Mistake, match="no such format"):
        register.export("xml")
    with pytest.raises(Mistake, match="No application and no release"):
        register.export("dpia", name="nobody")
    with pytest.raises(Mistake, match="None is named"):
        register.export("ro-crate")
    with pytest.raises(Mistake, match="No folder"):
        register.export("croissant", name="study")
    (tmp_path / "manifest.json").write_text('{"sfumato": "0"}')
    with pytest.raises(Mistake, match="neither this release"):
        register.export("croissant", name="study", release=tmp_path)
