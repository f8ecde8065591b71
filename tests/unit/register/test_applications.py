"""Applications: every triple of state, action and role; blind votes; deliveries that nobody
approved."""

from __future__ import annotations

import json
import secrets
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("cryptography")

from sfumato.errors import CandidateFailed, Mistake, SfumatoError
from sfumato.keys import Key
from sfumato.register import (
    TRANSITIONS,
    ApplicationState,
    Author,
    Charter,
    Move,
    MoveKind,
    Register,
    RegisterRole,
    RegisterState,
    SealedVote,
    VoteWord,
    release_checks,
)
from sfumato.releases import manifest_digest, record_people
from sfumato.signatures import SigningKey

KEY = Key(bytes(range(32)))
ROLES = {
    "admin": "administrator", "asks": "applicant", "makes": "maker", "reads": "reviewer",
    "reads2": "reviewer", "reads3": "reviewer", "leads": "chair", "keeps": "custodian",
}  # fmt: skip
KEYS = {name: SigningKey.generate() for name in ROLES}
TABLE = {
    "ledger": {"k": 3},
    "members": {
        name: {"key": KEYS[name].public.line, "roles": [role]} for name, role in ROLES.items()
    },
}
DIGEST, UNTIL = "ab" * 32, "2026-12-31"
VOTES = {
    name: SealedVote(vote=VoteWord.APPROVE, reason="fits", salt=secrets.token_hex(32))
    for name in ROLES
}
ABOUT = {MoveKind.APPLICATION, *(kind for _, kind in TRANSITIONS)}


def author(name: str) -> Author:
    return Author(name=name, key=KEYS[name])


def facts_of(kind: MoveKind, state: RegisterState, name: str) -> dict[str, object]:
    """The facts of a move that is right in everything but, perhaps, state and role."""
    found = state.applications.get("a")
    about = {"application": "a", "round": found.round if found else ""}
    return {
        MoveKind.APPLICATION: {"application": "a", "group": "lab", "purpose": "to learn"},
        MoveKind.SUBMISSION: {
            "application": "a", "candidate": DIGEST, "agreement": DIGEST, "agreed_until": UNTIL,
        },
        MoveKind.COMMITMENT: about | {"commitment": VOTES[name].commitment},
        MoveKind.VOTE: about | VOTES[name].as_facts(),
        MoveKind.DECISION: about
        | {"decision": "approve", "reason": "agreed", "valid_until": "2026-06-30"},
        MoveKind.DELIVERY: about
        | {
            "name": "n", "group": "lab", "digest": DIGEST, "imported": False, "key_check": "", "person": "",
            "fields": [], "overlaps": [], "sensitive": [], "not_judged": [], "parts": {},
        },
        MoveKind.WITHDRAWAL: {"application": "a", "reason": "done"},
    }[kind]  # fmt: skip


def moved(
    state: RegisterState, kind: MoveKind, name: str, *, time: str = "2026-01-02", **changes: object
) -> RegisterState:
    facts = facts_of(kind, state, name) | changes
    return state.after(
        Move.signed(kind, facts, author=name, key=KEYS[name], after=state.head, time=time)
    )


@cache
def reached(wanted: ApplicationState | None) -> RegisterState:
    """A register whose application is in a state, by allowed moves alone."""
    start = RegisterState()
    charter = Move.signed(
        MoveKind.CHARTER,
        TABLE,
        author="admin",
        key=KEYS["admin"],
        after=start.head,
        time="2026-01-01",
    )
    state = start.after(charter)
    if wanted is None:
        return state
    path = [
        (ApplicationState.APPLIED, MoveKind.APPLICATION, "asks", {}),
        (ApplicationState.SUBMITTED, MoveKind.SUBMISSION, "makes", {}),
        (None, MoveKind.COMMITMENT, "reads", {}),
        (ApplicationState.SEALED, MoveKind.COMMITMENT, "reads2", {}),
        (None, MoveKind.VOTE, "reads2", {}),
        (ApplicationState.REVIEWED, MoveKind.VOTE, "reads", {}),
        (ApplicationState.APPROVED, MoveKind.DECISION, "leads", {}),
        (ApplicationState.DELIVERED, MoveKind.DELIVERY, "keeps", {}),
    ]
    if wanted is ApplicationState.WITHDRAWN:
        path = [*path[:1], (wanted, MoveKind.WITHDRAWAL, "asks", {})]
    if wanted is ApplicationState.REFUSED:
        path = [*path[:6], (wanted, MoveKind.DECISION, "leads", {"decision": "refuse"})]
    for at, kind, name, changes in path:
        state = moved(state, kind, name, **changes)
        if at is wanted:
            assert state.applications["a"].state is wanted
            return state
    raise AssertionError(wanted)


