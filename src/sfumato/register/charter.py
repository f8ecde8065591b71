"""The charter: the members of the register, their keys and roles, and the requirement of the
ledger.

A charter is a TOML file that a person writes. The register keeps each version as a signed move:
members change with it, and nobody's key is exchanged by anybody else."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Self

from sfumato.accounting import PrivacyLimit
from sfumato.errors import Mistake, SfumatoError
from sfumato.signatures import VerifyKey

from .agreements import is_day
from .ledger_verdict import LedgerRequirement

MOST_DAYS: Final = 36_500


class RegisterRole(StrEnum):
    """The rights of a member: administrators change the charter, applicants ask, makers make
    candidates, reviewers vote, the chair decides, custodians deliver and import."""

    ADMINISTRATOR = "administrator"
    APPLICANT = "applicant"
    MAKER = "maker"
    REVIEWER = "reviewer"
    CHAIR = "chair"
    CUSTODIAN = "custodian"


@dataclass(frozen=True, kw_only=True)
class CharterMember:
    """Somebody who may sign moves, until the end of a day where one is given."""

    key: VerifyKey
    roles: frozenset[RegisterRole]
    until: str = ""


@dataclass(frozen=True, kw_only=True)
class Charter:
    """Members by name, the requirement of the ledger, and the rules of the board. These are how
    many reviewers vote, how many must approve (`quorum`, 0 for all), and whether nobody sees a vote
    until all are in (`blind`). They are also whether the policy is approved before its result
    (`policy_first`), the days to answer, and the days for which a decision holds."""

    members: Mapping[str, CharterMember]
    ledger: LedgerRequirement
    reviewers: int = 2
    quorum: int = 0
    blind: bool = True
    policy_first: bool = True
    answer_days: int = 30
    valid_days: int = 365
    privacy: PrivacyLimit | None = None
    """The most that private noise about these people may cost one of them, over everything."""
    name: str = field(default="", compare=False)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a file, and report everything that is wrong with it at once."""
        place = Path(path)
        try:
            with place.open("rb") as file:
                table = tomllib.load(file)
        except OSError as error:
            raise Mistake(
                f"A charter was expected in {place}.", found=f"{error.strerror}."
            ) from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError):
            raise Mistake(
                f"A charter was expected in {place}.",
                found="It is not TOML.",
                attempt="the example in docs/register.md.",
            ) from None
        return cls.of(table, name=str(place))

    @classmethod
    def of(cls, table: Mapping[str, Any], *, name: str = "") -> Self:
        """A charter from its file, or from a move."""
        problems = list(_problems(table))
        if problems:
            raise Mistake(
                f"The charter {name} has problems." if name else "The charter has problems.",
                found=" ".join(problems),
                attempt="the example in docs/register.md.",
            )
        return cls(
            members={
                str(who): CharterMember(
                    key=VerifyKey.read(str(member["key"])),
                    roles=frozenset(map(RegisterRole, member["roles"])),
                    until=str(member.get("until", "")),
                )
                for who, member in table["members"].items()
            },
            ledger=LedgerRequirement(**table["ledger"]),
            **{key: table[key] for key in (*_NUMBERS, *_FLAGS) if key in table},
            privacy=PrivacyLimit(**table["privacy"]) if "privacy" in table else None,
            name=name,
        )

    def as_table(self) -> dict[str, Any]:
        """The charter as it is in a move."""
        return {
            "reviewers": self.reviewers,
            **({"quorum": self.quorum} if self.quorum else {}),
            "blind": self.blind,
            "policy_first": self.policy_first,
            "answer_days": self.answer_days,
            "valid_days": self.valid_days,
            "ledger": vars(self.ledger),
            **({} if self.privacy is None else {"privacy": vars(self.privacy)}),
            "members": {
                who: {"key": member.key.line, "roles": sorted(member.roles)}
                | ({"until": member.until} if member.until else {})
                for who, member in sorted(self.members.items())
            },
        }

    @property
    def needed(self) -> int:
        """How many reviewers must approve."""
        return self.quorum or self.reviewers

    def has_board_of(self, other: Charter) -> bool:
        """Whether it has the rules and the members of another one, applicants aside."""
        return self._board() == other._board()

    def _board(self) -> dict[str, Any]:
        table = self.as_table()
        only = [RegisterRole.APPLICANT.value]
        members = {who: each for who, each in table["members"].items() if each["roles"] != only}
        return {**table, "quorum": self.needed, "members": members}

    def having(self, role: RegisterRole) -> tuple[str, ...]:
        return tuple(sorted(who for who, each in self.members.items() if role in each.roles))


