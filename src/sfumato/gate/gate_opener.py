"""Opening a gate: its folder, its key, its tables in the state they have now."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sfumato.engines import Engine, open_source
from sfumato.errors import Mistake, PolicyError, Problem, ReleaseBroken, SourceError, TargetError
from sfumato.policy import Policy
from sfumato.register import Register
from sfumato.releases import key_check, vacuous_rules
from sfumato.releases.identifiers import Key

from .accounts import GateAccounts
from .anchor import RESTORE
from .answer_ledger import AnswerLedger
from .audit import Audit
from .decide.confidentiality import Conditions
from .decide.field_kinds import known_from
from .decide.held_rows import HeldRows
from .decide.linked_tables import accounts_of, link_tables
from .decide.overlaps import check_overlaps
from .decide.protected_table import ProtectedTable
from .departures import without_erased
from .keeper import GateKeeper
from .membership import is_protected_to_some, without_exact_answers
from .noise.shared_account import open_shared_account
from .policy_versions import Policies, Status, Version
from .register_desk import RegisterDesk
from .row_store import RowStore
from .settings import Settings
from .state import GateState
from .state_journal import StateJournal, check_state
from .table_state import read_table_state, write_table_state
from .terms_in_force import settings_in_force
from .validation.synthetic_copy import SyntheticCopies
from .validation.validator import Validator

OWNER_ONLY: Final = 0o700


@dataclass(frozen=True, eq=False, kw_only=True)
class Gate:
    """Everything behind the doors."""

    settings: Settings
    keeper: GateKeeper
    accounts: GateAccounts
    policies: Policies = field(repr=False)
    state: GateState = field(repr=False)
    audit: Audit = field(repr=False)
    rows: RowStore = field(repr=False)
    register: RegisterDesk | None = field(default=None, repr=False)
    validator: Validator = field(repr=False)


@dataclass(frozen=True, eq=False, kw_only=True)
class Office:
    """A gate's folder without its tables: its memory, its audit, its accounts."""

    accounts: GateAccounts
    state: GateState = field(repr=False)
    audit: Audit = field(repr=False)
    secret: bytes = field(repr=False)


@contextmanager
def open_office(settings: Settings) -> Iterator[Office]:
    """Open a gate's folder, for one process at a time."""
    with ExitStack() as opened:
        try:
            settings.folder.mkdir(mode=OWNER_ONLY, parents=True, exist_ok=True)
        except OSError as error:
            raise TargetError(
                f"The gate's folder {settings.folder} cannot be made.", found=f"{error.strerror}."
            ) from None
        audit = Audit(settings.folder / "audit.jsonl", anchor=settings.anchor)
        opened.callback(audit.close)
        secret = _secret(settings, audit)
        audit.seal_with(secret)
        state = GateState(settings.folder / "state.db")
        opened.callback(state.close)
        journal = StateJournal(audit=audit, key=secret)
        check_state(state, journal)
        state.keep_journal(journal)
        opened.callback(_know_end, state)
        accounts = GateAccounts(state, session_minutes=settings.session_minutes)
        yield Office(accounts=accounts, state=state, audit=audit, secret=secret)


@contextmanager
def open_gate(settings: Settings) -> Iterator[Gate]:
    """Open a gate's folder, read its tables and check that they are those it has answered about."""
    with open_office(settings) as office:
        state, audit, secret = office.state, office.audit, office.secret
        settings = settings_in_force(settings, state, audit)
        policies = Policies(state, settings)
        register, copies = _register(settings), SyntheticCopies.of(settings)
        if register is not None:
            office.accounts.end_with(register.last_day, register.today)
        rows = RowStore(folder=settings.folder, state=state, secret=secret)
        holdings = _holdings(settings, policies, rows, office=office)
        people = [holding.account for holding in holdings.values()]
        keeper = GateKeeper(
            settings=settings,
            holdings={n: without_exact_answers(each, state) for n, each in holdings.items()},
            state=state,
            audit=audit,
            secret=secret,
            shared=open_shared_account(settings, state, people),
            ledger=_answer_ledger(settings, register, state),
        )
        keeper.restore_answers()
        audit.append(
            "opened",
            {"tables": {name: policies.in_force(name).number for name in sorted(holdings)}},
        )
        state.know_end()
        yield Gate(
            settings=settings,
            keeper=keeper,
            accounts=office.accounts,
            policies=policies,
            state=state,
            audit=audit,
            rows=rows,
            register=register,
            validator=Validator(keeper=keeper, copies=copies),
        )
        audit.append("closed", {})


