"""The state of a register after its moves, each checked against the state before it.

A move is believed only as far as its rules allow. The chain must be whole, the author a member with
the role that the kind of move needs, and the signature that of the author's key at that time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

from sfumato.accounting import AccountHead, read_head
from sfumato.errors import Mistake, ReleaseBroken, SfumatoError
from sfumato.signatures import VerifyKey

from .applications import TRANSITIONS, Application, NotAllowed, application_of, ledger_digest
from .charter import Charter, RegisterRole
from .moves import ChainHead, Move, MoveKind
from .people_links import PeopleLink
from .revelations import Revelation

EVERYBODY: Final = "everybody"
"""The group of releases that anybody may have."""
MAY: Final[Mapping[MoveKind, frozenset[RegisterRole]]] = {
    MoveKind.CHARTER: frozenset((RegisterRole.ADMINISTRATOR,)),
    MoveKind.ROTATION: frozenset(RegisterRole),
    MoveKind.RELEASE: frozenset((RegisterRole.CUSTODIAN,)),
    MoveKind.INCIDENT: frozenset(RegisterRole),
    MoveKind.PEOPLE: frozenset((RegisterRole.CUSTODIAN,)),
    MoveKind.REVELATION: frozenset(RegisterRole),
    **{
        kind: frozenset().union(*(may for (_, each), may in TRANSITIONS.items() if each is kind))
        for kind in {each for _, each in TRANSITIONS}
    },
}
"""The roles that may make each kind of move; nobody may make any other."""
_RELEASE_FACTS: Final = {
    "name", "group", "digest", "imported", "key_check", "person", "fields", "overlaps", "sensitive",
    "not_judged", "parts",
}  # fmt: skip
_MORE_FACTS: Final = {"classes", "apart", "private", "account", "answers", "uncounted"}
"""Optional facts of a release."""


@dataclass(frozen=True, kw_only=True)
class RegisteredRelease:
    """A release in the ledger: its name, the group that holds it, the digest of its manifest, and
    the digests of the ledger's parts."""

    name: str
    group: str
    digest: str
    imported: bool
    key_check: str
    person: str
    fields: tuple[str, ...]
    overlaps: tuple[int, ...]
    sensitive: tuple[str, ...]
    not_judged: tuple[str, ...]
    parts: Mapping[str, str] = field(repr=False)
    classes: Mapping[str, str] = field(default_factory=dict, repr=False)
    """By group that gets it, the digest of the joint classes of all that the group then holds."""
    apart: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    """By group, releases without a person in common with those before them."""
    private: bool = False
    """Whether its rows were made with private noise, and count in the account."""
    account: str = ""
    """The end of the register's privacy account when it was recorded."""
    answers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Digests of what gates had shown when it was recorded, by gate and group."""
    uncounted: tuple[str, ...] = ()
    """Released fields that nobody was taken to know, and that are not sensitive."""
    number: int = 0
    time: str = ""

    @property
    def released(self) -> tuple[str, ...]:
        """All fields of its tables that are known of it."""
        return (*self.fields, *self.sensitive, *self.uncounted)

    def as_facts(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "group": self.group,
            "digest": self.digest,
            "imported": self.imported,
            "key_check": self.key_check,
            "person": self.person,
            "fields": list(self.fields),
            "overlaps": list(self.overlaps),
            "sensitive": list(self.sensitive),
            "not_judged": list(self.not_judged),
            "parts": dict(self.parts),
            "classes": dict(self.classes),
            "apart": {group: list(names) for group, names in self.apart.items()},
            "private": self.private,
            "account": self.account,
            "answers": dict(self.answers),
            "uncounted": list(self.uncounted),
        }

    @classmethod
    def of(cls, move: Move) -> Self:
        facts = move.facts
        if facts.keys() - _MORE_FACTS != _RELEASE_FACTS:
            raise ValueError("no release")
        return cls(
            name=str(facts["name"]),
            group=str(facts["group"]),
            digest=str(facts["digest"]),
            imported=facts["imported"] is True,
            key_check=str(facts["key_check"]),
            person=str(facts["person"]),
            fields=tuple(map(str, facts["fields"])),
            overlaps=tuple(map(int, facts["overlaps"])),
            sensitive=tuple(map(str, facts["sensitive"])),
            not_judged=tuple(map(str, facts["not_judged"])),
            parts={str(name): str(digest) for name, digest in facts["parts"].items()},
            classes={str(name): str(each) for name, each in facts.get("classes", {}).items()},
            apart={str(name): tuple(each) for name, each in facts.get("apart", {}).items()},
            private=facts.get("private") is True,
            account=str(facts.get("account", "")),
            uncounted=tuple(map(str, facts.get("uncounted", ()))),
            answers={str(line): str(each) for line, each in facts.get("answers", {}).items()},
            number=move.number,
            time=move.time,
        )


@dataclass(frozen=True, kw_only=True)
class KeptClasses:
    """The joint classes of a group: their digest, and that of what the group held then; `apart` are
    releases without a person in common with those before them."""

    digest: str
    ledger: str
    apart: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RegisterState:
    """Members and releases after some moves. `gone` are names that were in a charter once; none
    is given again. `leaked` are releases that everybody may have since an incident."""

    head: ChainHead = field(default_factory=ChainHead)
    charter: Charter | None = None
    gone: frozenset[str] = frozenset()
    used_keys: frozenset[str] = frozenset()
    releases: tuple[RegisteredRelease, ...] = ()
    applications: Mapping[str, Application] = field(default_factory=dict)
    leaked: frozenset[str] = frozenset()
    people: Mapping[str, PeopleLink] = field(default_factory=dict)
    revelations: Mapping[str, Revelation] = field(default_factory=dict)
    delivered: Mapping[str, str] = field(default_factory=dict)
    """The application by which a release was delivered, by its name."""
    classes: Mapping[str, KeptClasses] = field(default_factory=dict, repr=False)
    account: AccountHead | None = None
    """The newest end of the privacy account that a move knows of."""
    answers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The newest answers of gates that a move knows of: their digests by gate and group."""

    @property
    def groups(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((EVERYBODY, *(each.group for each in self.releases))))

    @property
    def named_groups(self) -> frozenset[str]:
        """The groups that hold a release, or that somebody applied for."""
        return frozenset((*self.groups, *(each.group for each in self.applications.values())))

    def held_by(self, group: str) -> tuple[RegisteredRelease, ...]:
        """The holdings of a group: its own releases, those of everybody, and those that leaked."""
        return tuple(
            each
            for each in self.releases
            if each.group in (group, EVERYBODY) or each.name in self.leaked
        )

    def part_digests(self) -> frozenset[str]:
        """Every part of the ledger that the store must have."""
        kept = {each.digest for each in self.classes.values()}
        return frozenset(kept.union(*(each.parts.values() for each in self.releases)))

    def getting(self, group: str) -> tuple[str, ...]:
        """The groups that hold a release for a group: all of them, where everybody gets it."""
        return self.groups if group == EVERYBODY else (group,)

    def recipients_of(self, release: RegisteredRelease) -> tuple[str, ...]:
        """The recipients of a release: the recipient of its agreement, or its group where none is
        recorded; and everybody, since it leaked."""
        about = self.applications.get(self.delivered.get(release.name, ""))
        agreed = about.agreement if about is not None else None
        first = release.group if agreed is None else agreed.recipient
        return (first, EVERYBODY) if release.name in self.leaked else (first,)

    def ledger_of(self, group: str) -> str:
        """The digest of what a group holds."""
        return digest_of_held(self.held_by(group))

    def after(self, move: Move) -> RegisterState:
        """The state after one more move; Mistake where the move is not allowed."""
        try:
            kind = MoveKind(move.kind)
        except ValueError:
            raise _refused(move, "No register has such a move.") from None
        if not move.follows(self.head):
            raise _refused(move, "It does not follow the move before it.")
        charter = self._charter_of(move)
        member = charter.members.get(move.author)
        if member is None or not member.roles & MAY[kind]:
            raise _refused(move, f"{move.author} may not make it.")
        if member.until and move.time[:10] > member.until:
            raise _refused(move, f"{move.author} was a member until {member.until}.")
        if not move.is_signed_by(member.key):
            raise _refused(move, f"The signature is not that of {move.author}.")
        try:
            state = _STEPS[kind](self, move)
        except NotAllowed as error:
            raise _refused(move, str(error)) from None
        except (KeyError, ValueError, TypeError, AttributeError):
            raise _refused(move, "Its content is not that of such a move.") from None
        return replace(state, head=move.head)

    def _charter_of(self, move: Move) -> Charter:
        """The charter that decides about a move: the first one decides about itself."""
        if self.charter is not None:
            return self.charter
        if move.kind != MoveKind.CHARTER:
            raise _refused(move, "A register begins with its charter.")
        try:
            return Charter.of(move.facts)
        except SfumatoError as error:
            raise _refused(move, error.found) from None