_NUMBERS: Final = {"reviewers": 2, "quorum": 1, "answer_days": 30, "valid_days": 365}
_FLAGS: Final = ("blind", "policy_first")
_KEYS: Final = {*_NUMBERS, *_FLAGS, "ledger", "privacy", "members"}


def _problems(table: Mapping[str, Any]) -> Iterator[str]:
    """Everything that is wrong with a charter, in words; no key is repeated."""
    if strange := sorted(set(table) - _KEYS):
        yield f"It has keys that no charter has: {', '.join(strange)}."
    for name, usual in _NUMBERS.items():
        number = table.get(name, usual)
        if type(number) is not int or not 1 <= number <= MOST_DAYS:
            yield f"{name} is no whole number from 1 to {MOST_DAYS:,}."
    for name in _FLAGS:
        if type(table.get(name, True)) is not bool:
            yield f"{name} is neither true nor false."
    yield from _ledger_problems(table.get("ledger"))
    if "privacy" in table:
        yield from _privacy_problems(table["privacy"])
    members = table.get("members")
    if not isinstance(members, dict) or not members:
        yield "It has no [members.NAME]."
        return
    lines: dict[str, str] = {}
    for who, member in members.items():
        for problem in _member_problems(member):
            yield f"members.{who}: {problem}"
        line = member.get("key") if isinstance(member, dict) else None
        if isinstance(line, str) and lines.setdefault(line, who) != who:
            yield f"members.{who}: it has the key of {lines[line]}."
    if not any(_has(member, RegisterRole.ADMINISTRATOR) for member in members.values()):
        yield "Nobody is administrator."
    voting = sum(_has(member, RegisterRole.REVIEWER) for member in members.values())
    wanted = table.get("reviewers", 2)
    if type(wanted) is int and voting and voting < wanted:
        yield f"It has {voting} of the {wanted} reviewers that it asks for."
    quorum = table.get("quorum", 1)
    if type(wanted) is int and type(quorum) is int and quorum > wanted:
        yield f"quorum is above the {wanted} reviewers that vote."


def _ledger_problems(ledger: object) -> Iterator[str]:
    if not isinstance(ledger, dict) or set(ledger) - {"k", "l", "t", "gain"} or "k" not in ledger:
        yield "[ledger] needs k, and may have l, t and gain."
        return
    wrong = [
        name
        for name, number in ledger.items()
        if type(number) is not int and (name in ("k", "l") or type(number) is not float)
    ]
    if wrong:
        yield f"[ledger] {', '.join(wrong)}: no such number."
        return
    try:
        LedgerRequirement(**ledger)
    except SfumatoError as error:
        yield f"[ledger] {error.found}"


def _privacy_problems(privacy: object) -> Iterator[str]:
    wrong = "[privacy] needs epsilon above 0, and delta between 0 and 1."
    if not isinstance(privacy, dict) or set(privacy) != {"epsilon", "delta"}:
        yield wrong
        return
    try:
        if any(type(number) not in (int, float) for number in privacy.values()):
            raise ValueError("no number")
        PrivacyLimit(**privacy)
    except ValueError:
        yield wrong


def _member_problems(member: object) -> Iterator[str]:
    if not isinstance(member, dict) or set(member) - {"until"} != {"key", "roles"}:
        yield 'it needs key = "ed25519:…" and roles = […], and may have until = "DATE".'
        return
    if "until" in member and not is_day(member["until"]):
        yield 'until is a day in quotes: "2027-06-30".'
    try:
        if not str(member["key"]).startswith("ed25519:"):
            raise Mistake("no key")
        VerifyKey.read(str(member["key"]))
    except SfumatoError:
        yield "its key is no line ed25519:… as `sfumato key --sign` prints."
    known = {role.value for role in RegisterRole}
    roles = member["roles"]
    if not isinstance(roles, list) or not roles or not all(each in known for each in roles):
        yield f"roles are some of {', '.join(sorted(known))}."


def _has(member: object, role: RegisterRole) -> bool:
    roles = member.get("roles") if isinstance(member, dict) else None
    return isinstance(roles, list) and role in roles
