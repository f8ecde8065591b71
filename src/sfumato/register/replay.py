"""The state of a register after its moves, each checked against the state before it.

A move is believed only as far as its rules allow. The chain must be whole, the author a member with
the role that the kind of move needs, and the signature that of the author's key at that time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from sfumato.accounting import AccountHead, read_head
from sfumato.errors import Mistake, ReleaseBroken, SfumatoError
from sfumato.signatures import VerifyKey

from .agreements import Agreement
from .applications import TRANSITIONS, Application, NotAllowed, application_of, ledger_digest
from .charter import Charter, RegisterRole
from .moves import ChainHead, Move, MoveKind
from .people_links import PeopleLink
from .recipient_links import NamesAre, RecipientLink, pair_of, same_names
from .recipient_names import recipient_key
from .recipients import EVERYBODY, joined_groups, unsettled_pairs
from .registered_release import RegisteredRelease
from .revelations import Revelation

MAY: Final[Mapping[MoveKind, frozenset[RegisterRole]]] = {
    MoveKind.CHARTER: frozenset((RegisterRole.ADMINISTRATOR,)),
    MoveKind.ROTATION: frozenset(RegisterRole),
    MoveKind.RELEASE: frozenset((RegisterRole.CUSTODIAN,)),
    MoveKind.CONFIRMATION: frozenset((RegisterRole.CUSTODIAN, RegisterRole.CHAIR)),
    MoveKind.INCIDENT: frozenset(RegisterRole),
    MoveKind.PEOPLE: frozenset((RegisterRole.CUSTODIAN,)),
    MoveKind.RECIPIENTS: frozenset((RegisterRole.CUSTODIAN,)),
    MoveKind.REVELATION: frozenset(RegisterRole),
    **{
        kind: frozenset().union(*(may for (_, each), may in TRANSITIONS.items() if each is kind))
        for kind in {each for _, each in TRANSITIONS}
    },
}
"""The roles that may make each kind of move; nobody may make any other."""


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
    confirmed: Mapping[str, str] = field(default_factory=dict)
    """Who confirmed an imported release, by its name."""
    recipients: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By group, everybody whom an agreement ever named as its recipient."""
    keys: Mapping[str, frozenset[str]] = field(default_factory=dict, repr=False)
    """By group that holds a release, or that somebody applied for, the keys of its names."""
    links: tuple[RecipientLink, ...] = ()
    """Declarations about two names that look alike, oldest first."""
    declared: Mapping[frozenset[str], NamesAre] = field(default_factory=dict, repr=False)
    """What two names are, by their keys: the newest declaration or agreement about them."""

    @property
    def has_blind_votes(self) -> bool:
        """Whether nobody sees a vote until all are in."""
        return self.charter is None or self.charter.blind

    @property
    def groups(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((EVERYBODY, *(each.group for each in self.releases))))

    @property
    def named_groups(self) -> frozenset[str]:
        """The groups that hold a release, or that somebody applied for."""
        return frozenset((EVERYBODY, *self.keys))

    @property
    def known_names(self) -> dict[str, frozenset[str]]:
        """By group, its recipients; a group is known by its own name, too."""
        return {
            each: self.recipients.get(each, frozenset())
            for each in sorted(self.named_groups - {EVERYBODY})
        }

    def is_settled(self, one: str, other: str) -> bool:
        """Whether somebody declared what two names are."""
        return pair_of(one, other) in self.declared

    def unsettled_names(self, groups: Iterable[str], asking: Iterable[str] = ()) -> list[str]:
        """Names of groups that are judged as one and look like names of others, in words."""
        known = self.known_names | {
            name: self.recipients.get(name, frozenset())
            for each in asking
            for name in each.split("\t")
        }
        inside = {name for each in groups for name in each.split("\t")}
        own = [name for of in inside & known.keys() for name in (of, *known[of])]
        others = [name for of in known.keys() - inside for name in (of, *known[of])]
        return [
            f"{one} looks like {other}, and nobody declared whether they are the same recipient"
            for one, other in unsettled_pairs(own, others, self.is_settled)
        ]

    def joined(self, group: str, asking: Iterable[str] = ()) -> tuple[str, ...]:
        """The group, and all that share a recipient with it: they hold the same. `asking` are
        groups and accounts that a gate answered; a name with tabs is somebody in several groups."""
        members = {**{each: self._keys_of(each) for each in (*asking, group)}, **self.keys}
        if same := same_names(self.declared):
            members = {
                each: frozenset(one for key in keys for one in same.get(key, (key,)))
                for each, keys in members.items()
            }
        return joined_groups(group, members)

    def _keys_of(self, group: str) -> frozenset[str]:
        """The keys of a group's names; a name with tabs is somebody in several groups."""
        return frozenset(map(recipient_key, (*group.split("\t"), *self.recipients.get(group, ()))))

    def holding(self, release: RegisteredRelease) -> RegisterState:
        """The state in which one more release is held."""
        return replace(self, releases=(*self.releases, release)).naming(release.group)

    def naming(self, group: str) -> RegisterState:
        """The state with a group that is named from now on, or has further recipients."""
        return replace(self, keys={**self.keys, group: self._keys_of(group)})

    def linked_on(self, group: str) -> frozenset[str]:
        """The fields that its recipients can link on by any agreement: who can link under one can
        under another, and after both have ended."""
        groups = self.joined(group)
        return frozenset(
            field
            for each in self.applications.values()
            if each.group in groups and each.agreement is not None
            for field in each.agreement.link_on
        )

    def held_by(self, group: str, asking: Iterable[str] = ()) -> tuple[RegisteredRelease, ...]:
        """The holdings of a group: the releases of all groups that share a recipient with it, those
        of everybody, and those that leaked."""
        groups = {*self.joined(group, asking), EVERYBODY}
        return tuple(
            each for each in self.releases if each.group in groups or each.name in self.leaked
        )

    def part_digests(self) -> frozenset[str]:
        """Every part of the ledger that the store must have."""
        kept = {each.digest for each in self.classes.values()}
        return frozenset(kept.union(*(each.parts.values() for each in self.releases)))

    def getting(self, group: str) -> tuple[str, ...]:
        """The groups that hold a release for a group: all of them, where everybody gets it."""
        return self.groups if group == EVERYBODY else (group,)

    def recipients_of(self, release: RegisteredRelease) -> tuple[str, ...]:
        """The recipients of a release: the recipient of its agreement, or its group and all
        recipients of the group where none is recorded; and everybody, since it leaked."""
        about = self.applications.get(self.delivered.get(release.name, ""))
        agreed = about.agreement if about is not None else None
        group = (release.group, *sorted(self.recipients.get(release.group, ())))
        who = group if agreed is None else (agreed.recipient,)
        return (*who, EVERYBODY) if release.name in self.leaked else who

    def is_unconfirmed(self, release: RegisteredRelease) -> bool:
        """Whether only its importer vouches for an imported release."""
        return release.imported and release.name not in self.confirmed

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
        return replace(self._moved(move, _STEPS[kind]), head=move.head)

    def check_about(self, move: Move) -> None:
        """Refuse a move about an application that its state does not allow."""
        self._moved(move, _with_progress)

    def _moved(
        self, move: Move, step: Callable[[RegisterState, Move], RegisterState]
    ) -> RegisterState:
        """The state after a step of a member who may take it."""
        member = self._charter_of(move).members.get(move.author)
        if member is None:
            raise _refused(move, f"The charter has no member {move.author}.")
        if not member.roles & MAY[MoveKind(move.kind)]:
            needed = " or ".join(sorted(MAY[MoveKind(move.kind)]))
            raise _refused(move, f"{move.author} may not make it: it needs the role {needed}.")
        if member.until and move.time[:10] > member.until:
            raise _refused(move, f"{move.author} was a member until {member.until}.")
        if not move.is_signed_by(member.key):
            raise _refused(move, f"The signature is not that of {move.author}.")
        try:
            return step(self, move)
        except NotAllowed as error:
            raise _refused(move, str(error)) from None
        except (KeyError, ValueError, TypeError, AttributeError):
            raise _refused(move, "Its content is not that of such a move.") from None

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
    """Members change; a key is exchanged by its owner alone, and no name is given twice. Votes and
    decisions that nothing was delivered by yet are void, unless applicants alone changed."""
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
    renewed = replace(
        state,
        charter=new,
        gone=state.gone | (old.keys() - new.members.keys()),
        used_keys=state.used_keys | {member.key.number for member in new.members.values()},
    )
    if state.charter is None or new.has_board_of(state.charter):
        return renewed
    return replace(
        renewed,
        applications={
            name: each.under_charter(move, new, ledger=renewed.ledger_of(each.group))
            for name, each in state.applications.items()
        },
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
        raise _refused(move, "The new key is no key to sign with, or was used before.")
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
        raise _refused(
            move,
            "The charter has reviewers: a release is delivered after they approved it, not added.",
        )
    return _holding(state, move, release)


def _holding(state: RegisterState, move: Move, release: RegisteredRelease) -> RegisterState:
    if release.name in {each.name for each in state.releases}:
        raise _refused(move, f"There is a release {release.name} already.")
    if release.digest in {each.digest for each in state.releases if each.group == release.group}:
        raise _refused(move, f"The group {release.group} holds this release already.")
    known = {each.key_check for each in state.releases if each.key_check}
    if release.key_check and known - {release.key_check}:
        raise _refused(move, "Its people were numbered with another key.")
    held = state.holding(release)
    kept = {
        group: KeptClasses(
            digest=digest,
            ledger=held.ledger_of(group),
            apart=tuple(map(str, release.apart.get(group, ()))),
        )
        for group, digest in release.classes.items()
        if release.ledgers.get(group) == held.ledger_of(group)
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
    more = replace(state, applications={**state.applications, made.name: made})
    return more.naming(made.group)


def _with_progress(state: RegisterState, move: Move) -> RegisterState:
    """A move about an application that was made before."""
    assert state.charter is not None
    name = move.facts["application"]
    if name not in state.applications:
        raise NotAllowed("There is no such application.")
    charter, before = state.charter, state.applications[name]
    if move.kind == MoveKind.AGREEMENT:
        state = _with_recipient(state, before.group, Agreement.of_move(move))
    after = before.after(move, charter, ledger=state.ledger_of(before.group))
    return replace(state, applications={**state.applications, name: after})


def _with_recipient(state: RegisterState, group: str, agreement: Agreement) -> RegisterState:
    """A recipient belongs to its group from the first agreement on."""
    named = state.recipients.get(group, frozenset()) | set(agreement.names)
    different = {
        pair_of(name, other): NamesAre.DIFFERENT
        for name in agreement.names
        for other in agreement.not_the_same_as
    }
    more = replace(
        state,
        recipients={**state.recipients, group: named},
        declared={**state.declared, **different},
    )
    return more.naming(group)


def _with_delivery(state: RegisterState, move: Move) -> RegisterState:
    """An approved candidate is delivered, and is in the ledger from then on."""
    about = {"application", "round", "assessment"}
    facts = {name: each for name, each in move.facts.items() if name not in about}
    if not about <= move.facts.keys() or facts["imported"]:
        raise ValueError("no delivery")
    release = RegisteredRelease.of(replace(move, facts=facts))
    after = _holding(_with_progress(state, move), move, release)
    return replace(after, delivered={**state.delivered, release.name: move.facts["application"]})


def _with_incident(state: RegisterState, move: Move) -> RegisterState:
    """The subject of a breach: a list of fields, releases that leaked, or both."""
    facts = {"occurs": [], "unknown": 0, **move.facts}
    keys = {"fields", "releases", "reason", "occurs", "unknown"}
    if facts.keys() != keys or not facts["reason"] or type(facts["unknown"]) is not int:
        raise ValueError("no incident")
    leaked = frozenset(map(str, move.facts["releases"]))
    if not leaked and not move.facts["fields"] and facts["unknown"] < 1:
        raise NotAllowed("It names neither fields nor releases.")
    named = leaked | frozenset(map(str, facts["occurs"]))
    if strange := sorted(named - {each.name for each in state.releases}):
        raise NotAllowed(f"There is no release {strange[0]}.")
    return replace(state, leaked=state.leaked | leaked)


def _with_confirmation(state: RegisterState, move: Move) -> RegisterState:
    """Somebody else than its importer confirms that an imported release is what it is said to be."""
    if move.facts.keys() != {"release", "digest", "reason"} or not move.facts["reason"]:
        raise ValueError("no confirmation")
    name = move.facts["release"]
    found = next((each for each in state.releases if each.name == name), None)
    if found is None or not found.imported:
        raise NotAllowed(f"No release {name} was imported.")
    if name in state.confirmed:
        raise NotAllowed(f"{state.confirmed[name]} confirmed it before.")
    if move.author == found.author:
        raise NotAllowed(f"{move.author} imported it, and somebody else confirms it.")
    if move.facts["digest"] != found.digest:
        raise NotAllowed("It is another release than the one that was imported.")
    return replace(state, confirmed={**state.confirmed, name: move.author})


def _with_people(state: RegisterState, move: Move) -> RegisterState:
    """Sources that are declared to be about the same people; a later record of a name replaces it."""
    link = PeopleLink.of(move)
    return replace(state, people={**state.people, link.name: link})


def _with_recipients(state: RegisterState, move: Move) -> RegisterState:
    """Two names that look alike are declared to be one recipient, or two."""
    link = RecipientLink.of(move)
    return replace(
        state, links=(*state.links, link), declared={**state.declared, link.pair: link.are}
    )


def _with_revelation(state: RegisterState, move: Move) -> RegisterState:
    assert state.charter is not None
    before = state.revelations.get(move.facts["revelation"])
    after = Revelation.of(move) if before is None else before.after(move, state.charter)
    return replace(state, revelations={**state.revelations, after.name: after})


_STEPS: Final = {
    MoveKind.PEOPLE: _with_people,
    MoveKind.RECIPIENTS: _with_recipients,
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
    MoveKind.CONFIRMATION: _with_confirmation,
    MoveKind.INCIDENT: _with_incident,
}


def _refused(move: Move, found: str) -> Mistake:
    return Mistake(
        f"The register refused a move of {move.author} ({move.kind}); nothing was recorded.",
        found=found,
    )
