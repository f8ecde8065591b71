"""The account that a gate shares with releases about the same people: a file, or a register.

Every noisy answer is charged there too, before its noise is drawn. It is refused where everything
private about these people would cost more than its limit. The gate remembers the account and its
end: another one, a missing one or an older copy is refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Final

from sfumato.accounting import (
    AccountFile,
    Measurement,
    PrivacyAccount,
    PrivacyLimit,
    read_head,
    read_terms,
)
from sfumato.errors import Mistake, ReleaseBroken

from ..settings import Settings
from ..state import GateState

PLACE: Final = "shared account"
END: Final = "end of the shared account"


@dataclass(frozen=True, eq=False, kw_only=True)
class SharedAccount:
    """One account for the people of a gate and for everything else that is private about them."""

    account: PrivacyAccount
    state: GateState = field(repr=False)

    def left(self) -> Fraction:
        """The rho that is left to everything private together."""
        return self.account.left()

    def charge(self, lines: Sequence[Measurement]) -> bool:
        """Charge lines, inside a change of the gate's state; False where the limit refuses."""
        try:
            self.account.charge(lines)
        except Mistake:
            return False
        self.state.state_fact(END, self.account.head().line())
        return True


def open_shared_account(
    settings: Settings, state: GateState, people: Iterable[str]
) -> SharedAccount | None:
    """The account that gate.toml names, or that of the register that it opens; None where there is
    none."""
    known, given = state.fact(PLACE), settings.account
    if given is None and settings.register is not None and _has_limit(settings.register):
        given = settings.register
    names = sorted(set(people))
    if given is None:
        if known is not None:
            raise _refused(
                f"Its noisy answers are charged to {known}, and gate.toml names no account.",
                attempt=f'account = "{known}".',
            )
        return None
    place = str(given.resolve())
    if known is not None and known != place:
        raise _refused(
            f"Its noisy answers were charged to {known}, and gate.toml names another account.",
            attempt="the account that was charged before.",
        )
    if len(names) > 1:
        raise _refused(
            f"Its tables are about {len(names)} sets of people, and an account is of one.",
            attempt="a gate for each.",
        )
    if known is None and any(state.was_charged(f"everyone of {name}") for name in names):
        raise _refused(
            "It has answered with noise before, and that is not in the account.",
            attempt="another folder for the gate.",
        )
    shared = SharedAccount(account=_account(given, settings), state=state)
    _check_end(shared, state)
    if known is None:
        state.state_fact(PLACE, place)
    return shared


def _has_limit(register: Path) -> bool:
    """Whether the charter of a register limits private noise."""
    terms = read_terms(register)
    return terms is not None and terms.epsilon is not None


def _account(place: Path, settings: Settings) -> PrivacyAccount:
    """The account with its limit: that of a register's charter, or the lifetime of gate.toml."""
    life = settings.lifetime
    terms = read_terms(place)
    epsilon = None if terms is None else terms.epsilon
    if life is None and (terms is None or epsilon is None):
        raise _refused(
            f"The account {place} has no limit, and gate.toml has no lifetime.",
            attempt="[privacy] in the charter of a register, or [lifetime] here.",
        )
    if life is not None and terms is not None and terms.delta != life.delta:
        raise _refused(
            f"The account {place} has another delta than the lifetime, and a person has one.",
            attempt=f"delta = {terms.delta:g} under [lifetime].",
        )
    if life is not None:
        limit = PrivacyLimit(epsilon=life.epsilon, delta=life.delta)
    else:
        assert terms is not None
        assert epsilon is not None
        limit = PrivacyLimit(epsilon=epsilon, delta=terms.delta)
    return PrivacyAccount(limit=limit, file=place)


def _check_end(shared: SharedAccount, state: GateState) -> None:
    """The account still has every charge that this gate knows of."""
    told = state.fact(END)
    account = shared.account
    assert account.file is not None
    charged = AccountFile(account.file, delta=account.limit.delta).read()
    if told is not None and not charged.has(read_head(told)):
        raise ReleaseBroken(
            f"The privacy account {account.file} is not the one that this gate has charged.",
            found="It is gone, or an older copy was put back.",
            attempt="the newest copy; without it, no more may be measured of these people.",
        )


def _refused(found: str, *, attempt: str) -> Mistake:
    return Mistake(
        "A gate was to be opened with its privacy account.", found=found, attempt=attempt
    )
