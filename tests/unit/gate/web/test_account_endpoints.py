"""Administration: accounts, and policies in versions; every change is audited and none invalidates
what was counted."""

from __future__ import annotations

import tomllib

import pytest
from doors import PASSWORD, a_door
from gates import POLICY, a_gate, people

from sfumato.gate.accounts import Right
from sfumato.gate.audit import entries
from sfumato.gate.decide.exposure import Exposure
from sfumato.gate.settings import Asker

SQL = {"sql": "SELECT age, town, sex, test FROM people"}
OF = "/tables/people/policies"


@pytest.fixture
def door(tmp_path):
    with a_door(tmp_path) as door:
        yield door


def last(door):
    return list(entries(door.gate.audit.path))[-1]


def changed(door, changes, *, who="adam", why="because"):
    return door.posts(OF, {"changes": changes, "why": why}, who=who)


def agreed(door, version, *, who):
    return door.posts(f"{OF}/{version}/decision", {"approve": True, "why": "fine"}, who=who)


def test_accounts_are_added_changed_and_disabled_and_all_of_it_is_written_down(door):
    given = {"name": "zoe", "password": PASSWORD, "right": "recipient", "groups": ["lab"]}
    assert door.posts("/accounts", given, who="adam").status_code == 201
    assert last(door)["kind"] == "account added"
    assert door.posts("/accounts", given, who="adam").status_code == 409
    assert (
        door.posts(
            "/accounts", {**given, "name": "yan", "password": "short"}, who="adam"
        ).status_code
        == 422
    )
    bearer = {"Authorization": f"Bearer {door.token('zoe')}"}
    told = door.sends(
        "PATCH", "/accounts/zoe", who="adam", json={"profile": "research", "disabled": True}
    )
    assert told.json() == {
        "name": "zoe", "right": "recipient", "profile": "research", "groups": ["lab"], "disabled": True,
        "until": "", "ends": "",
    }  # fmt: skip
    assert door.gets("/me", headers=bearer).status_code == 401
    door.sends(
        "PATCH",
        "/accounts/zoe",
        who="adam",
        json={"disabled": False, "password": "another long password"},
    )
    assert (
        door.posts("/log-in", {"name": "zoe", "password": "another long password"}).status_code
        == 200
    )
    assert "another long password" not in door.gate.audit.path.read_text()
    assert "argon" not in door.gets("/accounts", who="adam").text
    assert door.gets("/accounts/nobody", who="adam").status_code == 404


def test_one_administrator_stays(door):
    for change in ({"disabled": True}, {"right": "recipient"}):
        assert door.sends("PATCH", "/accounts/adam", who="adam", json=change).status_code == 409
    door.add("eve", Right.ADMINISTRATOR)
    assert (
        door.sends("PATCH", "/accounts/adam", who="eve", json={"disabled": True}).status_code == 200
    )


def test_stricter_conditions_hold_at_once(door):
    before = door.posts("/look", SQL, who="ann").json()["shapes"]
    made = changed(door, {"require": {"k": 25}})
    assert made.json() | {"time": ""} == {
        "version": 2, "status": "in force", "by": "adam", "why": "because", "time": "", "decided_by": "nobody else",
        "says": "require.k",
    }  # fmt: skip
    assert (last(door)["kind"], last(door)["version"]) == ("policy in force", 2)
    after = door.posts("/look", SQL, who="ann").json()["shapes"]
    assert sum(after[0]["levels"].values()) > sum(before[0]["levels"].values())


def test_versions_can_be_read_and_the_first_is_the_file(door):
    changed(door, {"require": {"k": 7}})
    versions = door.gets(OF, who="stella").json()["versions"]
    assert [(each["version"], each["status"], each["by"]) for each in versions] == [
        (2, "in force", "adam"), (1, "replaced", "the file"),
    ]  # fmt: skip
    assert door.gets(f"{OF}/1", who="stella").json()["policy"] == POLICY
    second = door.gets(f"{OF}/2", who="stella").json()
    assert (
        tomllib.loads(second["policy"])["require"]["k"] == second["as_table"]["require"]["k"] == 7
    )
    assert door.gets(f"{OF}/9", who="stella").status_code == 404
    assert door.gets("/tables/nothing/policies", who="stella").status_code == 404