def digest_of_held(releases: Iterable[RegisteredRelease]) -> str:
    """The digest of releases that a group holds together."""
    return ledger_digest({each.name: each.digest for each in releases})


def replayed(moves: Iterable[Move]) -> RegisterState:
    """The state after all moves; ReleaseBroken at the first that was not allowed."""
    state = RegisterState()
    for move in moves:
        try:
            state = state.after(move)
        except Mistake as error:
            raise ReleaseBroken(
                f"The register is not what was written, from move {state.head.number + 1:,} on.",
                found=error.found,
                attempt="restoring it from a backup; moves before that one are as they were.",
            ) from None
    if state.charter is None:
        raise ReleaseBroken("The register is empty.", found="It has no charter.")
    return state


def _with_charter(state: RegisterState, move: Move) -> RegisterState:
    """Members change; a key is exchanged by its owner alone, and no name is given twice."""
    try:
        new = Charter.of(move.facts)
    except SfumatoError as error:
        raise _refused(move, error.found) from None
    old = state.charter.members if state.charter is not None else {}
    for who, member in new.members.items():
        if who in old and old[who].key != member.key:
            raise _refused(move, f"The key of {who} differs; its owner exchanges it with rotate.")
        if who in state.gone:
            raise _refused(move, f"{who} was removed from the charter before.")
        if who not in old and member.key.number in state.used_keys:
            raise _refused(move, f"The key of {who} was used before.")
    return replace(
        state,
        charter=new,
        gone=state.gone | (old.keys() - new.members.keys()),
        used_keys=state.used_keys | {member.key.number for member in new.members.values()},
    )