@pytest.mark.parametrize("state", [None, *ApplicationState])
def test_only_the_listed_moves_are_made(state):
    """Every state, every action, every role; each role by a member who has that role alone."""
    register = reached(state)
    voter = "reads" if state is ApplicationState.SEALED else "reads3"
    names = {role: name for name, role in ROLES.items()} | {"reviewer": voter}
    for kind, role in product(sorted(ABOUT), RegisterRole):
        if state is not None and kind is MoveKind.APPLICATION:
            continue
        allowed = role in TRANSITIONS.get((state, kind), frozenset())
        if allowed:
            moved(register, kind, names[role])
        else:
            with pytest.raises(Mistake):
                moved(register, kind, names[role])


def test_every_action_about_applications_is_tried():
    others = {MoveKind.CHARTER, MoveKind.ROTATION, MoveKind.RELEASE, MoveKind.INCIDENT}
    assert set(MoveKind) - others == ABOUT


def test_an_application_stands_once():
    with pytest.raises(Mistake, match="already"):
        moved(reached(ApplicationState.APPLIED), MoveKind.APPLICATION, "asks")


def test_no_release_goes_around_the_reviewers():
    release = facts_of(MoveKind.DELIVERY, reached(None), "keeps")
    facts = {key: each for key, each in release.items() if key not in ("application", "round")}
    state = reached(None)
    for imported, allowed in ((False, False), (True, True)):
        move = Move.signed(
            MoveKind.RELEASE, facts | {"imported": imported}, author="keeps", key=KEYS["keeps"],
            after=state.head, time="2026-01-02",
        )  # fmt: skip
        if allowed:
            assert state.after(move).releases
        else:
            with pytest.raises(Mistake, match="reviewers"):
                state.after(move)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"digest": "cd" * 32}, "not the candidate"),
        ({"group": "everybody"}, "not the candidate"),
        ({"time": "2026-07-01"}, "decision ended"),
        ({"round": "ef" * 32}, "another has taken the place"),
        ({"imported": True}, "does not say"),
    ],
)
def test_what_was_not_approved_is_not_delivered(changes, words):
    with pytest.raises(Mistake, match=words):
        moved(reached(ApplicationState.APPROVED), MoveKind.DELIVERY, "keeps", **changes)


def test_nothing_is_delivered_after_the_agreement_ended():
    state = reached(ApplicationState.APPROVED)
    found = replace(state.applications["a"], agreed_until="2026-02-01")
    ended = replace(state, applications={"a": found})
    with pytest.raises(Mistake, match="agreement ended"):
        moved(ended, MoveKind.DELIVERY, "keeps", time="2026-03-01")


@pytest.mark.parametrize(
    "state", [ApplicationState.SEALED, ApplicationState.REVIEWED, ApplicationState.APPROVED]
)
def test_another_submission_voids_votes_and_decisions(state):
    after = moved(reached(state), MoveKind.SUBMISSION, "makes", candidate="cd" * 32)
    found = after.applications["a"]
    assert found.state is ApplicationState.SUBMITTED
    assert not found.commitments
    assert not found.votes
    assert not found.valid_until


def test_who_made_or_asked_neither_votes_nor_decides_nor_delivers():
    everything = sorted(role.value for role in RegisterRole)
    members = TABLE["members"] | {
        name: TABLE["members"][name] | {"roles": everything} for name in ("makes", "asks")
    }
    states = {
        MoveKind.COMMITMENT: ApplicationState.SUBMITTED,
        MoveKind.DECISION: ApplicationState.REVIEWED,
        MoveKind.DELIVERY: ApplicationState.APPROVED,
    }
    for (kind, at), name in product(states.items(), ("makes", "asks")):
        state = replace(reached(at), charter=Charter.of(TABLE | {"members": members}))
        with pytest.raises(Mistake, match="made the candidate, or applied"):
            moved(state, kind, name)


def test_a_vote_is_the_one_that_was_sealed():
    state = reached(ApplicationState.SEALED)
    for change in ({"vote": "refuse"}, {"reason": "other"}, {"salt": "00" * 32}):
        with pytest.raises(Mistake, match="not the vote"):
            moved(state, MoveKind.VOTE, "reads", **change)
    after = moved(state, MoveKind.VOTE, "reads")
    with pytest.raises(Mistake, match="no vote to open"):
        moved(after, MoveKind.VOTE, "reads")


def test_one_refusal_neither_ends_early_nor_is_overruled():
    state = reached(ApplicationState.SUBMITTED)
    no = SealedVote(vote=VoteWord.REFUSE, reason="too fine", salt=secrets.token_hex(32))
    state = moved(state, MoveKind.COMMITMENT, "reads", commitment=no.commitment)
    assert state.applications["a"].state is ApplicationState.SUBMITTED
    state = moved(state, MoveKind.COMMITMENT, "reads2")
    state = moved(state, MoveKind.VOTE, "reads", **no.as_facts())
    assert state.applications["a"].state is ApplicationState.SEALED
    state = moved(state, MoveKind.VOTE, "reads2")
    with pytest.raises(Mistake, match="refused"):
        moved(state, MoveKind.DECISION, "leads")
    refused = moved(state, MoveKind.DECISION, "leads", decision="refuse")
    assert refused.applications["a"].state is ApplicationState.REFUSED