def _register(settings: Settings) -> RegisterDesk | None:
    """The register, every move of it checked, where the gate has one."""
    if settings.register is None:
        return None
    desk = RegisterDesk(register=Register(settings.register))
    desk.state()
    return desk


def _answer_ledger(
    settings: Settings, desk: RegisterDesk | None, state: GateState
) -> AnswerLedger | None:
    """The register as it judges exact answers; its people must be known by the gate's key."""
    if desk is None:
        return None
    key = None if settings.people_key is None else Key.from_file(settings.people_key)
    known = {each.key_check for each in desk.state().releases if each.key_check}
    if key is not None and known and key_check(key) not in known:
        raise Mistake(
            "A gate was to be opened with a register.",
            found="The releases of the register were made with another key than people_key.",
            attempt="the key that was given to `sfumato release --key`.",
        )
    return AnswerLedger(register=desk.register, key=key, state=state)


def _know_end(state: GateState) -> None:
    """A closed gate's state knows where its audit ends; where the disk is full, it knows an earlier
    line."""
    with suppress(TargetError):
        state.know_end()


def _secret(settings: Settings, audit: Audit) -> bytes:
    """The gate's secret, made with its folder. An audit whose key is gone cannot be held against
    anything."""
    path = settings.folder / "gate.key"
    if path.exists():
        return gate_secret(path)
    if audit.beside.path.exists():
        raise ReleaseBroken(
            f"The gate's key {path} is missing.",
            found="Its audit was written with it.",
            attempt=RESTORE,
        )
    return Key.create_file(path).digest(b"gate")


def gate_secret(path: Path) -> bytes:
    """The gate's secret, from its key."""
    return Key.from_file(path).digest(b"gate")


def read_rows(settings: Settings, name: str, policy: Policy) -> HeldRows:
    """Read a table's rows as they are now, under a policy."""
    table = settings.tables[name]
    _check_levels(policy)
    _check_decided(policy)
    named = {"table": table.table} if table.table else {}
    with open_source(table.source, policy=policy, **named) as engine:
        _check_rules(policy, engine)
        return HeldRows.read(engine, policy)


def table_of_rows(
    settings: Settings, name: str, policy: Policy, rows: HeldRows, secret: bytes
) -> ProtectedTable:
    """A table under a policy, by itself."""
    table = settings.tables[name]
    kinds = known_from(table.source, protected=is_protected_to_some(policy, settings.terms_of))
    return ProtectedTable.of_rows(
        rows, policy, name=name, coarsest=table.coarsest, kinds=kinds, secret=secret
    )


def kept_rows(rows: HeldRows, table: ProtectedTable) -> HeldRows:
    """Rows as they are kept: with the kinds that fields have, and the one row of each person."""
    alone = table.alone
    read_as = {name: held.kind for name, held in alone.fields.items()}
    return replace(rows, read_as=read_as, stands=alone.stands)


def _check_rules(policy: Policy, engine: Engine) -> None:
    """A rule that any bin meets would let every answer through."""
    problems = list(vacuous_rules(policy, engine))
    if problems:
        raise PolicyError(problems, name=f"Policy {policy.name}")


