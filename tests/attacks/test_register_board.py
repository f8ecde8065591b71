"""Attacks on the board at the gate: reading a sealed vote, voting as somebody else, replaying a move,
a move of another register, changes from another site, and coming after the agreement ended.

Each promise is first seen to break where its check is taken out."""

from __future__ import annotations

import base64
import json
import re
import shutil
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the extra 'gate' is not installed")
pytest.importorskip("cryptography")
sys.path[:0] = [
    str(Path(__file__).parents[1] / "unit" / "gate"),
    str(Path(__file__).parents[1] / "unit/gate/web"),
]

# ruff: noqa: E402 - doors stand with the gate's own tests
from doors import Door, a_door

from sfumato.cli import main
from sfumato.errors import NotAdmitted, ReleaseBroken
from sfumato.gate import register_desk
from sfumato.gate.accounts import Right
from sfumato.gate.response_timing import STEP
from sfumato.gate.web.authentication import COOKIE, for_changes
from sfumato.gate.web.register_endpoints import ENDPOINTS
from sfumato.register import (
    QUESTIONS,
    Agreement,
    Application,
    ApplicationForm,
    Author,
    Charter,
    MoveKind,
    Register,
    SealedVote,
)
from sfumato.register.moves import PAYLOAD
from sfumato.signatures import SigningKey, pre_authentication

EVIL = "<script>alert(1)</script>"
ROLES = {
    "adam": "administrator", "ann": "applicant", "max": "maker", "rea": "reviewer", "ria": "reviewer",
    "cho": "chair", "keeps": "custodian",
}  # fmt: skip
KEYS = {name: SigningKey.generate() for name in ROLES}
MEMBERS = {name: {"key": KEYS[name].public.line, "roles": [role]} for name, role in ROLES.items()}
ANSWERS = dict.fromkeys(QUESTIONS, f"An answer. {EVIL}") | {"sharing": "enclave"}
AGREEMENT = {
    "recipient": "The lab", "access": "semi-private", "terms": [], "digest": "ab" * 32,
    "valid_from": "2020-01-01", "until": "2999-12-31", "destroy_by": "2999-12-31",
}  # fmt: skip
REASON = "my own reason"


def author(name: str) -> Author:
    return Author(name=name, key=KEYS[name])


def made(folder: Path) -> Register:
    """A register with an application whose policy waits for votes; rea has voted."""
    charter = Charter.of({"ledger": {"k": 3}, "members": MEMBERS})
    register = Register.create(folder, charter, author=author("adam"))
    register.apply("study", group="lab", form=ApplicationForm.of(ANSWERS), author=author("ann"))
    register.agree("study", Agreement.of(AGREEMENT), author=author("keeps"))
    policy = folder.with_suffix(".toml")
    policy.write_text(
        '[fields.age]\nrole = "quasi"\nhierarchy = { numbers = { widths = [5] } }\n[require]\nk = 5\n'
    )
    register.propose("study", policy, author=author("max"))
    return register


@pytest.fixture
def door(tmp_path) -> Iterator[Door]:
    register = made(tmp_path / "r")
    register.commit_vote("study", vote("rea"), author=author("rea"))
    with a_door(tmp_path / "gate", register=register.folder) as door:
        for name in ("rea", "ria", "cho"):
            door.add(name, Right.BOARD)
        yield door


def vote(name: str) -> SealedVote:
    return SealedVote.sealed("refuse", f"{REASON} of {name}")


def signed(register: Register, kind: MoveKind, facts: dict, *, by: str, key: str = "") -> dict:
    entry = register.next_move() | {"kind": kind.value, "author": by, "facts": facts}
    payload = json.dumps(entry).encode()
    signature = KEYS[key or by].sign(pre_authentication(PAYLOAD, payload))
    return {
        "payload": base64.b64encode(payload).decode(),
        "signature": base64.b64encode(signature).decode(),
    }


