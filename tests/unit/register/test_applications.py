"""Applications: every triple of state, action and role; blind votes; deliveries that nobody
approved."""

from __future__ import annotations

import json
import random
import secrets
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("cryptography")
sys.path[:0] = [str(Path(__file__).parent)]

# ruff: noqa: E402 - made-up private releases stand with the tests of their account
from test_private_account import line, synthetic

from sfumato.errors import CandidateFailed, Mistake, SfumatoError
from sfumato.keys import Key
from sfumato.register import (
    QUESTIONS,
    TRANSITIONS,
    Agreement,
    ApplicationForm,
    ApplicationState,
    ApplicationStep,
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
    review_board,
)
from sfumato.register.applications import worst_outcome
from sfumato.register.submissions import assessment_facts
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
POLICY = "12" * 32
ANSWERS = dict.fromkeys(QUESTIONS, "An answer.") | {"sharing": "data-use-agreement"}
AGREEMENT = {
    "recipient": "The lab", "access": "semi-private", "terms": ["no-linking"], "digest": DIGEST,
    "valid_from": "2026-01-01", "until": UNTIL, "destroy_by": "2027-03-31", "link_on": ["q"],
}  # fmt: skip
ASSESSED = {"digest": DIGEST, "outcome": "review", "judgements": []}
VOTES = {
    name: SealedVote(vote=VoteWord.APPROVE, reason="fits", salt=secrets.token_hex(32))
    for name in ROLES
}
OTHERS = {
    MoveKind.CHARTER, MoveKind.ROTATION, MoveKind.RELEASE, MoveKind.INCIDENT, MoveKind.PEOPLE,
    MoveKind.REVELATION, MoveKind.CONFIRMATION, MoveKind.RECIPIENTS,
}  # fmt: skip
"""Moves that are not about an application."""
ABOUT = set(MoveKind) - OTHERS
ALWAYS = {"agreement": "custodian", "proposal": "maker", "withdrawal": "applicant custodian"}
ANEW = ALWAYS | {"submission": "maker"}
LISTED = {
    (None, "result"): {"application": "applicant"},
    ("applied", "result"): ALWAYS,
    ("submitted", "policy"): ALWAYS | {"commitment": "reviewer"},
    ("sealed", "policy"): ALWAYS | {"vote": "reviewer"},
    ("reviewed", "policy"): ALWAYS | {"decision": "chair"},
    ("approved", "policy"): ANEW,
    ("submitted", "result"): ANEW | {"commitment": "reviewer"},
    ("sealed", "result"): ANEW | {"vote": "reviewer"},
    ("reviewed", "result"): ANEW | {"decision": "chair"},
    ("approved", "result"): ANEW | {"delivery": "custodian"},
    ("delivered", "result"): {"agreement": "custodian", "withdrawal": "applicant custodian"},
    ("refused", "result"): {},
    ("withdrawn", "result"): {},
}
"""The moves of docs/register.md by state and step, with the roles that may make them: written down
once more, so that a wrong line in the code is seen."""


def author(name: str) -> Author:
    return Author(name=name, key=KEYS[name])


