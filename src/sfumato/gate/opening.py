"""Opening a gate: its folder, its key, its tables in the state they have now."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sfumato.errors import SourceError, TargetError
from sfumato.policy import read_policy
from sfumato.releases.identifiers import Key
from sfumato.sources import open_source

from .accounts import Accounts
from .audit import Audit
from .confidentiality import Conditions
from .holding import Holding
from .keeper import Keeper
from .settings import Settings
from .state import State

OWNER_ONLY: Final = 0o700


@dataclass(frozen=True, eq=False, kw_only=True)
class Gate:
    """Everything behind the doors."""

    settings: Settings
    keeper: Keeper
    accounts: Accounts
    state: State = field(repr=False)
    audit: Audit = field(repr=False)


@contextmanager
def open_gate(settings: Settings) -> Iterator[Gate]:
    """Open a gate's folder, read its tables and check that they are those it has answered about."""
    with ExitStack() as opened:
        try:
            settings.folder.mkdir(mode=OWNER_ONLY, parents=True, exist_ok=True)
        except OSError as error:
            raise TargetError(
                f"The gate's folder {settings.folder} cannot be made.", found=f"{error.strerror}."
            ) from None
        audit = Audit(settings.folder / "audit.jsonl")
        opened.callback(audit.close)
        state = State(settings.folder / "state.db")
        opened.callback(state.close)
        key = _key(settings.folder / "gate.key")
        secret = key.digest(b"gate")
        holdings = {name: _holding(settings, name, state=state, secret=secret) for name in settings.tables}
        keeper = Keeper(settings=settings, holdings=holdings, state=state, audit=audit, secret=secret)
        accounts = Accounts(state, session_minutes=settings.session_minutes)
        audit.append("opened", {"tables": sorted(holdings)})
        yield Gate(settings=settings, keeper=keeper, accounts=accounts, state=state, audit=audit)
        audit.append("closed", {})


def _key(path: Path) -> Key:
    return Key.from_file(path) if path.exists() else Key.create_file(path)


def _holding(settings: Settings, name: str, *, state: State, secret: bytes) -> Holding:
    table = settings.tables[name]
    policy = read_policy(table.policy)
    with open_source(table.source) as engine:
        holding = Holding.of(engine, policy, name=name, coarsest=table.coarsest)
    Conditions(holding=holding, policy=policy).models  # noqa: B018 - what the gate cannot judge is told now
    told = fingerprint(holding, secret)
    known = state.fact(f"holding {name}")
    if known is not None and known != told:
        raise SourceError(
            f"Table {name!r} is not the one that this gate has answered about.",
            found="Its rows, its fields' roles or its hierarchies have changed since; what was shown of the old state "
            "and what would be shown of the new one could be subtracted.",
            attempt="another name for the new state, and asking the board what recipients of the old one may see.",
        )
    if known is None:
        state.state_fact(f"holding {name}", told)
    return holding


def fingerprint(holding: Holding, secret: bytes) -> str:
    """A keyed digest of everything that answers depend on: it tells whether something changed, and not what."""
    told = hashlib.blake2b(key=secret[:32])
    for name, held in holding.fields.items():
        told.update(repr((name, held.role, held.kind)).encode())
        told.update(repr(held.values).encode())
        told.update(held.codes.tobytes())
    for name, hierarchy in holding.hierarchies.items():
        told.update(repr((name, hierarchy.labels)).encode())
    told.update(holding.person_of.tobytes())
    return told.hexdigest()