def _check_levels(policy: Policy) -> None:
    """An answer may be as fine as its bin allows, so a finest level would not be kept."""
    problems = [
        Problem(
            where=f"fields.{name}.finest",
            found="The gate answers at any level that its bins allow, and keeps to no finest one.",
            attempt="a hierarchy whose values are those labels, or leaving finest out.",
        )
        for name, decided in policy.fields.items()
        if decided.finest is not None
    ]
    if problems:
        raise PolicyError(problems, name=f"Policy {policy.name}")


def _check_decided(policy: Policy) -> None:
    """A release of an undecided policy is a candidate that a person looks at. An answer is not: it
    is given at once."""
    problems = [
        Problem(
            where=f"fields.{name}.open",
            found="Nobody has decided what this field is.",
            attempt="deciding its role, and deleting open = true.",
        )
        for name, decided in policy.fields.items()
        if decided.open
    ]
    if policy.proposed:
        found = "A survey proposed this policy, and no person has confirmed it."
        attempt = "reading it, correcting it, and deleting proposed = true."
        problems.append(Problem(where="proposed", found=found, attempt=attempt))
    if problems:
        raise PolicyError(problems, name=f"Policy {policy.name}")


def _holdings(
    settings: Settings, policies: Policies, store: RowStore, *, office: Office
) -> dict[str, ProtectedTable]:
    """Every table under the policy that holds: its file's, where that is new and stricter, or the
    one that held before. Tables about the same people are judged together. Where something was
    answered, the rows are those that were answered from."""
    changed = {name: policies.from_file(name) for name in settings.tables}
    read: dict[str, ProtectedTable] = {}
    fresh: dict[str, HeldRows] = {}
    for name, new in changed.items():
        version = (
            new if new is not None and new.status is Status.IN_FORCE else policies.in_force(name)
        )
        policy = policies.read(name, version)
        held = _is_held(name, settings, policies, store, office=office)
        if not held or version is new:  # A new policy is checked against the source.
            fresh[name] = read_rows(settings, name, policy)
        if held:
            fresh.pop(name, None)
            rows = store.read(name)
        else:
            account = office.state.fact(_account_fact(name)) or name
            rows = without_erased(fresh[name], office.state, account, office.secret)
            fresh[name] = rows
        read[name] = table_of_rows(settings, name, policy, rows, office.secret)
        Conditions(holding=read[name], policy=policy).models  # noqa: B018 - what the gate cannot judge is told now
    linked = link_by_people(read, settings)
    _check_accounts(linked.values(), office=office)
    for holding in linked.values():
        _check_same(holding, policies, office=office)
    written = {
        name: store.write(name, kept_rows(rows, linked[name]))
        for name, rows in fresh.items()
        if settings.reload
    }
    for name, holding in linked.items():
        _note_policy(holding, changed[name], policies, office=office)
    with office.state.changing():
        for name, fact in written.items():
            store.name(name, fact)
            note_time(office.state, linked[name].account)
    store.clean()
    return linked


def note_time(state: GateState, account: str) -> None:
    """The rows of an account were read now."""
    before = read_table_state(state, account)
    as_of = datetime.now(UTC).isoformat(timespec="seconds")
    write_table_state(state, account, replace(before, as_of=as_of))


def _is_held(
    name: str, settings: Settings, policies: Policies, store: RowStore, *, office: Office
) -> bool:
    """Whether something was answered from rows of a table that the gate keeps."""
    account = office.state.fact(_account_fact(name)) or name
    return settings.reload and store.has(name) and policies.was_shown(account)


