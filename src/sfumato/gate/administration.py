"""Administration: accounts and policies are changed here, and every change has its line in the
audit.

The gate keeps its answers about a table as classes of bins, and bins are made of the known fields.
Conditions, hierarchies and the sensitivity of a field may therefore change at once, between two
questions. The list of fields, and which of them are known, may change only while nothing has been
disclosed. Answers that were given before a hierarchy changed are not repeated in the old labels.
They are decided anew, and everything disclosed so far counts.

A change that is not provably stricter (`strictness.py`) waits for a second person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sfumato.errors import NotAdmitted
from sfumato.policy import Policy, Role, policy_as_toml, policy_from_table
from sfumato.register import is_day

from .accounts import GateAccount, Right
from .decide.confidentiality import Conditions
from .decide.field_kinds import KnownFrom, changed_kinds, known_from
from .decide.held_rows import HeldRows
from .decide.protected_table import ProtectedTable
from .departures import without_erased
from .gate_opener import (
    Gate,
    fact_of,
    fingerprint,
    kept_rows,
    note_time,
    read_rows,
    table_of_rows,
)
from .membership import is_protected_to_some
from .policy_versions import FILE, Status, Version, as_table, laid_over
from .terms_in_force import TermsInForce, read_terms, write_terms

NOBODY_ELSE: Final = "nobody else"
"""The second person of a change that is provably stricter."""
LOOK_AFTER: Final = frozenset((Right.BOARD, Right.STEWARD, Right.ADMINISTRATOR))
ONE_PERSON: Final = (
    "One person looks after this gate: nobody else can agree to a change of its policies."
)

# ------------------------------------------------------------------ accounts


def account_named(gate: Gate, name: str) -> GateAccount:
    found = gate.accounts.find(name)
    if found is None:
        raise NotAdmitted("There is no such account.", code="not-there")
    return found


def add_account(gate: Gate, by: str, given: Mapping[str, Any]) -> GateAccount:
    """A new account, as an administrator describes it."""
    name, right = given["name"], Right(given["right"])
    if gate.accounts.find(name) is not None:
        raise NotAdmitted(
            "There is an account of that name.", code="already-there", attempt="another name."
        )
    profile, groups = given.get("profile", "public"), tuple(given.get("groups", ()))
    until = _checked_day(given.get("until", ""))
    made = gate.accounts.add(
        name, given["password"], right=right, profile=profile, groups=groups, until=until
    )
    facts = {"account": name, "right": right.value, "profile": profile, "groups": list(groups)}
    facts |= {"until": until} if until else {}
    gate.audit.append("account added", {"who": by, **facts})
    return made


def change_account(gate: Gate, by: str, name: str, changes: Mapping[str, Any]) -> GateAccount:
    """Another right, profile, groups or password, or disabled. One administrator stays, or nobody
    could undo it."""
    before = account_named(gate, name)
    plain = {key: value for key, value in changes.items() if key != "password"}
    if "right" in plain:
        plain["right"] = Right(plain["right"])
    if "groups" in plain:
        plain["groups"] = tuple(plain["groups"])
    _checked_day(plain.get("until", ""))
    after = replace(before, **plain)
    if (
        _administers(before)
        and not _administers(after)
        and not _others(gate, name, Right.ADMINISTRATOR)
    ):
        raise NotAdmitted(
            "This is the last administrator.",
            code="already-there",
            attempt="making another one first.",
        )
    gate.accounts.change(after)
    if "password" in changes:
        gate.accounts.set_password(name, changes["password"])
    told = {key: value for key, value in changes.items() if key != "password"}
    facts = {"account": name, "changes": told, "password": "password" in changes}
    gate.audit.append("account changed", {"who": by, **facts})
    return account_named(gate, name)


def _checked_day(until: str) -> str:
    if until and not is_day(until):
        raise NotAdmitted(
            "An account was given its last day.",
            code="not-fitting",
            found="It is no day.",
            attempt="a day such as 2027-06-30.",
        )
    return until


def _administers(account: GateAccount) -> bool:
    """Whether an account administers the gate, today and later."""
    return account.right is Right.ADMINISTRATOR and not account.disabled and not account.until


def _others(gate: Gate, name: str, right: Right) -> bool:
    """Whether anybody else has a right."""
    found = (gate.accounts.find(other) for other in gate.accounts.names() if other != name)
    return any(
        account is not None
        and account.right is right
        and not account.disabled
        and not account.until
        for account in found
    )


# ------------------------------------------------------------------ two people


def check_second(gate: Gate, account: GateAccount, version: Version) -> None:
    """Whether somebody is the second person that a change needs; `NotAdmitted` where they are not.

    Changes of accounts after the proposal help nobody: neither a new account nor another one's new
    password. The board agrees. Where there is none, a steward agrees. Another administrator may
    agree to a change that was made at the gate. The author of a changed file is unknown, and is
    taken to be an administrator."""
    if version.by == account.name:
        raise NotAdmitted(
            "You cannot agree to your own change.", code="not-allowed", attempt="another person."
        )
    if account.since >= version.at:
        raise NotAdmitted(
            "Your account is not older than this change.",
            code="not-allowed",
            found="It was made, or got its right or its password, after the change was proposed.",
            attempt="somebody else, or proposing the change anew.",
        )
    rights = _seconds(gate, version)
    if account.right not in rights:
        raise NotAdmitted(
            "Your account may not agree to this change.",
            code="not-allowed",
            found=f"It has the right '{account.right.value}'.",
            attempt="an account with the right "
            f"{' or '.join(sorted(right.value for right in rights))}.",
        )


def _seconds(gate: Gate, version: Version) -> frozenset[Right]:
    """The rights that may agree to a version."""
    board = (
        each
        for each in gate.accounts.all()
        if each.right is Right.BOARD and each.name != version.by
    )
    if any(each.since < version.at for each in board):
        return frozenset((Right.BOARD,))
    return (
        frozenset((Right.STEWARD,))
        if version.by == FILE
        else frozenset((Right.STEWARD, Right.ADMINISTRATOR))
    )


def is_of_one_person(gate: Gate) -> bool:
    """Whether nobody could agree to another one's change: fewer than two accounts look after the
    gate."""
    return sum(account.right in LOOK_AFTER for account in gate.accounts.all()) < 2


# ------------------------------------------------------------------ policies


def propose(gate: Gate, by: str, table: str, given: Mapping[str, Any]) -> Version:
    """A new version of a table's policy: its whole text, or changes to the one in force.

    It holds at once where it is provably stricter and the gate has no board; otherwise when a
    second person has agreed."""
    before = as_table(gate.policies.in_force(table).policy)
    after = as_table(given["policy"]) if "policy" in given else laid_over(before, given["changes"])
    _check_files(before, after)
    text = given["policy"] if "policy" in given else _as_text(gate, table, after)
    version = gate.policies.new(table, text, by=by, why=given["why"])
    if not version.says:
        raise NotAdmitted("This is the policy in force.", code="already-there", attempt="a change.")
    if _others(gate, by, Right.BOARD) or gate.policies.loosened(version):
        _holding_under(
            gate, table, version
        )  # What could not hold is told now, not after the board has met.
        return _written(gate, version, "policy proposed", by)
    return _in_force(gate, replace(version, decided_by=NOBODY_ELSE), by)


def decide(gate: Gate, by: str, table: str, number: int, *, approve: bool, why: str) -> Version:
    """A second person's answer to a version that was proposed, which must be of the policy that
    holds now."""
    _renew(
        gate, table
    )  # A state that was written before proposals followed may hold outdated ones.
    version = gate.policies.one(table, number)
    if version.status is not Status.PROPOSED:
        raise _not_waiting(gate.policies.follower(version))
    check_second(gate, account_named(gate, by), version)
    decided = replace(version, decided_by=by)
    if not approve:
        return _written(
            gate, replace(decided, status=Status.REJECTED), "policy rejected", by, why=why
        )
    return _in_force(gate, decided, by, why=why)


def _not_waiting(follower: Version | None) -> NotAdmitted:
    if follower is None:
        return NotAdmitted("This version is not waiting for an answer.", code="already-there")
    return NotAdmitted(
        "Another version has come into force since this one was proposed.",
        code="already-there",
        found=f"Version {follower.number} proposes the same change of the policy in force now.",
        attempt=f"reading version {follower.number} and answering that.",
    )


def decide_terms(gate: Gate, by: str, *, approve: bool, why: str) -> TermsInForce:
    """A second person's answer to terms of gate.toml that do not hold yet."""
    known = read_terms(gate.state)
    if known is None or known.proposed is None:
        raise NotAdmitted("No terms are waiting for an answer.", code="already-there")
    waits = Version(table="", number=0, policy="", by=FILE, at=known.at)
    check_second(gate, account_named(gate, by), waits)
    decided = TermsInForce(held=known.proposed if approve else known.held)
    write_terms(gate.state, decided)
    kind = "terms in force" if approve else "terms rejected"
    gate.audit.append(kind, {"who": by, "changed": ", ".join(known.changed), "why": why})
    return decided