def commitment(register: Register, by: str) -> tuple[dict, SealedVote]:
    sealed = vote(by)
    about = {"application": "study", "round": register.state().applications["study"].round}
    return about | {"commitment": sealed.commitment}, sealed


def everything(door: Door, who: str) -> str:
    """All that an account can read of the register."""
    paths = (
        "",
        "/next",
        "/applications",
        "/application?name=study",
        "/reviews",
        "/releases",
        "/due",
    )
    return "\n".join(door.gets(f"/register{path}", who=who).text for path in paths)


# A sealed vote.


@pytest.mark.parametrize("who", ["ria", "cho", "stella", "adam", "ann"])
def test_nobody_reads_a_vote_before_all_are_open(door, who, monkeypatch):
    register = door.gate.register.register
    _, sealed = commitment(register, "ria")
    register.commit_vote("study", sealed, author=author("ria"))
    opened = vote("rea")  # Opened votes are in the store; the other's is not open yet.
    state = register.state()
    found = replace(
        state.applications["study"],
        votes={"rea": opened.vote},
        reasons={"rea": opened.reason},
    )
    monkeypatch.setattr(register, "state", lambda: replace(state, applications={"study": found}))
    door.gate.register.forget()
    told = everything(door, who)
    assert REASON not in told
    assert "refuse" not in told
    assert "commitment" not in told.replace('"may":["commitment"]', "")
    if who in ("ann",):
        return
    monkeypatch.setattr(register_desk, "are_votes_open", lambda application: True)
    assert REASON in everything(door, who), "the attack sees it where the check is taken out"


def test_lists_tell_neither_who_voted_nor_how_many(door):
    """The lists before and after a vote of one reviewer are the same for everybody else."""
    register = door.gate.register.register
    own = {
        who: door.gets("/register/application?name=study", who=who).json()["sealed"]
        for who in ("rea", "ria", "cho")
    }
    assert own == {"rea": True, "ria": False, "cho": False}, "of one's own vote alone"
    before = [door.gets(f"/register{path}", who="cho").text for path in ("/applications", "/due")]
    again = replace(
        register.state(),
        applications={"study": replace(register.state().applications["study"], commitments={})},
    )
    assert again.applications["study"].state == register.state().applications["study"].state
    register.state = lambda: again  # type: ignore[method-assign]
    door.gate.register.forget()
    after = [door.gets(f"/register{path}", who="cho").text for path in ("/applications", "/due")]
    assert before == after


def test_the_store_has_no_vote_before_all_are_in(door):
    content = (door.gate.register.register.folder / "register.db").read_bytes()
    assert REASON.encode() not in content
    assert b"refuse" not in content


def a_world(folder: Path, first: SealedVote) -> Register:
    """Both reviewers have voted, and the first vote is open."""
    folder.parent.mkdir()
    register = made(folder)
    second = SealedVote.sealed("approve", "Fine.")
    for name, sealed in (("rea", first), ("ria", second)):
        register.commit_vote("study", sealed, author=author(name))
    register.open_vote("study", first, author=author("rea"))
    return register


def told_by_commands(register: Register, capsys) -> str:
    """All that commands print about the register, without digests and times."""
    folder = str(register.folder)
    for words in (
        ["show", folder],
        ["show", folder, "--json"],
        ["due", folder],
        ["verify", folder],
    ):
        main(["register", *words])
    exported = [register.export(kind, name="study") for kind in ("ro-crate", "prov", "dpia")]
    text = "\n".join([capsys.readouterr().out, *exported])
    return re.sub(r"[0-9a-f]{16,}|\d\d:\d\d:\d\d", "", text)


LONG = SealedVote.sealed("refuse", "No, because of all this. " * 60)
SHORT = SealedVote.sealed("approve", "Yes.")