def test_a_commitment_says_nothing_of_the_vote():
    """Equal length whatever was said, and never the same twice."""
    made = {
        SealedVote(vote=vote, reason=reason, salt=secrets.token_hex(32)).commitment
        for vote, reason in product(VoteWord, ("", "x" * 5000))
        for _ in range(3)
    }
    assert len(made) == 12
    assert {len(each) for each in made} == {64}


def test_a_decision_holds_for_no_longer_than_the_charter_says():
    for until in ("2028-01-01", "2025-12-31"):
        with pytest.raises(Mistake, match="365 days"):
            moved(reached(ApplicationState.REVIEWED), MoveKind.DECISION, "leads", valid_until=until)


# Through the register, with releases.


@pytest.fixture
def register(tmp_path, monkeypatch) -> Register:
    monkeypatch.setattr(release_checks, "verify", lambda *_, **__: ())
    (tmp_path / "agreement.pdf").write_bytes(b"signed")
    return Register.create(
        tmp_path / "r", Charter.of(TABLE), author=author("admin"),
        clock=lambda: datetime(2026, 1, 2, tzinfo=UTC),
    )  # fmt: skip


def release(folder: Path, name: str, cut: int):
    place = folder / name
    place.mkdir()
    (place / "manifest.json").write_text(json.dumps({"sfumato": "0", "name": name}))
    labels = {f"p{each}": "low" if each < cut else "high" for each in range(12)}
    batch = {"person": np.array(list(labels), object), "q": np.array(list(labels.values()), object)}
    made = record_people(
        [batch], key=KEY, person="person", fields=["q"], release=manifest_digest(place)
    )
    return place, made


def approve(
    register: Register, name: str, place: Path, record, folder: Path, *, group: str
) -> None:
    register.apply(name, group=group, purpose="to learn", author=author("asks"))
    register.submit(
        name, place, people=record, agreement=folder / "agreement.pdf", agreed_until=UNTIL,
        author=author("makes"),
    )  # fmt: skip
    for who in ("reads", "reads2"):
        register.commit_vote(name, VOTES[who], author=author(who))
    for who in ("reads", "reads2"):
        register.open_vote(name, VOTES[who], author=author(who))
    register.decide(
        name, VoteWord.APPROVE, reason="agreed", valid_until="2026-06-30", author=author("leads")
    )


def test_from_application_to_delivery(register, tmp_path):
    place, record = release(tmp_path, "one", 6)
    approve(register, "a", place, record, tmp_path, group="lab")
    verdicts = register.deliver("a", place, people=record, author=author("keeps"))
    assert verdicts["lab"].outcome == "pass"
    state = register.state()
    assert state.applications["a"].state is ApplicationState.DELIVERED
    assert [each.name for each in state.releases] == ["one"]
    register.verify()
    assert register.due(days=30) == ()
    assert register.due(days=400) == (("a", "agreement", UNTIL),)
    register.withdraw("a", reason="ended", author=author("keeps"))
    assert register.state().releases, "what was delivered stays in the ledger"


def test_two_approved_against_one_ledger_are_not_both_delivered(register, tmp_path):
    """Together they single people out; each was approved when the other had not left."""
    one, first = release(tmp_path, "one", 6)
    two, second = release(tmp_path, "two", 5)
    approve(register, "a", one, first, tmp_path, group="lab")
    approve(register, "b", two, second, tmp_path, group="lab")
    register.deliver("a", one, people=first, author=author("keeps"))
    with pytest.raises(Mistake, match="ledger changed"):
        register.deliver("b", two, people=second, author=author("keeps"))
    with pytest.raises(CandidateFailed, match="because of one and"):
        register.submit(
            "b", two, people=second, agreement=tmp_path / "agreement.pdf", agreed_until=UNTIL,
            author=author("makes"),
        )  # fmt: skip
    assert [each.name for each in register.state().releases] == ["one"]


def test_a_release_for_everybody_voids_votes_of_every_group(register, tmp_path):
    one, first = release(tmp_path, "one", 6)
    approve(register, "a", one, first, tmp_path, group="lab")
    public, record = release(tmp_path, "public", 6)
    register.add(public, group="everybody", people=record, author=author("keeps"), imported=True)
    with pytest.raises(Mistake, match="ledger changed"):
        register.deliver("a", one, people=first, author=author("keeps"))


def test_what_was_not_decided_is_not_delivered(register, tmp_path):
    place, record = release(tmp_path, "one", 6)
    with pytest.raises(SfumatoError, match="none of that name"):
        register.deliver("a", place, people=record, author=author("keeps"))
    register.apply("a", group="lab", purpose="to learn", author=author("asks"))
    with pytest.raises(Mistake, match="no such move is made"):
        register.deliver("a", place, people=record, author=author("keeps"))
    with pytest.raises(Mistake, match="reviewers"):
        register.add(place, group="lab", people=record, author=author("keeps"))