def _in_force(gate: Gate, version: Version, by: str, *, why: str = "") -> Version:
    """Put a version in force, between two questions."""
    holds = replace(version, status=Status.IN_FORCE)

    def change(_: ProtectedTable) -> ProtectedTable:
        made, rows = _holding_under(gate, version.table, version)
        keeps = rows is not None and gate.settings.reload
        written = gate.rows.write(version.table, kept_rows(rows, made)) if rows and keeps else ""
        with gate.state.changing():
            gate.policies.put(holds)
            if written:
                gate.rows.name(version.table, written)
                note_time(gate.state, made.account)
            gate.state.state_fact(fact_of(version.table), fingerprint(made, gate.keeper.secret))
            gate.state.forget_shown(version.table)
        _note(gate, holds, "policy in force", by, why=why)
        return made

    gate.keeper.change_holding(version.table, change)
    _renew(gate, version.table)
    return holds


def _renew(gate: Gate, table: str) -> None:
    """Propose anew each version that was made from a policy no longer in force, so that somebody
    can still agree to it."""
    with gate.state.changing():
        again = gate.policies.renew(table)
    for each in again:
        why = f"Version {each.after} came into force. {each.why}".strip()
        _note(gate, each, "policy proposed", each.by, why=why)


def _written(gate: Gate, version: Version, kind: str, by: str, *, why: str = "") -> Version:
    with gate.state.changing():
        gate.policies.put(version)
    _note(gate, version, kind, by, why=why)
    return version