def test_commands_and_exports_are_the_same_whatever_the_open_vote_is(tmp_path, capsys):
    """Until both are open; then they differ."""
    worlds = {name: a_world(tmp_path / name / "r", each) for name, each in WORLDS.items()}
    one, other = (told_by_commands(each, capsys).replace(name, "") for name, each in worlds.items())
    assert one == other
    for register in worlds.values():
        second = register.state().applications["study"].commitments["ria"]
        assert second, "the other has voted"


WORLDS = {"aa": SHORT, "bb": LONG}


def test_a_stopwatch_does_not_read_a_vote(tmp_path, monkeypatch):
    """Replies leave on a grid of 50 ms. What a vote changes of the time that they take is far less:
    the least of several times is compared, of two registers in turn."""
    assert all(each.paced for each in ENDPOINTS)
    registers = [a_world(tmp_path / name / "r", each) for name, each in WORLDS.items()]

    def apart() -> float:
        least = [1.0, 1.0]
        for _ in range(12):
            for at, register in enumerate(registers):
                started = time.process_time()
                register.state()
                least[at] = min(least[at], time.process_time() - started)
        return abs(least[0] - least[1])

    assert apart() < STEP / 25
    voted = Application._voted

    def slowly(self, move, charter):
        end = time.process_time() + 0.005 * (move.facts["vote"] == "refuse")
        while time.process_time() < end:
            pass
        return voted(self, move, charter)

    monkeypatch.setattr(Application, "_voted", slowly)
    assert apart() > STEP / 25, "the stopwatch sees a vote that takes longer"


# Signed moves.


def test_a_move_needs_its_authors_account_and_key(door):
    register = door.gate.register.register
    facts, _ = commitment(register, "ria")
    good = signed(register, MoveKind.COMMITMENT, facts, by="ria")
    stolen = signed(register, MoveKind.COMMITMENT, facts, by="ria", key="cho")
    assert door.posts("/register/moves", good, who="cho").status_code == 422
    assert door.posts("/register/moves", stolen, who="ria").status_code == 422
    assert door.posts("/register/moves", good).status_code == 401
    assert door.posts("/register/moves", good, who="ria").status_code == 201
    assert door.posts("/register/moves", good, who="ria").status_code == 422, "replayed"
    assert register.state().applications["study"].state == "sealed"


def test_a_move_signed_for_another_register_is_refused(door, tmp_path):
    other = made(tmp_path / "other")
    other.commit_vote("study", vote("rea"), author=author("rea"))
    facts, _ = commitment(other, "ria")
    sent = signed(other, MoveKind.COMMITMENT, facts, by="ria")
    told = door.posts("/register/moves", sent, who="ria")
    assert told.status_code == 422
    assert "does not follow" in told.text
    assert door.gate.register.register.state().applications["study"].state == "submitted"


def test_deliveries_and_charters_are_not_taken_from_a_browser(door):
    register = door.gate.register.register
    table = register.state().charter.as_table() | {"reviewers": 1}
    for kind, facts, who in ((MoveKind.CHARTER, table, "adam"), (MoveKind.ROTATION, {"key": "x"}, "ria")):  # fmt: skip
        told = door.posts("/register/moves", signed(register, kind, facts, by=who), who=who)
        assert "needs a command" in told.text
    for body in (
        {"payload": "!!!!", "signature": "AAAA"},
        {"payload": "AAAA", "signature": "AAAA"},
    ):
        assert door.posts("/register/moves", body, who="ria").status_code == 422
    assert register.state().charter.reviewers == 2


def test_a_page_of_another_site_moves_nothing(door):
    register = door.gate.register.register
    facts, _ = commitment(register, "ria")
    good = signed(register, MoveKind.COMMITMENT, facts, by="ria")
    session = door.gate.accounts.open_session(door.gate.accounts.find("ria"))
    cookie = {"Cookie": f"{COOKIE}={session}"}
    for headers in (
        cookie,
        cookie | {"X-Sfumato-Changes": "0" * 40},
        cookie | {"X-Sfumato-Changes": for_changes(session), "Sec-Fetch-Site": "cross-site"},
    ):
        assert door.posts("/register/moves", good, headers=headers).status_code == 403
    own = cookie | {"X-Sfumato-Changes": for_changes(session), "Sec-Fetch-Site": "same-origin"}
    assert door.posts("/register/moves", good, headers=own).status_code == 201