def link_by_people(
    tables: Mapping[str, ProtectedTable], settings: Settings
) -> dict[str, ProtectedTable]:
    """Tables about the same people with their joint bins; others as they are. Beside other tables,
    each must say by which key its people are known."""
    people = {name: settings.tables[name].people for name in tables}
    accounts = list(accounts_of(tables, people))
    problems = [
        Problem(
            where=f"tables.{table.name}",
            found="Its policy names no person key, and this gate has other tables: the gate "
            "cannot tell whether they are about the same people.",
            attempt='entity with the field of the person key; or people = "NAME" where the table '
            "is about other people.",
        )
        for _, those in accounts
        for table in those
        if len(those) > 1 and not table.has_person_key
    ]
    if problems:
        raise PolicyError(problems, name="The gate")
    out: dict[str, ProtectedTable] = {}
    for account, those in accounts:
        if len(those) == 1:
            out[those[0].name] = those[0]
        else:
            out |= link_tables(account, those)
    if len(accounts) > 1:
        check_overlaps(out)
    return {name: out[name] for name in tables}


def _check_same(holding: ProtectedTable, policies: Policies, *, office: Office) -> None:
    """A table must be the one that was answered about, beside the same other tables."""
    name, known = holding.name, office.state.fact(fact_of(holding.name))
    told = fingerprint(holding, office.secret)
    accounts = {holding.account, office.state.fact(_account_fact(name)) or name}
    if known != told and any(policies.was_shown(each) for each in accounts):
        raise SourceError(
            f"Table {name!r} is not the one that this gate has answered about.",
            found="Its rows, its hierarchies, the roles or kinds of its fields, or the "
            "tables about the same people have changed since; answers about the old "
            "and the new state could be subtracted.",
            attempt="the fields, roles, hierarchies and tables of before. Rows may change where "
            "reload = true was set before anything was answered.",
        )


def _note_policy(
    holding: ProtectedTable, changed: Version | None, policies: Policies, *, office: Office
) -> None:
    name, state = holding.name, office.state
    with state.changing():
        state.state_fact(fact_of(name), fingerprint(holding, office.secret))
        state.state_fact(_account_fact(name), holding.account)
        if changed is not None:
            policies.put(changed)
    if changed is not None:
        why = "The file was changed." if changed.after else "It is the first version."
        facts = {"table": name, "version": changed.number, "changed": changed.says, "why": why}
        office.audit.append(f"policy {changed.status.value}", {"who": changed.by, **facts})


def _check_accounts(tables: Collection[ProtectedTable], *, office: Office) -> None:
    """A table that is new here may be about people of one that was answered about and is gone: a
    new state under another name. Answers of the old one would no longer count."""
    shown = {name for (name,) in office.state.all("SELECT DISTINCT holding FROM exposures")}
    gone = sorted(shown - {table.account for table in tables})
    new = sorted(table.name for table in tables if office.state.fact(fact_of(table.name)) is None)
    if gone and new:
        raise SourceError(
            f"This gate has answered about {', '.join(gone)}, now missing among its tables, "
            f"and not about {', '.join(new)}.",
            found="If both are about the same people, answers about the one and the other could be "
            "subtracted.",
            attempt="the old table beside the new one, linked by a person key; or another folder "
            "for a gate whose recipients have not seen the old one.",
        )


def _account_fact(table: str) -> str:
    """Under which name the state keeps the account of a table."""
    return f"account of {table}"


def fact_of(table: str) -> str:
    """Under which name the state keeps a table's fingerprint."""
    return f"holding {table}"


def fingerprint(holding: ProtectedTable, secret: bytes) -> str:
    """A keyed digest of everything that answers depend on: it shows whether something changed, and
    not what."""
    told = hashlib.blake2b(key=secret[:32])
    for name, held in holding.fields.items():
        told.update(repr((name, held.role, held.kind)).encode())
        told.update(repr(held.values).encode())
        told.update(held.codes.tobytes())
    for name, hierarchy in holding.hierarchies.items():
        told.update(repr((name, hierarchy.labels)).encode())
    told.update(holding.person_of.tobytes())
    if holding.links is not None:
        told.update(repr((holding.links.account, holding.links.fields)).encode())
        told.update(holding.links.own.tobytes())
        told.update(holding.links.unit.tobytes())
        told.update(holding.links.person.tobytes())
    return told.hexdigest()
