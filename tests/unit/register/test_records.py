"""Records of the register: forms, agreements, people, revelations, leaked rows, and moves that were
signed elsewhere."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

pytest.importorskip("cryptography")

import sfumato as sf
from sfumato.engines import open_source
from sfumato.errors import Mistake
from sfumato.policy import read_policy
from sfumato.register import (
    QUESTIONS,
    Agreement,
    ApplicationForm,
    Author,
    Charter,
    LeakedRows,
    Move,
    MoveKind,
    PeopleLink,
    Register,
    RevelationStep,
    agreement_ends,
    blank_form,
    urgency_of,
)
from sfumato.register.leaked_cells import FieldTreatment
from sfumato.register.leaked_rows import NO_FIELD, LeakedRowFits
from sfumato.register.people_links import common_key
from sfumato.register.submissions import (
    check_described,
    check_linking,
    policy_digest,
    policy_facts,
)
from sfumato.releases import policy_facts as policy_table
from sfumato.signatures import SigningKey

ROLES = {
    "admin": "administrator", "asks": "applicant", "makes": "maker", "reads": "reviewer",
    "reads2": "reviewer", "leads": "chair", "keeps": "custodian",
}  # fmt: skip
KEYS = {name: SigningKey.generate() for name in ROLES}
MEMBERS = {name: {"key": KEYS[name].public.line, "roles": [role]} for name, role in ROLES.items()}
ANSWERS = dict.fromkeys(QUESTIONS, "An answer.") | {"sharing": "enclave"}
AGREEMENT = {
    "recipient": "The lab", "access": "semi-private", "terms": ["no-linking"], "digest": "ab" * 32,
    "valid_from": "2026-01-01", "until": "2026-12-31", "destroy_by": "2027-03-31", "link_on": ["q"],
}  # fmt: skip


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 1, 2, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def author(name: str) -> Author:
    return Author(name=name, key=KEYS[name])


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def register(tmp_path, clock) -> Register:
    charter = Charter.of({"ledger": {"k": 3}, "members": MEMBERS})
    return Register.create(tmp_path / "r", charter, author=author("admin"), clock=clock)


def test_a_form_says_everything_that_it_lacks(tmp_path):
    path = tmp_path / "form.toml"
    path.write_text(blank_form())
    with pytest.raises(Mistake, match="does not answer: purpose, use, origin"):
        ApplicationForm.read(path)
    path.write_text(blank_form().replace('= ""', '= "Text."'))
    with pytest.raises(Mistake, match="sharing is one of"):
        ApplicationForm.read(path)
    with pytest.raises(Mistake, match="no application has: who"):
        ApplicationForm.of(ANSWERS | {"who": "me"})
    with pytest.raises(Mistake, match="not printable"):
        ApplicationForm.of(ANSWERS | {"use": "a\x1b[31m"})
    assert ApplicationForm.of(ANSWERS).as_facts() == ANSWERS


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"access": "secret"}, "access is one of"),
        ({"terms": ["whatever"]}, "terms are some of"),
        ({"until": "2025-01-01"}, "ends before it begins"),
        ({"until": "31.12.2026"}, "are days"),
        ({"recipient": ""}, "recipient is no name"),
        ({"link_on": "zip"}, "no list of fields"),
        ({"digest": "zz"}, "no SHA-256"),
    ],
)
def test_an_agreement_says_what_is_wrong(change, words):
    with pytest.raises(Mistake, match=words):
        Agreement.of(AGREEMENT | change)


def test_an_agreement_is_read_from_its_file(tmp_path):
    (tmp_path / "text.pdf").write_bytes(b"signed")
    place = tmp_path / "a.toml"
    place.write_text(
        'recipient = "The lab"\naccess = "public"\nterms = []\nvalid_from = 2026-01-01\n'
        'until = "2026-12-31"\ndestroy_by = 2026-12-31\n'
    )
    found = Agreement.read(place, text=tmp_path / "text.pdf")
    assert (found.valid_from, found.link_on) == ("2026-01-01", ())
    assert Agreement.of(found.as_facts()) == found


def test_a_field_to_link_on_must_count_as_known():
    manifest = {
        "known_fields": ["age"],
        "tables": {"t": {"fields": {"age": "kept", "zip": "kept", "name": "removed"}}},
    }
    agreed = Agreement.of(AGREEMENT | {"link_on": ["age", "name", "elsewhere"]})
    check_linking(manifest, agreed)
    for spelled in ("zip", "ZIP", "Zip.", "t.zip"):
        with pytest.raises(Mistake, match="can link on zip"):
            check_linking(manifest, replace(agreed, link_on=("age", spelled)))


def test_a_field_to_link_on_may_be_of_one_of_several_tables():
    fields = {"fields": {"age": "kept", "id": "removed"}}
    manifest = {"known_fields": ["patients.age"], "tables": {"patients": fields, "visits": fields}}
    agreed = Agreement.of(AGREEMENT | {"link_on": ["patients.age"]})
    check_linking(manifest, agreed)
    for name in ("age", "visits.age"):
        with pytest.raises(Mistake, match="can link on age"):
            check_linking(manifest, replace(agreed, link_on=(name,)))
    check_linking(manifest | {"known_fields": ["patients.age", "visits.age"]}, agreed, ("age",))


def test_sources_about_the_same_people_share_a_key(register):
    link = PeopleLink(name="patients", key="hospital number", sources={"a.csv": "id", "b": "pid"})
    register.declare_people(link, author=author("keeps"))
    links = register.state().people
    assert common_key("id", links) == common_key("pid", links) == "people patients"
    assert common_key("ssn", links) == "ssn"
    other = PeopleLink(name="staff", key="number", sources={"c.csv": "id"})
    register.declare_people(other, author=author("keeps"))
    assert common_key("id", register.state().people) == "id", "two records name it"
    with pytest.raises(Mistake, match="may not make"):
        register.declare_people(link, author=author("asks"))


def test_a_revelation_needs_somebody_else_and_is_made_once(register, clock):
    asked = register.ask_revelation(
        field="id", pseudonym="p-17", reason="a court", author=author("keeps")
    )
    assert asked.is_of("id", "p-17")
    assert not asked.is_of("id", "p-18")
    assert "p-17" not in json.dumps([dict(move.facts) for move in register.moves()])
    with pytest.raises(Mistake, match="once each"):
        register.use_revelation(asked.name, author=author("keeps"))
    for who, words in (("keeps", "somebody else"), ("asks", "may not agree")):
        with pytest.raises(Mistake, match=words):
            register.agree_revelation(asked.name, reason="I may", author=author(who))
    register.agree_revelation(asked.name, reason="the order was seen", author=author("leads"))
    with pytest.raises(Mistake, match="keeps asked for it"):
        register.use_revelation(asked.name, author=author("leads"))
    register.use_revelation(asked.name, author=author("keeps"))
    with pytest.raises(Mistake, match="once each"):
        register.use_revelation(asked.name, author=author("keeps"))
    found = register.state().revelations[asked.name]
    assert (found.step, found.agreed_by) == (RevelationStep.REVEALED, "leads")


def test_an_agreement_to_reveal_ends(register, clock):
    asked = register.ask_revelation(field="id", pseudonym="p", reason="r", author=author("keeps"))
    register.agree_revelation(asked.name, reason="r", author=author("leads"))
    clock.now = datetime(2026, 3, 2, tzinfo=UTC)
    with pytest.raises(Mistake, match="ended on"):
        register.use_revelation(asked.name, author=author("keeps"))


def test_days_do_not_run_below_the_newest_move(register, clock):
    clock.now = datetime(2026, 5, 5, tzinfo=UTC)
    register.apply("a", group="lab", form=ApplicationForm.of(ANSWERS), author=author("asks"))
    clock.now = datetime(2020, 1, 1, tzinfo=UTC)
    assert register.today() == "2026-05-05"
    register.agree("a", Agreement.of(AGREEMENT), author=author("keeps"))
    assert register.moves()[-1].time.startswith("2026-05-05")
    assert [each.what for each in register.due(days=300)] == ["agreement"]


def test_a_move_from_a_clock_that_is_ahead_is_named(register, clock):
    assert register.ahead() == ""
    clock.now = datetime(2030, 1, 2, tzinfo=UTC)
    link = PeopleLink(name="patients", key="number", sources={"a.csv": "id"})
    register.declare_people(link, author=author("keeps"))
    clock.now = datetime(2026, 1, 3, tzinfo=UTC)
    assert register.ahead() == "2030-01-02"


def test_how_near_an_end_is():
    for until, near in (
        ("2026-01-01", "ended"), ("2026-01-02", "7 days"), ("2026-01-09", "7 days"),
        ("2026-01-10", "30 days"), ("2026-02-01", "30 days"), ("2026-02-02", "later"),
    ):  # fmt: skip
        assert urgency_of(until, today="2026-01-02") == near


def test_the_last_agreement_of_a_group_ends(register):
    def ends(group: str = "lab", today: str = "2026-06-30") -> str | None:
        return agreement_ends(register.state(), group, today=today)

    assert ends() is None
    register.apply("a", group="lab", form=ApplicationForm.of(ANSWERS), author=author("asks"))
    assert ends() is None, "it waits, and closes no account"
    register.agree("a", Agreement.of(AGREEMENT), author=author("keeps"))
    assert ends() == ends("LAB") == ends("The Läb") == "2026-12-31"
    assert ends("clinic") is None
    assert ends(today="2025-12-31") == "", "it begins on the next day"
    register.withdraw("a", reason="over", author=author("keeps"))
    assert ends() == ends("LAB") == ""


def signed(register: Register, kind: MoveKind, facts, *, by: str, **changes) -> tuple[bytes, bytes]:
    entry = register.next_move() | {"kind": kind.value, "author": by, "facts": facts} | changes
    payload = json.dumps(entry).encode()
    from sfumato.register.moves import PAYLOAD
    from sfumato.signatures import pre_authentication

    return payload, KEYS[by].sign(pre_authentication(PAYLOAD, payload))


APPLIES = {"application": "a", "group": "lab", "answers": ANSWERS}


def test_a_move_that_was_signed_elsewhere_is_appended_once(register):
    payload, signature = signed(register, MoveKind.APPLICATION, APPLIES, by="asks")
    register.append_signed(payload, signature, author="asks")
    assert list(register.state().applications) == ["a"]
    with pytest.raises(Mistake, match="does not follow"):
        register.append_signed(payload, signature, author="asks")


def test_a_group_that_looks_like_another_is_not_applied_for_elsewhere(register):
    payload, signature = signed(register, MoveKind.APPLICATION, APPLIES, by="asks")
    register.append_signed(payload, signature, author="asks")
    for group in ("L\u0430b", "laboratory"):
        facts = APPLIES | {"application": "b", "group": group}
        payload, signature = signed(register, MoveKind.APPLICATION, facts, by="asks")
        with pytest.raises(Mistake, match="lab"):
            register.append_signed(payload, signature, author="asks")


@pytest.mark.parametrize(
    "changes",
    [
        {"time": "2026-01-01T00:00:00+00:00"},
        {"time": "2026-01-03T00:00:00+00:00"},
        {"time": "2026-01-02T00:00:00+00:00zz"},
        {"time": "2026-01-02T00:00:00+00:0"},
        {"time": "2026-01-02T00:00:00"},
        {"before": "ab" * 32},
        {"number": 7},
    ],
)
def test_a_move_is_made_now_and_for_this_register(register, changes):
    payload, signature = signed(register, MoveKind.APPLICATION, APPLIES, by="asks", **changes)
    with pytest.raises(Mistake):
        register.append_signed(payload, signature, author="asks")
    assert not register.state().applications


def test_neither_another_author_nor_a_kind_with_files_is_signed_elsewhere(register):
    payload, signature = signed(register, MoveKind.APPLICATION, APPLIES, by="asks")
    with pytest.raises(Mistake, match="another author"):
        register.append_signed(payload, signature, author="leads")
    charter = register.state().charter.as_table()
    payload, signature = signed(register, MoveKind.CHARTER, charter, by="admin")
    with pytest.raises(Mistake, match="needs a command"):
        register.append_signed(payload, signature, author="admin")
    other = SigningKey.generate().sign(payload)
    payload, _ = signed(register, MoveKind.APPLICATION, APPLIES, by="asks")
    with pytest.raises(Mistake, match="signature is not"):
        register.append_signed(payload, other, author="asks")


def test_a_payload_says_nothing_twice(register):
    payload, _ = signed(register, MoveKind.APPLICATION, APPLIES, by="asks")
    double = payload.replace(b'"author": "asks"', b'"author": "leads", "author": "asks"')
    assert double != payload
    with pytest.raises(ValueError, match="twice"):
        Move.of(double, b"")


def test_a_policy_is_the_same_wherever_its_hierarchies_are_and_never_with_others(tmp_path):
    """A manifest names a file of a hierarchy without its folder, and so does a proposal."""
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "age.csv").write_text("31;30-39;*\n42;40-49;*\n")
    (tmp_path / "policy.toml").write_text(
        '[fields.age]\nrole = "quasi"\nhierarchy = "files/age.csv"\n[require]\nk = 5\n'
    )
    policy = read_policy(tmp_path / "policy.toml")
    facts = policy_facts(policy)
    digest = facts["summary"]["hierarchies"]["age"]
    manifest = {
        "policy": policy_table(policy), "hierarchies": {"age": {"made_by": "age.csv", "sha256": digest}},
    }  # fmt: skip
    assert "files" not in str(facts)
    check_described(manifest, policy=facts["policy"], summary=facts["summary"])
    manifest["hierarchies"]["age"]["sha256"] = "0" * 64
    with pytest.raises(Mistake, match="hierarchy of age is not that of the proposed policy"):
        check_described(manifest, policy=facts["policy"], summary=facts["summary"])


MADE = """
entity = "id"
[fields]
id = "direct"
age = { role = "quasi", domain = { least = 0, most = 9 } }
sex = { role = "quasi", domain = ["f", "m"] }
[require]
k = 5
"""


@pytest.mark.long("private noise takes a second; the other two stay", but=("rows", "counts"))
@pytest.mark.parametrize(
    ("section", "text", "word"),
    [
        ("synthesis", "epsilon = 1\ndelta = 1e-6\n", "synthesised"),
        ("synthesis", 'method = "domains"\nrows = 5\n', "synthesised"),
        ("tables_of_counts", 'method = "round"\nbase = 3\nfields = ["age", "sex"]\n', "counted"),
    ],
    ids=("private", "rows", "counts"),
)
def test_a_section_is_proposed_as_the_manifest_of_its_table_has_it(tmp_path, section, text, word):
    """Otherwise what it makes has another policy than the approved one, and is never submitted."""
    policy, source = tmp_path / "p.toml", tmp_path / "s.csv"
    policy.write_text(f"{MADE}[{section}]\n{text}")
    rows = (f"p{each},{each % 10},{'fm'[each % 2]}" for each in range(60))
    source.write_text("\n".join(("id,age,sex", *rows)) + "\n")
    make = sf.tabulate if section == "tables_of_counts" else sf.synthesize
    made = make(None if "domains" in text else source, policy, to=tmp_path / "made")
    facts = policy_facts(policy, section)
    assert facts["policy"] == policy_digest(made.manifest)
    assert facts["policy"] != policy_facts(policy)["policy"]
    assert facts["summary"]["fields"] == {"age": word, "sex": word}
    check_described(made.manifest, policy=facts["policy"], summary=facts["summary"])
    other = policy_facts(policy)
    with pytest.raises(Mistake, match="not those that the board was shown"):
        check_described(made.manifest, policy="", summary=other["summary"])


def test_letters_are_proposed_by_the_settings_of_a_trial(tmp_path):
    settings = {"purpose": "singling out", "thresholds": {}, "detectors": {"set": "core"}}
    trial = {"sfumato": "0", "shape": "letters", "scrubbed": settings | {"files": ["of the trial"]}}
    (tmp_path / "manifest.json").write_text(json.dumps(trial))
    facts = policy_facts(tmp_path, "scrubbed")
    made = {**trial, "scrubbed": settings | {"files": ["of the candidate"]}}
    assert facts["policy"] == policy_digest(made)
    assert facts["summary"]["require"] == settings
    check_described(made, policy=facts["policy"], summary=facts["summary"])
    other = {**made, "scrubbed": settings | {"detectors": {"set": "none"}}}
    with pytest.raises(Mistake, match="not those that the board was shown"):
        check_described(other, policy=facts["policy"], summary=facts["summary"])
    (tmp_path / "manifest.json").write_text(json.dumps({"sfumato": "0", "policy": {}}))
    with pytest.raises(Mistake, match="holds no letters"):
        policy_facts(tmp_path, "scrubbed")


def test_leaked_rows_are_read_from_csv_and_json(tmp_path):
    (tmp_path / "rows.csv").write_text("age,ill\n20-29,\n")
    (tmp_path / "row.json").write_text('{"age": "20-29", "ill": null}')
    assert LeakedRows.read(tmp_path / "rows.csv") == LeakedRows.read(tmp_path / "row.json")
    for text in ("", "[]", "[1]", '[{"a": 1}, {"b": 2}]'):
        (tmp_path / "bad").write_text(text)
        with pytest.raises(Mistake, match="holds no rows"):
            LeakedRows.read(tmp_path / "bad")
    assert "20-29" not in repr(LeakedRows.read(tmp_path / "rows.csv"))


RELEASED = "zip,age,sex\n02139,20-29,F\n021**,30-39,M\n10115,*,F\n"
TREATED = {
    "zip": FieldTreatment(made_by={"prefix": [3]}),
    "age": FieldTreatment(made_by={"numbers": {"widths": [10]}}),
    "sex": FieldTreatment(is_kept=True),
}


@pytest.mark.parametrize(
    ("leaked", "fits"),
    [
        ("zip;age;sex\n2139;20-29;f\n", {"occurs": 1, "alone": 1}),
        ("zip\tSex\n02139.0\tF\n", {"occurs": 1, "alone": 1}),
        ("zip,age\n2144,34\n", {"coarser": 1}),
        ("zip,age\n10115,21\n", {"coarser": 1}),
        (
            "zip,age,income\n10115,20-29,7\n2239,30-39,7\n",
            {"coarser": 1, "unclear": 1, "missing": ("income",)},
        ),
        ("zip,sex\n10115,M\n", {}),
        ("zip,sex,age\n10115,M,\n02139,F,20–29\n10115,M,20-29\n", {"unclear": 1}),
        ("zip,sex\n02139,female\n10115,M\n", {"unclear": 1}),
        ("postcode,Ann Lee\n2139,Bo\n", {"strange": 2, "doubts": (NO_FIELD,)}),
    ],
)
def test_leaked_rows_are_compared_by_what_they_mean(tmp_path, leaked, fits):
    (tmp_path / "rows.csv").write_text(leaked)
    (tmp_path / "release.csv").write_text(RELEASED)
    with open_source(tmp_path / "release.csv") as released:
        rows = LeakedRows.read(tmp_path / "rows.csv")
        known = ["zip", "age", "sex", "income"]
        found = rows.fits([released], known=known, treatments=[TREATED])
        assert not rows.fits([released], known=known).is_ruled_out  # Nobody knows how it was made.
    assert found == LeakedRowFits(**{"occurs": 0, "alone": 0} | fits)
    assert found.is_ruled_out is (fits == {})


def test_a_field_that_is_written_otherwise_rules_nothing_out(tmp_path):
    (tmp_path / "rows.csv").write_text("zip,born\n02139,early in 1990\n")
    (tmp_path / "release.csv").write_text("zip,born\n02139,1990-02-01\n")
    with open_source(tmp_path / "release.csv") as released:
        found = LeakedRows.read(tmp_path / "rows.csv").fits([released], known=["born"])
    assert not found.occurs
    assert not found.is_ruled_out
    assert "born" in found.notes[0]