# Who sees what.


def test_a_recipient_sees_their_own_applications_alone(door):
    door.add("eve", Right.RECIPIENT)
    assert door.gets("/register/applications", who="eve").json() == {"applications": []}
    assert door.gets("/register/application?name=study", who="eve").status_code == 404
    own = door.gets("/register/application?name=study", who="ann").json()
    assert own["answers"]["purpose"].endswith(EVIL)
    assert not {"assessment", "verdict", "votes", "maker", "policy"} & own.keys()
    assert own["holds"] is None
    for path in ("/reviews", "/releases", "/due"):
        assert door.gets(f"/register{path}", who="ann").status_code == 403


@pytest.mark.parametrize("name", ["../../etc/passwd", "study/../x", "%00", "a" * 101, ""])
def test_a_name_is_no_path(door, name):
    told = door.gets("/register/application", who="cho", params={"name": name})
    assert told.status_code in (404, 422)
    assert "root:" not in told.text


def test_texts_are_json_and_never_markup(door):
    told = door.gets("/register/application?name=study", who="cho")
    assert told.headers["content-type"].startswith("application/json")
    assert told.headers["x-content-type-options"] == "nosniff"


# Ends.


def test_an_ended_agreement_closes_the_gate_for_its_group(door):
    accounts, desk = door.gate.accounts, door.gate.register
    ann = replace(accounts.find("ann"), groups=("lab",))
    accounts.change(ann)
    assert accounts.last_day(ann) == "2999-12-31"
    assert door.gets("/me", who="ann").json()["ends"] == "2999-12-31"
    token = door.token("ann")
    clock = [0.0]
    desk.now = lambda: clock[0]
    desk.forget()
    assert accounts.may_come(ann)
    desk.register.agree(
        "study", Agreement.of(AGREEMENT | {"until": "2025-06-30"}), author=author("keeps")
    )
    clock[0] = 60.0
    headers = {"Authorization": f"Bearer {token}"}
    assert door.gets("/me", headers=headers).status_code == 401
    with pytest.raises(NotAdmitted):
        accounts.check("ann", "correct horse battery")
    assert not accounts.may_come(ann)
    others = replace(ann, groups=("elsewhere",))
    assert accounts.may_come(others), "a group that the register does not name"


def test_a_clock_that_was_set_back_opens_nothing(door):
    accounts, desk = door.gate.accounts, door.gate.register
    ended = replace(accounts.find("ann"), until="2026-01-01")
    accounts._now = lambda: datetime(2020, 1, 1, tzinfo=UTC).timestamp()
    assert desk.state().head.time > "2026-01-01"
    assert not accounts.may_come(ended)


def test_an_account_ends_after_its_last_day(door):
    told = door.sends("PATCH", "/accounts/stella", who="adam", json={"until": "2020-01-01"})
    assert told.json()["until"] == "2020-01-01"
    assert door.gets("/me", who="stella").status_code == 401
    for day in ("2020-13-01", "soon"):
        told = door.sends("PATCH", "/accounts/stella", who="adam", json={"until": day})
        assert told.status_code == 422
    told = door.sends("PATCH", "/accounts/adam", who="adam", json={"until": "2030-01-01"})
    assert told.status_code == 409, "the last administrator does not end"


def test_a_register_that_was_changed_is_not_opened(tmp_path):
    register = made(tmp_path / "r")
    copy = tmp_path / "copy"
    shutil.copytree(register.folder, copy)
    with closing(sqlite3.connect(copy / "register.db")) as database:
        database.execute("DELETE FROM moves WHERE number = 2")
        database.commit()
    with pytest.raises(ReleaseBroken), a_door(tmp_path / "gate", register=copy):
        pass