def _note(gate: Gate, version: Version, kind: str, by: str, *, why: str) -> None:
    facts = {
        "table": version.table,
        "version": version.number,
        "changed": version.says,
        "why": why or version.why,
    }
    gate.audit.append(kind, {"who": by, **facts})


def _holding_under(
    gate: Gate, table: str, version: Version
) -> tuple[ProtectedTable, HeldRows | None]:
    """The table under another policy, and its rows where they were read again; refused where
    earlier answers could then no longer be counted."""
    held, policy = gate.keeper.holdings[table], gate.policies.read(table, version)
    if held.links is not None or gate.policies.was_shown(table):
        _check_kept(held.policy, policy, kinds=_changed_kinds(gate, table, held.policy, policy))
        made, rows = held.under(policy), None
    else:
        rows = read_rows(gate.settings, table, policy)
        rows = without_erased(rows, gate.state, held.account, gate.keeper.secret)
        made = table_of_rows(gate.settings, table, policy, rows, gate.keeper.secret)
    Conditions(holding=made, policy=policy).models  # noqa: B018 - what the gate cannot judge is told now
    return made, rows


def _check_kept(before: Policy, after: Policy, *, kinds: Sequence[str]) -> None:
    """The basis of counted answers must stay: the fields and their order, their known roles, and
    the person of each row."""
    problems = []
    if list(before.fields) != list(after.fields):
        problems.append("the fields or their order")
    problems += [
        f"the role of {name}"
        for name in before.fields
        if name in after.fields and _sort(before, name) != _sort(after, name)
    ]
    if before.entity != after.entity:
        problems.append("the person key")
    problems += [
        f"the fields that profile {name} may know"
        for name in before.recipients
        if _links(before, name) != _links(after, name)
    ]
    problems += [f"the kind of {name}" for name in kinds]
    if problems:
        raise NotAdmitted(
            "Parts of this table have been answered, and the history counts them by the "
            "quasi-identifiers.",
            code="already-shown",
            found=f"The change concerns {', '.join(problems)}.",
            attempt="conditions, hierarchies and sensitivity, which may change; or another gate, "
            "whose recipients have not seen this one's answers.",
        )


def _changed_kinds(gate: Gate, table: str, before: Policy, after: Policy) -> list[str]:
    """The fields that would be read as another kind: text or a number, by their values or by the
    policy."""
    source, terms_of = gate.settings.tables[table].source, gate.settings.terms_of
    old, new = (
        known_from(source, protected=is_protected_to_some(each, terms_of))
        for each in (before, after)
    )
    if old is not new:
        return list(before.fields)
    return changed_kinds(before, after) if new is KnownFrom.POLICY else []


def _sort(policy: Policy, name: str) -> str:
    """Known, shown as it is, or never shown."""
    role = policy.fields[name].role
    if role in (Role.SENSITIVE, Role.INSENSITIVE):
        return "shown"
    return "known" if role is Role.QUASI else "never"


def _links(policy: Policy, profile: str) -> dict[str, bool] | None:
    found = policy.recipients.get(profile)
    return None if found is None else {name: found.links_on(name) > 0 for name in policy.fields}


def _as_text(gate: Gate, table: str, laid: Mapping[str, Any]) -> str:
    place = gate.settings.tables[table].policy
    return policy_as_toml(policy_from_table(laid, folder=place.parent, name=place.stem))


def _check_files(before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """A policy that is sent over the network names no file but those that are named already."""
    if not _files(after) <= _files(before):
        raise NotAdmitted(
            "A change names a file of the gate's machine.",
            code="not-allowed",
            attempt="a hierarchy that is written out: a tree, prefixes, widths of numbers, parts "
            "of dates.",
        )


def _files(part: Any) -> set[str]:
    """The names of files in a policy: hierarchies that are a text."""
    if isinstance(part, list):
        return set().union(*map(_files, part))
    if not isinstance(part, Mapping):
        return set()
    own = {value for name, value in part.items() if name == "hierarchy" and isinstance(value, str)}
    return own.union(*map(_files, part.values()))