def facts_of(kind: MoveKind, state: RegisterState, name: str) -> dict[str, object]:
    """The facts of a move that is right in everything but, perhaps, state and role."""
    found = state.applications.get("a")
    about = {"application": "a", "round": found.round if found else ""}
    return {
        MoveKind.APPLICATION: {"application": "a", "group": "lab", "answers": ANSWERS},
        MoveKind.AGREEMENT: {"application": "a", **AGREEMENT},
        MoveKind.PROPOSAL: {"application": "a", "policy": POLICY, "summary": {}},
        MoveKind.SUBMISSION: {
            "application": "a", "candidate": DIGEST, "policy": POLICY, "assessment": ASSESSED, "verdict": {},
        },
        MoveKind.COMMITMENT: about | {"commitment": VOTES[name].commitment},
        MoveKind.VOTE: about | VOTES[name].as_facts(),
        MoveKind.DECISION: about
        | {
            "decision": "approve", "reason": "agreed", "conditions": [], "valid_until": "2026-06-30",
        },
        MoveKind.DELIVERY: about
        | {
            "name": "n", "group": "lab", "digest": DIGEST, "imported": False, "key_check": "", "person": "",
            "fields": [], "overlaps": [], "sensitive": [], "not_judged": [], "parts": {},
            "assessment": ASSESSED | {"digest": POLICY},
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


VOTING = [
    (None, MoveKind.COMMITMENT, "reads", {}),
    (ApplicationState.SEALED, MoveKind.COMMITMENT, "reads2", {}),
    (None, MoveKind.VOTE, "reads2", {}),
    (ApplicationState.REVIEWED, MoveKind.VOTE, "reads", {}),
    (ApplicationState.APPROVED, MoveKind.DECISION, "leads", {}),
]


@cache
def reached(
    wanted: ApplicationState | None, step: ApplicationStep = ApplicationStep.RESULT
) -> RegisterState:
    """A register whose application is in a state of a step, by allowed moves alone."""
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
        (None, MoveKind.AGREEMENT, "keeps", {}),
        (ApplicationState.SUBMITTED, MoveKind.PROPOSAL, "makes", {}),
        *VOTING,
        (ApplicationState.SUBMITTED, MoveKind.SUBMISSION, "makes", {}),
        *VOTING,
        (ApplicationState.DELIVERED, MoveKind.DELIVERY, "keeps", {}),
    ]
    if wanted is ApplicationState.WITHDRAWN:
        path = [*path[:1], (wanted, MoveKind.WITHDRAWAL, "asks", {})]
    if wanted is ApplicationState.REFUSED:
        path = [*path[:-2], (wanted, MoveKind.DECISION, "leads", {"decision": "refuse"})]
    early = (ApplicationState.APPLIED, ApplicationState.WITHDRAWN)
    for at, kind, name, changes in path:
        state = moved(state, kind, name, **changes)
        if at is wanted and (wanted in early or state.applications["a"].step is step):
            assert state.applications["a"].state is wanted
            return state
    raise AssertionError(wanted)


@pytest.mark.parametrize(("name", "step"), LISTED)
def test_only_the_listed_moves_are_made(name, step):
    """Every state of both steps, every action, every role; each role by a member who has that role
    alone. While its policy is not approved, nothing is submitted; before a result is, nothing is
    delivered."""
    state = None if name is None else ApplicationState(name)
    register = reached(state, ApplicationStep(step))
    voter = "reads" if state is ApplicationState.SEALED else "reads3"
    names = {role: name for name, role in ROLES.items()} | {"reviewer": voter}
    for kind, role in product(sorted(ABOUT), RegisterRole):
        if state is not None and kind is MoveKind.APPLICATION:
            continue
        if role in LISTED[name, step].get(kind, "").split():
            moved(register, kind, names[role])
        else:
            with pytest.raises(Mistake):
                moved(register, kind, names[role])


def test_every_state_and_action_about_applications_is_tried():
    assert {kind for _, kind in TRANSITIONS} == ABOUT
    assert {state for state, _ in LISTED} == {None, *ApplicationState}
    assert {kind for moves in LISTED.values() for kind in moves} == ABOUT


DAYS = ("2026-01-02", "2026-06-30", "2026-07-01", "2027-01-01")
"""Before the decision ends, on its last day, after it, and after the agreement ended."""


FORWARD = {
    None: MoveKind.APPLICATION,
    "applied": MoveKind.PROPOSAL,
    "submitted": MoveKind.COMMITMENT,
    "sealed": MoveKind.VOTE,
    "reviewed": MoveKind.DECISION,
    "approved": MoveKind.SUBMISSION,
    "delivered": MoveKind.DELIVERY,
    "refused": MoveKind.DELIVERY,
}


def test_no_walk_delivers_what_was_not_approved():
    """Everybody has every role, and makes any move that is not refused, on later and later days."""
    assert sum(map(_deliveries, range(12))) > 3, "some walks reach the end"


def _deliveries(seed: int) -> int:
    """How often a walk delivered; each time, all that led to it is looked at."""
    chance = random.Random(seed)
    names = ("asks", "makes", "reads", "reads2", "keeps")
    every = [each.value for each in RegisterRole]
    members = {name: {"key": KEYS[name].public.line, "roles": every} for name in names}
    start = RegisterState()
    first = Move.signed(
        MoveKind.CHARTER, TABLE | {"members": members}, author="keeps", key=KEYS["keeps"],
        after=start.head, time="2026-01-01",
    )  # fmt: skip
    kinds = sorted(ABOUT - {MoveKind.WITHDRAWAL})
    state, made, delivered = start.after(first), [], 0
    for _ in range(70):
        about = state.applications.get("a")
        kind = chance.choice(kinds)
        if chance.random() < 0.8:  # Mostly forward, or no walk would come to its end.
            kind = FORWARD[about and about.state]
            if about and (about.state, about.step) == ("approved", "result"):
                kind = MoveKind.DELIVERY
            if about and about.agreement is None:
                kind = MoveKind.AGREEMENT
        day = DAYS[min(len(made) // 16, len(DAYS) - 1)]
        for name in chance.sample(names, 3):
            with suppress(Mistake):
                state = moved(state, kind, name, time=day)
                made.append((kind, name, day))
                break
        else:
            continue
        if kind is MoveKind.DELIVERY:
            delivered += 1
            _was_approved(made)
    return delivered


def _was_approved(made: list[tuple[MoveKind, str, str]]) -> None:
    """The moves that led to a delivery, looked at without the code that allowed them."""
    kinds = [kind for kind, _, _ in made]
    submitted = max(at for at, kind in enumerate(kinds) if kind is MoveKind.SUBMISSION)
    assert MoveKind.PROPOSAL not in kinds[submitted:]
    voids = (MoveKind.SUBMISSION, MoveKind.AGREEMENT)
    last = max(at for at, kind in enumerate(kinds) if kind in voids)
    asked = {name for kind, name, _ in made if kind is MoveKind.APPLICATION}
    by = {
        kind: [name for each, name, _ in made[last:] if each is kind]
        for kind in (MoveKind.COMMITMENT, MoveKind.VOTE, MoveKind.DECISION, MoveKind.DELIVERY)
    }
    maker = made[submitted][1]
    assert len(set(by[MoveKind.VOTE])) == 2
    assert sorted(by[MoveKind.VOTE]) == sorted(by[MoveKind.COMMITMENT])
    assert len(by[MoveKind.DECISION]) == len(by[MoveKind.DELIVERY]) == 1
    busy = {*by[MoveKind.VOTE], *by[MoveKind.DECISION], *by[MoveKind.DELIVERY]}
    assert not busy & {maker, *asked}
    assert not set(by[MoveKind.VOTE]) & set(by[MoveKind.DECISION])
    assert made[-1][2] <= "2026-06-30"


ASKED = {"question": "k", "outcome": "pass"}
SUMMARY = {"recipient": "public", "fields": {"q": "quasi"}, "require": {"k": 5}}


@pytest.mark.parametrize(
    ("kind", "facts"),
    [
        (MoveKind.PROPOSAL, {"summary": []}),
        (MoveKind.PROPOSAL, {"summary": {"recipient": "public"}}),
        (MoveKind.PROPOSAL, {"summary": SUMMARY | {"fields": "q"}}),
        (MoveKind.PROPOSAL, {"summary": SUMMARY | {"fields": {"q": None}}}),
        (MoveKind.PROPOSAL, {"summary": SUMMARY | {"more": 1}}),
        (MoveKind.SUBMISSION, {"assessment": {"judgements": [ASKED]}}),
        (MoveKind.SUBMISSION, {"assessment": ASSESSED | {"judgements": "k"}}),
        (MoveKind.SUBMISSION, {"assessment": ASSESSED | {"judgements": [None]}}),
        (MoveKind.SUBMISSION, {"assessment": ASSESSED | {"judgements": [{"question": "k"}]}}),
        (
            MoveKind.SUBMISSION,
            {"assessment": ASSESSED | {"judgements": [ASKED | {"question": 1}]}},
        ),
        (MoveKind.SUBMISSION, {"assessment": ASSESSED | {"judgements": [ASKED | {"more": 1}]}}),
        (MoveKind.SUBMISSION, {"assessment": ASSESSED | {"outcome": "fine"}}),
        (MoveKind.SUBMISSION, {"assessment": ASSESSED | {"digest": "x"}}),
        (MoveKind.SUBMISSION, {"verdict": {"lab": None}}),
        (MoveKind.SUBMISSION, {"verdict": {"lab": {"outcome": "pass"}}}),
        (MoveKind.SUBMISSION, {"verdict": {"lab": {"outcome": "green", "reason": "k"}}}),
        (MoveKind.SUBMISSION, {"verdict": [["lab", "pass"]]}),
    ],
)
def test_what_the_board_is_shown_has_one_form(kind, facts):
    """Otherwise a maker's own program could write what no page can show, and hide all reviews."""
    state = reached(ApplicationState.APPROVED, ApplicationStep.POLICY)
    judged = {"lab": {"outcome": "pass", "reason": "k"}}
    moved(state, MoveKind.PROPOSAL, "makes", summary=SUMMARY | {"hierarchies": {"q": "ab"}})
    moved(state, MoveKind.SUBMISSION, "makes", assessment={}, verdict=judged)
    moved(state, MoveKind.SUBMISSION, "makes", assessment=ASSESSED | {"judgements": [ASKED]})
    with pytest.raises(Mistake, match="not that of such a move"):
        moved(state, kind, "makes", **facts)


def test_an_application_stands_once():
    with pytest.raises(Mistake, match="already"):
        moved(reached(ApplicationState.APPLIED), MoveKind.APPLICATION, "asks")


def test_no_release_goes_around_the_reviewers():
    release = facts_of(MoveKind.DELIVERY, reached(None), "keeps")
    facts = {
        key: each
        for key, each in release.items()
        if key not in ("application", "round", "assessment")
    }
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
        ({"round": "ef" * 32}, "a later one replaced"),
        ({"imported": True}, "not that of such a move"),
    ],
)
def test_what_was_not_approved_is_not_delivered(changes, words):
    with pytest.raises(Mistake, match=words):
        moved(reached(ApplicationState.APPROVED), MoveKind.DELIVERY, "keeps", **changes)


def test_nothing_is_delivered_after_the_agreement_ended():
    state = reached(ApplicationState.APPROVED)
    short = Agreement.of(AGREEMENT | {"until": "2026-02-01"})
    found = replace(state.applications["a"], agreement=short)
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


def test_only_what_the_approved_policy_made_is_submitted():
    approved = reached(ApplicationState.APPROVED, ApplicationStep.POLICY)
    with pytest.raises(Mistake, match="another policy"):
        moved(approved, MoveKind.SUBMISSION, "makes", policy="cd" * 32)
    other = moved(reached(ApplicationState.APPROVED), MoveKind.PROPOSAL, "makes", policy="cd" * 32)
    found = other.applications["a"]
    assert (found.step, found.policy, found.candidate) == (ApplicationStep.POLICY, "", "")
    with pytest.raises(Mistake, match="No policy is approved"):
        moved(other, MoveKind.SUBMISSION, "makes")


@pytest.mark.parametrize("step", ApplicationStep)
def test_another_agreement_voids_votes_and_decisions(step):
    state = reached(ApplicationState.APPROVED, step)
    after = moved(state, MoveKind.AGREEMENT, "keeps", until="2026-11-30")
    found = after.applications["a"]
    assert (found.state, found.step) == (ApplicationState.SUBMITTED, step)
    assert not found.votes
    with pytest.raises(Mistake):
        moved(after, MoveKind.DELIVERY, "keeps")
    with pytest.raises(Mistake, match="later one replaced"):
        moved(after, MoveKind.COMMITMENT, "reads", round=state.applications["a"].round)


def test_after_the_delivery_an_agreement_gives_time_alone():
    state = reached(ApplicationState.DELIVERED)
    later = moved(state, MoveKind.AGREEMENT, "keeps", until="2027-01-31")
    assert later.applications["a"].agreement.until == "2027-01-31"
    assert later.applications["a"].state is ApplicationState.DELIVERED
    wider = {"link_on": ["q", "zip"], "recipient": "Others", "access": "public", "terms": []}
    for change in ({key: each} for key, each in wider.items()):
        with pytest.raises(Mistake, match="It was delivered"):
            moved(state, MoveKind.AGREEMENT, "keeps", **change)


def test_nothing_is_submitted_without_an_agreement_nor_approved_without_an_assessment():
    loose = replace(reached(ApplicationState.APPROVED, ApplicationStep.POLICY))
    bare = replace(loose, applications={"a": replace(loose.applications["a"], agreement=None)})
    with pytest.raises(Mistake, match="no agreement"):
        moved(bare, MoveKind.SUBMISSION, "makes")
    state = reached(ApplicationState.REVIEWED)
    unknown = replace(state.applications["a"], assessment={})
    with pytest.raises(Mistake, match="Nobody assessed"):
        moved(replace(state, applications={"a": unknown}), MoveKind.DECISION, "leads")


def test_a_delivery_waits_for_its_agreement_to_begin():
    state = reached(ApplicationState.APPROVED)
    later = Agreement.of(AGREEMENT | {"valid_from": "2026-02-01"})
    found = replace(state.applications["a"], agreement=later)
    with pytest.raises(Mistake, match="begins on"):
        moved(replace(state, applications={"a": found}), MoveKind.DELIVERY, "keeps")


def test_a_quorum_can_approve_against_a_refusal():
    table = TABLE | {"quorum": 1}
    state = reached(ApplicationState.REVIEWED)
    split = replace(
        state.applications["a"],
        votes={"reads": VoteWord.REFUSE, "reads2": VoteWord.APPROVE},
    )
    state = replace(state, applications={"a": split})
    with pytest.raises(Mistake, match="2 reviewers must approve"):
        moved(state, MoveKind.DECISION, "leads")
    loose = replace(state, charter=Charter.of(table))
    assert moved(loose, MoveKind.DECISION, "leads").applications["a"].valid_until


def test_votes_are_open_where_the_charter_says_so():
    state = replace(
        reached(ApplicationState.SUBMITTED), charter=Charter.of(TABLE | {"blind": False})
    )
    with pytest.raises(Mistake, match="open under this charter"):
        moved(state, MoveKind.COMMITMENT, "reads")
    state = moved(moved(state, MoveKind.VOTE, "reads"), MoveKind.VOTE, "reads2")
    assert state.applications["a"].state is ApplicationState.REVIEWED
    with pytest.raises(Mistake, match="No vote is opened now"):
        moved(reached(ApplicationState.SUBMITTED), MoveKind.VOTE, "reads")


def test_a_member_signs_until_the_last_day():
    members = TABLE["members"] | {"leads": TABLE["members"]["leads"] | {"until": "2026-01-02"}}
    state = replace(
        reached(ApplicationState.REVIEWED), charter=Charter.of(TABLE | {"members": members})
    )
    moved(state, MoveKind.DECISION, "leads")
    with pytest.raises(Mistake, match="member until"):
        moved(state, MoveKind.DECISION, "leads", time="2026-01-03")


def test_conditions_and_reasons_are_kept():
    state = moved(
        reached(ApplicationState.REVIEWED), MoveKind.DECISION, "leads", conditions=["on site"]
    )
    found = state.applications["a"]
    assert found.conditions == ("on site",)
    assert found.reasons == {"reads": "fits", "reads2": "fits", "leads": "agreed"}


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
        with pytest.raises(Mistake, match=f"{name} applied for it, or proposed"):
            moved(state, kind, name)


def test_a_candidate_that_somebody_else_submits_again_is_still_its_maker_s():
    """Two makers who agree could otherwise vote on, decide about and deliver each other's work."""
    everything = sorted(role.value for role in RegisterRole)
    roles = {"makes": everything, "leads": ["chair", "maker"], "reads3": ["reviewer", "maker"]}
    members = TABLE["members"] | {
        name: TABLE["members"][name] | {"roles": each} for name, each in roles.items()
    }
    state = replace(
        reached(ApplicationState.APPROVED), charter=Charter.of(TABLE | {"members": members})
    )
    state = moved(state, MoveKind.SUBMISSION, "leads")
    assert state.applications["a"].maker == "leads"
    with pytest.raises(Mistake, match="makes applied for it, or proposed"):
        moved(state, MoveKind.COMMITMENT, "makes")
    for _, kind, name, changes in VOTING[:4]:
        state = moved(state, kind, name, **changes)
    for name in ("makes", "leads"):
        with pytest.raises(Mistake, match=f"{name} applied for it, or proposed"):
            moved(state, MoveKind.DECISION, name)


def test_a_vote_is_the_one_that_was_sealed():
    state = reached(ApplicationState.SEALED)
    for change in ({"vote": "refuse"}, {"reason": "other"}, {"salt": "00" * 32}):
        with pytest.raises(Mistake, match="not the vote"):
            moved(state, MoveKind.VOTE, "reads", **change)
    after = moved(state, MoveKind.VOTE, "reads")
    with pytest.raises(Mistake, match="no vote to open"):
        moved(after, MoveKind.VOTE, "reads")


def test_nobody_copies_a_sealed_vote():
    """Whoever reads the store could seal the same again, and open it with the other's salt."""
    state = moved(reached(ApplicationState.SUBMITTED), MoveKind.COMMITMENT, "reads")
    with pytest.raises(Mistake, match="somebody else's vote"):
        moved(state, MoveKind.COMMITMENT, "reads2", commitment=VOTES["reads"].commitment)


def test_an_applicant_withdraws_their_own_application_alone():
    members = TABLE["members"] | {
        "reads3": TABLE["members"]["reads3"] | {"roles": ["applicant", "reviewer"]}
    }
    state = replace(
        reached(ApplicationState.APPLIED), charter=Charter.of(TABLE | {"members": members})
    )
    with pytest.raises(Mistake, match="asks applied for it"):
        moved(state, MoveKind.WITHDRAWAL, "reads3")
    assert moved(state, MoveKind.WITHDRAWAL, "keeps").applications["a"].state == "withdrawn"


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
    return Register.create(
        tmp_path / "r", Charter.of(TABLE | {"policy_first": False}), author=author("admin"),
        clock=lambda: datetime(2026, 1, 2, tzinfo=UTC),
    )  # fmt: skip


def release(folder: Path, name: str, cut: int, **facts: object):
    place = folder / name
    place.mkdir()
    (place / "manifest.json").write_text(json.dumps({"sfumato": "0", "name": name, **facts}))
    labels = {f"p{each}": "low" if each < cut else "high" for each in range(12)}
    batch = {"person": np.array(list(labels), object), "q": np.array(list(labels.values()), object)}
    made = record_people(
        [batch], key=KEY, person="person", fields=["q"], release=manifest_digest(place)
    )
    return place, made


def approve(
    register: Register, name: str, place: Path, record, folder: Path, *, group: str, **outcomes: str
) -> None:
    register.apply(name, group=group, form=ApplicationForm.of(ANSWERS), author=author("asks"))
    register.agree(name, Agreement.of(AGREEMENT), author=author("keeps"))
    submit(register, name, place, record, **outcomes)
    vote(register, name)


def vote(register: Register, name: str) -> None:
    for who in ("reads", "reads2"):
        register.commit_vote(name, VOTES[who], author=author(who))
    for who in ("reads", "reads2"):
        register.open_vote(name, VOTES[who], author=author(who))
    register.decide(
        name, VoteWord.APPROVE, reason="agreed", valid_until="2026-06-30", author=author("leads")
    )


def assessment(place: Path, **outcomes: str) -> Path:
    """The file of an assessment of a release; `outcomes` are those of questions."""
    file = place.with_name(f"{place.name}-{secrets.token_hex(4)}.json")
    outcomes = outcomes or {"k": "pass"}
    judged = [{"question": each, "outcome": outcome} for each, outcome in outcomes.items()]
    facts = {
        "release": manifest_digest(place), "judgements": judged, "created": file.name,
        "outcome": worst_outcome(outcomes.values()),
    }  # fmt: skip
    file.write_text(json.dumps(facts))
    return file


def submit(register: Register, name: str, place: Path, record, **outcomes: str) -> None:
    assessed = assessment(place, **outcomes)
    register.submit(name, place, people=record, assessment=assessed, author=author("makes"))


@dataclass(frozen=True)
class Made:
    """An assessment that was made in this process."""

    facts: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        return self.facts


def deliver(register: Register, name: str, place: Path, record, **outcomes: str):
    assessed = Made(json.loads(assessment(place, **outcomes).read_text()))
    return register.deliver(name, place, people=record, assessment=assessed, author=author("keeps"))


def test_from_application_to_delivery(register, tmp_path):
    place, record = release(tmp_path, "one", 6)
    approve(register, "a", place, record, tmp_path, group="lab")
    verdicts = deliver(register, "a", place, record)
    assert verdicts["lab"].outcome == "pass"
    state = register.state()
    assert state.applications["a"].state is ApplicationState.DELIVERED
    assert not state.applications["a"].is_voted_on, "its own delivery voids no vote"
    assert [each.name for each in state.releases] == ["one"]
    register.verify()
    assert register.due(days=30) == ()
    assert [(each.of, each.what, each.until, each.urgency) for each in register.due(days=400)] == [
        ("a", "agreement", UNTIL, "later")
    ]
    later = [each.what for each in register.due(days=460)]
    assert later == ["agreement", "destruction by the recipient"]
    register.withdraw("a", reason="ended", author=author("keeps"))
    assert register.state().releases, "what was delivered stays in the ledger"


def test_a_policy_that_was_described_wrongly_is_not_delivered(register, tmp_path, monkeypatch):
    """A maker may sign any words about a policy; the custodian's delivery compares them."""
    place, record = release(tmp_path, "one", 6)
    approve(register, "a", place, record, tmp_path, group="lab")
    told = {"recipient": "public", "fields": {"q": "quasi"}, "require": {"k": 50}}
    for lie in ({"summary": told}, {"policy": POLICY}):
        state = register.state()
        found = replace(state.applications["a"], **lie)
        monkeypatch.setattr(review_board, "needed", lambda state, name, found=found: found)
        with pytest.raises(Mistake, match="not those that the board was shown"):
            deliver(register, "a", place, record)
    monkeypatch.undo()
    assert not register.state().releases


def test_a_verdict_that_the_board_was_not_shown_is_not_delivered(register, tmp_path, monkeypatch):
    """A maker may sign that the ledger is green; whoever delivers judges it again."""
    place, record = release(tmp_path, "one", 6)
    amber = replace(record, not_judged=("2 rows without a person",))
    with monkeypatch.context() as forging:
        honest = review_board.judge_groups

        def green(*given: Any) -> dict[str, Any]:
            return {group: replace(each, outcome="pass") for group, each in honest(*given).items()}

        forging.setattr(review_board, "judge_groups", green)
        approve(register, "a", place, amber, tmp_path, group="lab")
    with pytest.raises(Mistake, match="for lab is review now, and the board was shown pass"):
        deliver(register, "a", place, amber)
    with monkeypatch.context() as forging:
        forging.setattr(review_board, "judge_groups", lambda *_: {})
        submit(register, "a", place, amber)
    vote(register, "a")
    with pytest.raises(Mistake, match="the board was shown none"):
        deliver(register, "a", place, amber)
    assert not register.state().releases
    submit(register, "a", place, amber)
    vote(register, "a")
    assert deliver(register, "a", place, amber)["lab"].outcome == "review"


@pytest.mark.parametrize(("limit", "outcome"), [(None, "review"), (1.0, "pass")])
def test_the_board_is_shown_what_a_private_candidate_costs(register, tmp_path, limit, outcome):
    """It is charged on trial: nothing is spent before the delivery."""
    privacy = {} if limit is None else {"privacy": {"epsilon": limit, "delta": 1e-6}}
    asked = Charter.of(TABLE | {"policy_first": False} | privacy)
    register.change_charter(asked, author=author("admin"))
    place = synthetic(tmp_path, "one", line(0.6))
    approve(register, "a", place, None, tmp_path, group="lab")
    shown = register.state().applications["a"].verdict["lab"]
    assert shown["outcome"] == outcome, shown
    assert "epsilon 0.6 at delta 1e-06" in shown["reason"]
    before = register._store.charges()
    assert before is None or not before.lines
    assert deliver(register, "a", place, None)["lab"].reason == shown["reason"]
    assert register._store.charges().lines
    register.verify()
    if limit is not None:
        register.apply("b", group="lab", form=ApplicationForm.of(ANSWERS), author=author("asks"))
        register.agree("b", Agreement.of(AGREEMENT), author=author("keeps"))
        with pytest.raises(CandidateFailed, match="the charter allows 1 at"):
            submit(register, "b", synthetic(tmp_path, "two", line(0.9)), None)


@pytest.mark.parametrize("shape", ["letters", "tables of counts"])
def test_what_nothing_measures_is_decided_by_the_board(register, tmp_path, shape):
    """The board is told that nobody measured it; no file says otherwise."""
    place = tmp_path / "one"
    place.mkdir()
    (place / "manifest.json").write_text(json.dumps({"sfumato": "0", "shape": shape}))
    register.apply("a", group="lab", form=ApplicationForm.of(ANSWERS), author=author("asks"))
    register.agree("a", Agreement.of(AGREEMENT), author=author("keeps"))
    assert register.submit("a", place, author=author("makes"))["lab"].outcome == "review"
    shown = register.state().applications["a"].assessment
    assert [each["outcome"] for each in shown["judgements"]] == ["pass", "review"]
    vote(register, "a")
    assert register.deliver("a", place, author=author("keeps"))["lab"].outcome == "review"
    register.verify()


def test_two_approved_against_one_ledger_are_not_both_delivered(register, tmp_path):
    """Together they single people out; each was approved when the other had not left."""
    one, first = release(tmp_path, "one", 6)
    two, second = release(tmp_path, "two", 5)
    approve(register, "a", one, first, tmp_path, group="lab")
    approve(register, "b", two, second, tmp_path, group="lab")
    deliver(register, "a", one, first)
    with pytest.raises(Mistake, match="ledger changed"):
        deliver(register, "b", two, second)
    with pytest.raises(CandidateFailed, match="because of one and"):
        submit(register, "b", two, second)
    assert [each.name for each in register.state().releases] == ["one"]


def test_a_forged_assessment_is_not_delivered(register, tmp_path):
    """The maker may sign any answers; who delivers assesses again, and the register compares."""
    place, record = release(tmp_path, "one", 6)
    approve(register, "a", place, record, tmp_path, group="lab", found="pass", attacked="pass")
    for again, words in (
        ({"found": "fail", "attacked": "pass"}, "Assessed again, the answer to 'found' is fail"),
        ({"found": "pass"}, "does not answer 'attacked'"),
        ({"found": "pass", "attacked": "pass", "unasked": "fail"}, "not shown this question"),
        ({"found": "pass", "attacked": "pass", "unasked": "review"}, "not shown this question"),
    ):
        with pytest.raises(Mistake, match=words):
            deliver(register, "a", place, record, **again)
    with pytest.raises(Mistake, match="Nobody but its maker"):
        register.deliver("a", place, people=record, author=author("keeps"))
    file = assessment(place, found="pass", attacked="pass")
    for own in (file, str(file)):
        with pytest.raises(Mistake, match="nobody can see who made it"):
            register.deliver("a", place, people=record, assessment=own, author=author("keeps"))
    deliver(register, "a", place, record, found="pass", attacked="pass", unasked="pass")
    assert register.state().applications["a"].assessed_again_by == "keeps"


def test_an_amber_answer_is_answered_again_too(register, tmp_path):
    """A maker may sign a red answer as amber; without the source nobody would answer it again."""
    place, record = release(tmp_path, "one", 6)
    approve(register, "a", place, record, tmp_path, group="lab", found="pass", attacked="review")
    with pytest.raises(Mistake, match="does not answer 'attacked'"):
        deliver(register, "a", place, record, found="pass")
    with pytest.raises(Mistake, match="not shown this question"):  # Left out by the maker.
        deliver(register, "a", place, record, found="pass", attacked="review", linked="review")
    deliver(register, "a", place, record, found="pass", attacked="review")


def test_the_maker_s_assessment_is_known_however_it_is_laid_out(tmp_path):
    place, _ = release(tmp_path, "one", 6)
    file = assessment(place, found="pass")
    made, digest = json.loads(file.read_text()) | {"seed": 7}, manifest_digest(place)
    file.write_text(json.dumps(made))
    before = assessment_facts(file, digest)
    laid_out = json.dumps(dict(reversed(made.items())), indent=4).replace("one", "\\u006fne")
    file.write_text(laid_out.replace('"seed": 7', '"seed": 7.0'))
    assert assessment_facts(file, digest) == before
    file.write_text(json.dumps(made | {"created": "later"}))
    assert assessment_facts(file, digest)["digest"] != before["digest"]


def test_an_assessment_is_of_the_candidate_and_adds_up(register, tmp_path):
    place, record = release(tmp_path, "one", 6)
    other, _ = release(tmp_path, "two", 6)
    register.apply("a", group="lab", form=ApplicationForm.of(ANSWERS), author=author("asks"))
    register.agree("a", Agreement.of(AGREEMENT), author=author("keeps"))
    rosy = assessment(place, found="fail")
    rosy.write_text(rosy.read_text().replace('"outcome": "fail"}', '"outcome": "pass"}', 1))
    empty = assessment(place, found="review")
    empty.write_text(json.dumps(json.loads(empty.read_text()) | {"judgements": []}))
    for file, words in (
        (assessment(other), "of another release"),
        (rosy, "not that of its"),
        (empty, "answers no question"),
    ):
        with pytest.raises(Mistake, match=words):
            register.submit("a", place, people=record, assessment=file, author=author("makes"))


def test_groups_of_one_recipient_are_judged_as_one(register, tmp_path):
    """Two groups whose agreements name one recipient, spelled differently."""
    one, first = release(tmp_path, "one", 6)
    two, second = release(tmp_path, "two", 5)
    approve(register, "a", one, first, tmp_path, group="lab")
    approve(register, "b", two, second, tmp_path, group="unit")
    state = register.state()
    assert state.joined("lab") == ("lab", "unit")
    verdicts = deliver(register, "a", one, first)
    assert verdicts["unit"].joined == ("lab",)
    assert "judged together with lab: they share a recipient" in verdicts["unit"].reason
    with pytest.raises(Mistake, match="ledger changed"):
        deliver(register, "b", two, second)
    with pytest.raises(CandidateFailed, match="because of one and"):
        submit(register, "b", two, second)
    register.add(two, group="unit", people=second, author=author("keeps"), imported=True)
    assert {each.outcome for each in register.judge().values()} == {"fail"}
    register.verify()


@pytest.mark.parametrize(
    ("names", "joins"),
    [
        ({"recipient": "LÁB, the"}, True),
        ({"recipient": "Others", "also_known_as": ["the lab"]}, True),
        ({"recipient": "group-A!"}, True),
        ({"recipient": "Somebody else"}, False),
    ],
)
def test_one_recipient_is_known_by_all_its_names(names, joins):
    state = moved(reached(ApplicationState.APPLIED), MoveKind.AGREEMENT, "keeps")
    other = {"application": "b", "group": "group a", "answers": ANSWERS}
    state = moved(state, MoveKind.APPLICATION, "asks", **other)
    third = {"application": "c", "group": "third", "answers": ANSWERS}
    state = moved(state, MoveKind.APPLICATION, "asks", **third)
    state = moved(state, MoveKind.AGREEMENT, "keeps", application="c", **names)
    assert (state.joined("third") != ("third",)) is joins


def test_a_recipient_that_looks_like_another_is_declared(register, tmp_path):
    for name, group in (("a", "lab"), ("b", "unit")):
        register.apply(name, group=group, form=ApplicationForm.of(ANSWERS), author=author("asks"))
    register.agree(
        "a", Agreement.of(AGREEMENT | {"recipient": "Institute of Ageing, Leiden"}),
        author=author("keeps"),
    )  # fmt: skip
    (tmp_path / "old.csv").write_text("a\n1\n")
    with pytest.raises(Mistake, match="a recipient of the group lab"):
        register.add(
            tmp_path / "old.csv", group="institute ageing", author=author("keeps"), imported=True
        )
    for alike in ("Institute of Ageing", "Institute for Aging, Leiden", "IAL"):
        with pytest.raises(Mistake, match=r"also_known_as = \["):
            register.agree(
                "b", Agreement.of(AGREEMENT | {"recipient": alike}), author=author("keeps")
            )
        other = {"recipient": alike, "not_the_same_as": ["Institute of Ageing, Leiden"]}
        register.agree("b", Agreement.of(AGREEMENT | other), author=author("keeps"))
        assert register.state().joined("unit") == ("unit",)
    for wide in ({"access": "public"}, {"recipient": "Public"}):
        with pytest.raises(Mistake, match="everybody"):
            register.agree("b", Agreement.of(AGREEMENT | wide), author=author("keeps"))


@pytest.mark.parametrize(
    "state", [ApplicationState.SEALED, ApplicationState.REVIEWED, ApplicationState.APPROVED]
)
def test_another_charter_voids_votes_and_decisions(state):
    """Approvals of one quorum do not pass under another: also the policy is voted on again."""
    before = reached(state)
    loose = Move.signed(
        MoveKind.CHARTER, TABLE | {"quorum": 1}, author="admin", key=KEYS["admin"],
        after=before.head, time="2026-01-03",
    )  # fmt: skip
    after = before.after(loose)
    found = after.applications["a"]
    assert (found.state, found.step) == (ApplicationState.SUBMITTED, ApplicationStep.POLICY)
    assert (found.commitments, found.votes, found.policy, found.candidate) == ({}, {}, "", "")
    with pytest.raises(Mistake):
        moved(after, MoveKind.DELIVERY, "keeps", time="2026-01-04")
    with pytest.raises(Mistake, match="later one replaced"):
        moved(after, MoveKind.COMMITMENT, "reads", round=before.applications["a"].round)
    with pytest.raises(Mistake, match="No policy is approved"):
        moved(after, MoveKind.SUBMISSION, "makes", time="2026-01-04")


def test_another_applicant_voids_nothing():
    before = reached(ApplicationState.APPROVED)
    more = TABLE["members"] | {
        "asks2": {"key": SigningKey.generate().public.line, "roles": ["applicant"]}
    }
    same = Move.signed(
        MoveKind.CHARTER, TABLE | {"members": more}, author="admin", key=KEYS["admin"],
        after=before.head, time="2026-01-03",
    )  # fmt: skip
    assert before.after(same).applications == before.applications


def test_an_import_is_confirmed_by_somebody_else(register, tmp_path):
    place, record = release(tmp_path, "one", 6)
    other, _ = release(tmp_path, "two", 6)
    register.add(place, group="lab", people=record, author=author("keeps"), imported=True)
    verdict = register.judge()["lab"]
    assert verdict.outcome == "review"
    assert "nobody but its importer confirmed it" in verdict.reason
    for who, folder, words in (
        ("keeps", place, "somebody else confirms"),
        ("leads", other, "another release"),
        ("makes", place, "may not make it"),
    ):
        with pytest.raises(Mistake, match=words):
            register.confirm("one", folder, reason="I sent it", author=author(who))
    register.confirm("one", place, reason="I sent it", author=author("leads"))
    assert register.judge()["lab"].outcome == "pass"
    with pytest.raises(Mistake, match="leads confirmed it before"):
        register.confirm("one", place, reason="I sent it", author=author("leads"))


def test_a_release_for_everybody_voids_votes_of_every_group(register, tmp_path):
    one, first = release(tmp_path, "one", 6)
    approve(register, "a", one, first, tmp_path, group="lab")
    public, record = release(tmp_path, "public", 6)
    register.add(public, group="everybody", people=record, author=author("keeps"), imported=True)
    with pytest.raises(Mistake, match="ledger changed"):
        deliver(register, "a", one, first)


def test_what_was_not_decided_is_not_delivered(register, tmp_path):
    place, record = release(tmp_path, "one", 6)
    with pytest.raises(SfumatoError, match="none of that name"):
        deliver(register, "a", place, record)
    register.apply("a", group="lab", form=ApplicationForm.of(ANSWERS), author=author("asks"))
    with pytest.raises(Mistake, match="waits for a maker to propose"):
        deliver(register, "a", place, record)
    with pytest.raises(Mistake, match="reviewers"):
        register.add(place, group="lab", people=record, author=author("keeps"))


def applied(register: Register, place: Path, **facts) -> None:
    register.apply("a", group="lab", form=ApplicationForm.of(ANSWERS), author=author("asks"))
    register.agree("a", Agreement.of(AGREEMENT), author=author("keeps"))
    (place / "manifest.json").write_text(json.dumps({"sfumato": "0", **facts}))


@pytest.mark.parametrize(
    ("access", "is_refused"),
    [("private", True), ("semi-private", False), ("semi-public", False), ("public", False)],
)
def test_a_candidate_for_narrower_access_than_agreed_is_refused(
    register, tmp_path, access, is_refused
):
    """Classes of Sweeney 2000, figure 8; the agreement gives the data to a semi-private circle."""
    place, record = release(tmp_path, "one", 6)
    policy = {"recipient": {"lab": {"access": access}}}
    applied(register, place, recipient="lab", policy=policy)
    record = replace(record, release=manifest_digest(place))
    if not is_refused:
        submit(register, "a", place, record)
        assert register.state().applications["a"].state is ApplicationState.SUBMITTED
        return
    with pytest.raises(Mistake, match="access is private, and the agreement says semi-private"):
        submit(register, "a", place, record)
    assert register.state().applications["a"].state is not ApplicationState.SUBMITTED


@pytest.mark.parametrize(("named", "is_refused"), [(DIGEST, False), ("cd" * 32, True)])
def test_a_candidate_made_under_another_agreement_is_refused(register, tmp_path, named, is_refused):
    place, record = release(tmp_path, "one", 6)
    applied(register, place, agreement={"sha256": named})
    record = replace(record, release=manifest_digest(place))
    if not is_refused:
        submit(register, "a", place, record)
        later = Agreement.of(AGREEMENT | {"digest": "ef" * 32})
        register.agree("a", later, author=author("keeps"))
    with pytest.raises(Mistake, match="another agreement than the application has"):
        submit(register, "a", place, record)


def test_an_agreement_to_link_on_more_fields_after_the_candidate_stops_its_delivery(
    register, tmp_path
):
    """Its votes are void; voted for again, it is still the candidate that counts `zip` as unknown."""
    tables = {"t": {"fields": {"q": "kept", "zip": "kept"}}}
    place, record = release(tmp_path, "one", 6, tables=tables, known_fields=["q"])
    approve(register, "a", place, record, tmp_path, group="lab")
    wider = Agreement.of(AGREEMENT | {"link_on": ["q", "zip"]})
    register.agree("a", wider, author=author("keeps"))
    vote(register, "a")
    with pytest.raises(Mistake, match="can link on zip"):
        deliver(register, "a", place, record)
    assert not register.state().releases


def test_what_one_agreement_says_of_a_recipient_holds_under_another(register, tmp_path):
    tables = {"t": {"fields": {"q": "kept", "zip": "kept"}}}
    place, record = release(tmp_path, "one", 6, tables=tables, known_fields=["q"])
    register.apply("other", group="unit", form=ApplicationForm.of(ANSWERS), author=author("asks"))
    wider = Agreement.of(AGREEMENT | {"link_on": ["zip"]})
    register.agree("other", wider, author=author("keeps"))
    register.apply("a", group="lab", form=ApplicationForm.of(ANSWERS), author=author("asks"))
    register.agree("a", Agreement.of(AGREEMENT), author=author("keeps"))
    with pytest.raises(Mistake, match="can link on zip"):
        submit(register, "a", place, record)