def test_a_hierarchy_may_change_after_answers_and_they_still_count(door):
    """What was shown stays shown: with the new labels nobody gets a class that is smaller than
    k."""
    first = door.posts("/ask", SQL, who="ann").json()
    made = changed(door, {"fields": {"age": {"hierarchy": {"numbers": {"widths": [3, 9, 27]}}}}})
    assert made.status_code == 201, made.text
    assert agreed(door, 2, who="stella").json()["status"] == "in force"
    again = door.posts("/ask", SQL, who="ann").json()
    assert not again["remembered"]
    assert again["query"] == first["query"]
    kept = door.gate.keeper
    exposure = Exposure.unpacked(kept.state.exposure("everyone", "people"))
    sizes = {}
    for each, count in enumerate(kept.holdings["people"].rows_of.tolist()):
        sizes[exposure.anyone[each]] = sizes.get(exposure.anyone[each], 0) + count
    assert min(sizes.values()) >= 5


def test_what_is_counted_by_cannot_change_once_something_was_shown(door):
    door.posts("/ask", SQL, who="ann")
    for change in (
        {"fields": {"cost": {"role": "quasi"}}},
        {"fields": {"age": {"role": "sensitive", "hierarchy": None}}},
        {"fields": {"cost": {"role": "direct"}}},
        {"recipient": {"public": {"linking": {"age": 0.0, "town": 1.0, "sex": 1.0}}}},
    ):
        told = changed(door, change)
        assert (told.status_code, told.json()["code"]) == (409, "already-shown"), told.text
    assert changed(door, {"fields": {"cost": {"role": "sensitive"}}}).status_code == 201


def test_before_anything_was_shown_fields_may_change(door):
    assert changed(door, {"fields": {"cost": {"role": "direct"}}}).status_code == 201
    (table,) = door.gets("/catalogue", who="ann").json()["tables"]
    assert table["never"] == ["name", "cost"]


def test_a_board_has_to_agree_and_nobody_agrees_to_their_own(door):
    door.add("bea", Right.BOARD)
    made = changed(door, {"require": {"k": 25}}).json()
    assert made["status"] == "proposed"
    assert door.gets(f"{OF}/1", who="bea").json()["status"] == "in force"
    decision = {"approve": True, "why": "agreed in the meeting"}
    assert door.posts(f"{OF}/2/decision", decision, who="adam").status_code == 403
    assert door.posts(f"{OF}/2/decision", decision, who="bea").json()["status"] == "in force"
    assert (last(door)["kind"], last(door)["who"]) == ("policy in force", "bea")
    assert door.posts(f"{OF}/2/decision", decision, who="bea").status_code == 409
    third, fourth = changed(door, {"require": {"k": 30}}), changed(door, {"require": {"k": 35}})
    assert (third.json()["version"], fourth.json()["version"]) == (3, 4)
    assert (
        door.posts(f"{OF}/3/decision", {"approve": False}, who="bea").json()["status"] == "rejected"
    )
    assert (
        door.posts(f"{OF}/4/decision", {"approve": True}, who="bea").json()["status"] == "in force"
    )


def test_an_old_proposal_does_not_undo_what_came_into_force_since(door):
    door.add("bea", Right.BOARD)
    changed(door, {"require": {"k": 25}})
    changed(door, {"require": {"k": 30}})
    assert door.posts(f"{OF}/2/decision", {"approve": True}, who="bea").status_code == 200
    assert door.posts(f"{OF}/3/decision", {"approve": True}, who="bea").status_code == 409


def test_an_outdated_proposal_waits_anew_and_somebody_agrees_without_a_restart(door):
    door.add("bea", Right.BOARD)
    changed(door, {"require": {"k": 25}})
    changed(door, {"require": {"k": 30}}, why="a wider audience")
    assert door.posts(f"{OF}/2/decision", {"approve": True}, who="bea").status_code == 200
    refused = door.posts(f"{OF}/3/decision", {"approve": True}, who="bea")
    assert refused.status_code == 409
    assert refused.json()["found"].startswith("Version 4 proposes the same change")
    newest, outdated, *_ = door.gets(OF, who="bea").json()["versions"]
    assert (outdated["version"], outdated["status"]) == (3, "replaced")
    assert (newest["status"], newest["by"], newest["why"], newest["says"]) == (
        "proposed", "adam", "a wider audience", "require.k",
    )  # fmt: skip
    assert door.posts(f"{OF}/4/decision", {"approve": True}, who="adam").status_code == 403
    assert (
        door.posts(f"{OF}/4/decision", {"approve": True}, who="bea").json()["status"] == "in force"
    )