def _with_rotation(state: RegisterState, move: Move) -> RegisterState:
    """A member's next key, signed with the one before."""
    assert state.charter is not None
    if move.facts.keys() != {"key"}:
        raise ValueError("no rotation")
    key = (
        VerifyKey.read(str(move.facts["key"]))
        if str(move.facts["key"]).startswith("ed25519:")
        else None
    )
    if key is None or key.number in state.used_keys:
        raise _refused(move, "The new key is none, or was used before.")
    old = state.charter.members[move.author]
    members = {**state.charter.members, move.author: replace(old, key=key)}
    return replace(
        state,
        charter=replace(state.charter, members=members),
        used_keys=state.used_keys | {key.number},
    )


def _with_release(state: RegisterState, move: Move) -> RegisterState:
    """A release that is held from now on; where there are reviewers, only one that was delivered or
    imported."""
    assert state.charter is not None
    release = RegisteredRelease.of(move)
    if not release.imported and state.charter.having(RegisterRole.REVIEWER):
        raise _refused(move, "The charter has reviewers: what they approved is delivered.")
    return _holding(state, move, release)


def _holding(state: RegisterState, move: Move, release: RegisteredRelease) -> RegisterState:
    if release.name in {each.name for each in state.releases}:
        raise _refused(move, f"There is a release {release.name} already.")
    if release.digest in {each.digest for each in state.releases if each.group == release.group}:
        raise _refused(move, f"The group {release.group} holds this release already.")
    known = {each.key_check for each in state.releases if each.key_check}
    if release.key_check and known - {release.key_check}:
        raise _refused(move, "Its people were numbered with another key.")
    held = replace(state, releases=(*state.releases, release))
    kept = {
        group: KeptClasses(
            digest=digest,
            ledger=held.ledger_of(group),
            apart=tuple(map(str, release.apart.get(group, ()))),
        )
        for group, digest in release.classes.items()
    }
    account = read_head(release.account) if release.account else state.account
    return replace(
        held,
        classes={**state.classes, **kept},
        account=account,
        answers={**state.answers, **release.answers},
    )