def test_a_proposal_that_waits_anew_undoes_nothing_that_came_into_force(door):
    door.add("bea", Right.BOARD)
    changed(door, {"require": {"k": 25}})
    changed(door, {"fields": {"cost": {"role": "sensitive"}}})
    assert door.posts(f"{OF}/2/decision", {"approve": True}, who="bea").status_code == 200
    waits = door.gets(f"{OF}/4", who="bea").json()
    assert (waits["says"], waits["as_table"]["require"]["k"]) == ("fields.cost.role", 25)
    assert (
        door.posts(f"{OF}/4/decision", {"approve": True}, who="bea").json()["status"] == "in force"
    )
    assert door.gets(f"{OF}/4", who="bea").json()["as_table"]["require"]["k"] == 25


def test_a_proposal_that_says_what_came_into_force_waits_no_longer(door):
    door.add("bea", Right.BOARD)
    for _ in range(2):
        changed(door, {"require": {"k": 25}})
    assert door.posts(f"{OF}/2/decision", {"approve": True}, who="bea").status_code == 200
    assert [each["status"] for each in door.gets(OF, who="bea").json()["versions"]] == [
        "replaced", "in force", "replaced",
    ]  # fmt: skip


def test_a_proposal_that_waits_anew_does_not_let_a_newer_account_agree(door):
    door.add("bea", Right.BOARD)
    changed(door, {"require": {"k": 25}})
    changed(door, {"require": {"k": 30}})
    door.gate.accounts.add("eve", PASSWORD, right=Right.BOARD)
    assert door.posts(f"{OF}/2/decision", {"approve": True}, who="bea").status_code == 200
    assert "older" in agreed(door, 4, who="eve").json()["message"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"require": {"k": "many"}}, "policy"),
        ({"require": {"kk": 3}}, "policy"),
        ({"fields": {"age": {"hierarchy": "/etc/passwd"}}}, "not-allowed"),
        ({"fields": {"age": {"hierarchy": {"tree": [None, 1]}}}}, "policy"),
        ({"require": {"k_map": {"k": 3, "population": "people.csv"}}}, "policy"),
        ({}, "already-there"),
    ],
)
def test_changes_that_cannot_hold_are_told_and_change_nothing(door, changes, code):
    told = changed(door, changes)
    assert told.json()["code"] == code, told.text
    assert [each["status"] for each in door.gets(OF, who="stella").json()["versions"]] == [
        "in force"
    ]


def test_a_whole_policy_may_be_sent_as_its_file(door):
    text = POLICY.replace("k = 5", "k = 8")
    made = door.posts(OF, {"policy": text, "why": "stricter"}, who="adam").json()
    assert made["says"] == "require.k"
    assert door.gets(f"{OF}/2", who="stella").json()["policy"] == text
    wrong = door.posts(OF, {"policy": "k = = 3", "why": ""}, who="adam")
    assert wrong.json()["code"] == "policy"


def test_a_change_outlives_the_gate(tmp_path):
    with a_door(tmp_path) as door:
        door.posts("/ask", SQL, who="ann")
        change = {"fields": {"town": {"hierarchy": {"prefix": [2, 1]}}}, "require": {"k": 9}}
        assert changed(door, change).status_code == 201
        assert agreed(door, 2, who="stella").status_code == 200
    with a_gate(tmp_path, people(600)) as gate:
        assert gate.keeper.holdings["people"].policy.require.k == 9
        assert gate.policies.in_force("people").number == 2
        gate.keeper.look(Asker(name="ann", profile="public"), SQL["sql"])


# ------------------------------------------------------------------ a second person

LOOSER = {"require": {"k": 2}}


def test_a_change_that_is_not_stricter_waits_also_without_a_board(door):
    made = changed(door, LOOSER).json()
    assert made["status"] == "proposed"
    assert door.gate.keeper.holdings["people"].policy.require.k == 5
    assert agreed(door, 2, who="adam").status_code == 403
    assert agreed(door, 2, who="ann").status_code == 403
    assert agreed(door, 2, who="stella").json()["status"] == "in force"
    assert door.gate.keeper.holdings["people"].policy.require.k == 2