def _with_application(state: RegisterState, move: Move) -> RegisterState:
    made = application_of(move)
    if made.name in state.applications:
        raise NotAllowed(f"There is an application {made.name} already.")
    return replace(state, applications={**state.applications, made.name: made})


def _with_progress(state: RegisterState, move: Move) -> RegisterState:
    """A move about an application that was made before."""
    assert state.charter is not None
    name = move.facts["application"]
    if name not in state.applications:
        raise NotAllowed("There is no such application.")
    before = state.applications[name]
    after = before.after(move, state.charter, ledger=state.ledger_of(before.group))
    return replace(state, applications={**state.applications, name: after})


def _with_delivery(state: RegisterState, move: Move) -> RegisterState:
    """An approved candidate is delivered, and is in the ledger from then on."""
    about = {"application", "round"}
    facts = {name: each for name, each in move.facts.items() if name not in about}
    if not about <= move.facts.keys() or facts["imported"]:
        raise ValueError("no delivery")
    release = RegisteredRelease.of(replace(move, facts=facts))
    after = _holding(_with_progress(state, move), move, release)
    return replace(after, delivered={**state.delivered, release.name: move.facts["application"]})


def _with_incident(state: RegisterState, move: Move) -> RegisterState:
    """The subject of a breach: a list of fields, releases that leaked, or both."""
    facts = {"occurs": [], **move.facts}
    if facts.keys() != {"fields", "releases", "reason", "occurs"} or not facts["reason"]:
        raise ValueError("no incident")
    leaked = frozenset(map(str, move.facts["releases"]))
    if not leaked and not move.facts["fields"]:
        raise NotAllowed("It names neither fields nor releases.")
    named = leaked | frozenset(map(str, facts["occurs"]))
    if strange := sorted(named - {each.name for each in state.releases}):
        raise NotAllowed(f"There is no release {strange[0]}.")
    return replace(state, leaked=state.leaked | leaked)


def _with_people(state: RegisterState, move: Move) -> RegisterState:
    """Sources that are declared to be about the same people; a later record of a name replaces it."""
    link = PeopleLink.of(move)
    return replace(state, people={**state.people, link.name: link})


def _with_revelation(state: RegisterState, move: Move) -> RegisterState:
    assert state.charter is not None
    before = state.revelations.get(move.facts["revelation"])
    after = Revelation.of(move) if before is None else before.after(move, state.charter)
    return replace(state, revelations={**state.revelations, after.name: after})


_STEPS: Final = {
    MoveKind.PEOPLE: _with_people,
    MoveKind.REVELATION: _with_revelation,
    MoveKind.CHARTER: _with_charter,
    MoveKind.ROTATION: _with_rotation,
    MoveKind.RELEASE: _with_release,
    MoveKind.APPLICATION: _with_application,
    MoveKind.AGREEMENT: _with_progress,
    MoveKind.PROPOSAL: _with_progress,
    MoveKind.SUBMISSION: _with_progress,
    MoveKind.COMMITMENT: _with_progress,
    MoveKind.VOTE: _with_progress,
    MoveKind.DECISION: _with_progress,
    MoveKind.DELIVERY: _with_delivery,
    MoveKind.WITHDRAWAL: _with_progress,
    MoveKind.INCIDENT: _with_incident,
}


def _refused(move: Move, found: str) -> Mistake:
    return Mistake(f"Move {move.number:,} ({move.kind}) was refused by the register.", found=found)