@pytest.mark.long("a gate for each kind of account; one stays", every=3)
@pytest.mark.parametrize("right", [Right.ADMINISTRATOR, Right.STEWARD, Right.BOARD])
def test_an_account_that_was_made_after_the_proposal_does_not_agree_to_it(door, right):
    door.sends("PATCH", "/accounts/stella", who="adam", json={"disabled": True})
    changed(door, LOOSER)
    door.posts("/accounts", {"name": "eve", "password": PASSWORD, "right": right.value}, who="adam")
    told = agreed(door, 2, who="eve")
    assert (told.status_code, told.json()["code"]) == (403, "not-allowed")
    assert "older" in told.json()["message"]
    changed(door, LOOSER)
    assert agreed(door, 3, who="eve").status_code == 200


@pytest.mark.parametrize("change", [{"password": "another long password"}, {"right": "board"}])
def test_an_account_that_was_taken_over_after_the_proposal_does_not_agree_to_it(door, change):
    changed(door, LOOSER)
    door.sends("PATCH", "/accounts/stella", who="adam", json=change)
    assert "older" in agreed(door, 2, who="stella").json()["message"]


def test_an_account_that_was_enabled_after_the_proposal_does_not_agree_to_it(door):
    door.sends("PATCH", "/accounts/stella", who="adam", json={"disabled": True})
    changed(door, LOOSER)
    door.sends("PATCH", "/accounts/stella", who="adam", json={"disabled": False})
    assert "older" in agreed(door, 2, who="stella").json()["message"]


def test_another_profile_or_group_makes_nobody_younger(door):
    door.sends(
        "PATCH", "/accounts/stella", who="adam", json={"profile": "research", "groups": ["lab"]}
    )
    before = door.gate.accounts.find("stella").since
    door.sends("PATCH", "/accounts/stella", who="adam", json={"groups": []})
    assert door.gate.accounts.find("stella").since == before


def test_where_there_is_a_board_nobody_else_agrees(door):
    door.add("bea", Right.BOARD)
    door.add("abe", Right.ADMINISTRATOR)
    changed(door, LOOSER)
    for who in ("stella", "abe", "adam"):
        assert agreed(door, 2, who=who).status_code == 403
    assert agreed(door, 2, who="bea").status_code == 200


def test_another_administrator_agrees_where_there_is_neither_board_nor_steward(door):
    door.add("abe", Right.ADMINISTRATOR)
    changed(door, LOOSER)
    assert agreed(door, 2, who="abe").status_code == 200


@pytest.mark.parametrize(
    "looser",
    [POLICY.replace("k = 5", "k = 2"), POLICY.replace('role = "direct"', 'role = "insensitive"')],
)
def test_a_file_that_was_made_less_strict_waits(tmp_path, looser):
    with a_door(tmp_path):
        pass
    with a_door(tmp_path, policy=looser) as door:
        assert door.gate.keeper.holdings["people"].policy.require.k == 5
        assert "name" not in door.gate.keeper.holdings["people"].fields
        (waits,) = door.gate.policies.waiting()
        assert (waits.number, waits.by, waits.status) == (2, "the file", "proposed")
        assert "policy proposed" in [entry["kind"] for entry in entries(door.gate.audit.path)]
        assert agreed(door, 2, who="adam").status_code == 403
    with a_door(tmp_path, policy=looser) as door:
        assert [each.number for each in door.gate.policies.all_of("people")] == [1, 2]
        door.gate.state.all("UPDATE accounts SET content = json_set(content, '$.since', 1.0)")
        assert agreed(door, 2, who="adam").status_code == 403
        assert agreed(door, 2, who="stella").json()["status"] == "in force"
    with a_gate(tmp_path, people(600), policy=looser) as gate:
        assert gate.policies.in_force("people").number == 2


def test_a_file_that_was_made_stricter_or_rewritten_holds_at_once(tmp_path):
    with a_door(tmp_path):
        pass
    for number, text in enumerate(
        (POLICY + "# a remark", POLICY.replace("k = 5", "k = 9")), start=2
    ):
        with a_gate(tmp_path, people(600), policy=text) as gate:
            assert (gate.policies.in_force("people").number, gate.policies.waiting()) == (
                number,
                (),
            )
    with a_gate(tmp_path, people(600)) as gate:
        assert gate.keeper.holdings["people"].policy.require.k == 9


def test_a_gate_of_one_person_says_so_in_its_description(door):
    says = "One person looks after this gate"
    assert says not in door.gets("/openapi.json").text
    door.sends("PATCH", "/accounts/stella", who="adam", json={"disabled": True})
    assert says in door.gets("/openapi.json").json()["info"]["description"]
