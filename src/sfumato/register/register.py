"""The register: what was released about the same people, to whom, and who recorded it.

A register is a folder with one store. Whoever records something signs it. Before a release is
added, the ledger judges everything that its group would hold, in the transaction that records it:
two releases that pass one by one cannot both be added where they fail together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Self

from sfumato.errors import Mistake, ReleaseBroken
from sfumato.releases import PeopleRecord
from sfumato.signatures import SigningKey

from .applications import Application, ApplicationState, SealedVote, VoteWord
from .charter import Charter
from .group_holdings import PartsBeside, check_verdicts, enter_release, judge_groups
from .incidents import IncidentExposure, exposures
from .ledger import LedgerVerdict
from .moves import ChainHead, Move, MoveKind
from .release_checks import (
    check_names,
    check_record,
    check_unbroken,
    file_digest,
    read_record,
    release_digest,
)
from .replay import RegisterState, replayed
from .store import RegisterStore

STORE: Final = "register.db"
Clock = Callable[[], datetime]


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True)
class Author:
    """Who makes a move: a member's name, and that member's key."""

    name: str
    key: SigningKey = field(repr=False)


class Register:
    """An open register. `clock` is for tests."""

    def __init__(self, folder: str | Path, *, clock: Clock = _now) -> None:
        self.folder = Path(folder)
        self._store = RegisterStore(self.folder / STORE)
        self._clock = clock

    @classmethod
    def create(
        cls, folder: str | Path, charter: Charter, *, author: Author, clock: Clock = _now
    ) -> Self:
        """Make a new register with its charter, signed by an administrator."""
        place = Path(folder)

        def first(head: ChainHead) -> Move:
            move = _signed(MoveKind.CHARTER, charter.as_table(), author, head, clock)
            RegisterState().after(move)
            return move

        try:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise Mistake(
                f"A register was to be made in {place}.", found=f"{error.strerror}."
            ) from None
        RegisterStore.create(place / STORE, first)
        return cls(place, clock=clock)

    def state(self) -> RegisterState:
        """What all moves add up to, each checked."""
        return replayed(self._store.moves())

    def moves(self) -> tuple[Move, ...]:
        return tuple(self._store.moves())

    def change_charter(self, charter: Charter, *, author: Author) -> ChainHead:
        """Another charter: members come and go, and the ledger may require more or less."""
        return self._append(MoveKind.CHARTER, charter.as_table(), author=author)

    def rotate(self, new: SigningKey, *, author: Author) -> ChainHead:
        """Exchange the author's key; signed with the old one."""
        return self._append(MoveKind.ROTATION, {"key": new.public.line}, author=author)

    def add(
        self,
        release: str | Path,
        *,
        group: str,
        author: Author,
        people: PeopleRecord | str | Path | None = None,
        name: str = "",
        imported: bool = False,
    ) -> Mapping[str, LedgerVerdict]:
        """Record a release that a group gets, and judge all that is then held, by group.

        CandidateFailed, and nothing is recorded, where that breaks what the charter requires. With
        `imported`, the release left before: it is recorded whatever it breaks, and may lack its
        people record; then no group that holds it passes any more."""
        check_record(people, imported=imported)
        return self._record(
            MoveKind.RELEASE,
            release,
            people,
            author=author,
            group=lambda _: group,
            name=name,
            imported=imported,
        )

    def apply(self, application: str, *, group: str, purpose: str, author: Author) -> ChainHead:
        """Ask for data for a purpose, in the name of a group."""
        check_names(application, group)
        facts = {"application": application, "group": group, "purpose": purpose}
        return self._append(MoveKind.APPLICATION, facts, author=author)

    def submit(
        self,
        application: str,
        release: str | Path,
        *,
        people: PeopleRecord | str | Path,
        agreement: str | Path,
        agreed_until: str,
        author: Author,
    ) -> Mapping[str, LedgerVerdict]:
        """Submit a candidate, with the agreement under which it would be delivered. Earlier votes
        and decisions about the application are void.

        The ledger judges what the group would then hold; CandidateFailed where that breaks what the
        charter requires."""
        place = Path(release)
        digest = release_digest(place)
        record = read_record(people, digest)
        check_unbroken(place, digest)
        facts = {
            "application": application,
            "candidate": digest,
            "agreement": file_digest(Path(agreement)),
            "agreed_until": agreed_until,
        }
        with self._store.writing() as writing:
            state = replayed(writing.moves())
            move = _signed(MoveKind.SUBMISSION, facts, author, state.head, self._clock)
            after = state.after(move)
            group = after.applications[application].group
            entry, parts = enter_release(state, writing, record, name=digest, group=group)
            held = replace(after, releases=(*after.releases, replace(entry, digest=digest)))
            verdicts = judge_groups(held, PartsBeside(writing, entry, parts))
            check_verdicts(held, verdicts, group=group, name=place.name)
            writing.append(move)
        return verdicts

    def commit_vote(self, application: str, vote: SealedVote, *, author: Author) -> ChainHead:
        """Vote without anybody seeing it: the register has only its commitment."""
        return self._about(
            MoveKind.COMMITMENT, application, {"commitment": vote.commitment}, author=author
        )

    def open_vote(self, application: str, vote: SealedVote, *, author: Author) -> ChainHead:
        """Open a vote, once all reviewers have committed to theirs."""
        return self._about(MoveKind.VOTE, application, vote.as_facts(), author=author)

    def decide(
        self, application: str, decision: VoteWord, *, reason: str, valid_until: str, author: Author
    ) -> ChainHead:
        """Approve a candidate that every reviewer approved, for some time, or refuse it."""
        facts = {"decision": decision.value, "reason": reason, "valid_until": valid_until}
        return self._about(MoveKind.DECISION, application, facts, author=author)

    def deliver(
        self,
        application: str,
        release: str | Path,
        *,
        people: PeopleRecord | str | Path,
        author: Author,
        name: str = "",
    ) -> Mapping[str, LedgerVerdict]:
        """Deliver an approved candidate: it is in the ledger from then on, which is judged again
        in the same transaction."""

        def group(state: RegisterState) -> str:
            return _needed(state, application).group

        return self._record(
            MoveKind.DELIVERY,
            release,
            people,
            author=author,
            group=group,
            name=name,
            imported=False,
            more=lambda state: {
                "application": application,
                "round": _needed(state, application).round,
            },
        )

    def withdraw(self, application: str, *, reason: str, author: Author) -> ChainHead:
        """End an application. What was delivered stays in the ledger."""
        facts = {"application": application, "reason": reason}
        return self._append(MoveKind.WITHDRAWAL, facts, author=author)

    def due(self, *, days: int = 30) -> tuple[tuple[str, str, str], ...]:
        """Decisions and agreements that have ended or end soon: application, what ends, and when."""
        latest = (self._clock() + timedelta(days=days)).date().isoformat()
        open_states = (ApplicationState.APPROVED, ApplicationState.DELIVERED)
        ends = [
            (each.name, what, when)
            for each in self.state().applications.values()
            if each.state in open_states
            for what, when in (("decision", each.valid_until), ("agreement", each.agreed_until))
            if when <= latest and (what, each.state) != ("decision", ApplicationState.DELIVERED)
        ]
        return tuple(sorted(ends, key=lambda end: end[2]))

    def incident(
        self,
        *,
        reason: str,
        author: Author,
        fields: Sequence[str] = (),
        releases: Sequence[str] = (),
    ) -> tuple[IncidentExposure, ...]:
        """Record a breach: fields of a list that somebody got, or releases that leaked. By group,
        the releases in which it can occur, and how many people can be found now."""
        facts = {"fields": list(fields), "releases": list(releases), "reason": reason}
        self._append(MoveKind.INCIDENT, facts, author=author)
        return tuple(exposures(self.state(), self._store, fields))

    def _about(
        self, kind: MoveKind, application: str, facts: Mapping[str, Any], *, author: Author
    ) -> ChainHead:
        """Append a move about the newest submission of an application."""
        with self._store.writing() as writing:
            state = replayed(writing.moves())
            about = {"application": application, "round": _needed(state, application).round}
            move = _signed(kind, {**about, **facts}, author, state.head, self._clock)
            state.after(move)
            writing.append(move)
        return move.head

    def _record(
        self,
        kind: MoveKind,
        release: str | Path,
        people: PeopleRecord | str | Path | None,
        *,
        author: Author,
        group: Callable[[RegisterState], str],
        name: str,
        imported: bool,
        more: Callable[[RegisterState], Mapping[str, Any]] = lambda state: {},
    ) -> Mapping[str, LedgerVerdict]:
        """Put a release into the ledger, and judge all that is then held, in one transaction."""
        place = Path(release)
        digest = release_digest(place)
        record = None if people is None else read_record(people, digest)
        called = name or place.resolve().name
        if not imported:
            check_unbroken(place, digest)
        with self._store.writing() as writing:
            state = replayed(writing.moves())
            to = group(state)
            check_names(called, to)
            entry, parts = enter_release(state, writing, record, name=called, group=to)
            entry = replace(entry, digest=digest, imported=imported)
            facts = {**entry.as_facts(), **more(state)}
            move = _signed(kind, facts, author, state.head, self._clock)
            after = state.after(move)
            verdicts = judge_groups(after, PartsBeside(writing, entry, parts))
            if not imported:
                check_verdicts(after, verdicts, group=to, name=called)
            writing.append(move, parts)
        return verdicts

    def judge(self) -> Mapping[str, LedgerVerdict]:
        """Judge all that each group holds now."""
        return judge_groups(self.state(), self._store)

    def verify(self, *, anchor: str | Path | None = None) -> tuple[ChainHead, str]:
        """Check every move, signature and part; the head, and what was compared with an anchor.

        Without an anchor an older store that was put back is not noticed, and the words say so."""
        kept = None if anchor is None else read_anchor(anchor)
        found: str | None = None
        state = RegisterState()
        moves = self.moves()
        for move in moves:
            if kept is not None and move.number == kept.number:
                found = move.digest
        state = replayed(moves)
        for release in state.releases:
            for digest in release.parts.values():
                self._store.part(digest)
        if kept is None:
            return state.head, "no anchor: an older register that was put back is not noticed"
        if found != kept.digest:
            raise ReleaseBroken(
                f"The register {self.folder} does not belong to its anchor.",
                found=f"It ends with move {state.head.number:,}, and the anchor has move "
                f"{kept.number:,}."
                if found is None
                else f"Move {kept.number:,} differs from the anchored one.",
                attempt="the newest backup: an older register was put back, or another.",
            )
        return state.head, f"the anchor at move {kept.number:,} holds"

    def _append(self, kind: MoveKind, facts: Mapping[str, Any], *, author: Author) -> ChainHead:
        with self._store.writing() as writing:
            state = replayed(writing.moves())
            move = _signed(kind, facts, author, state.head, self._clock)
            state.after(move)
            writing.append(move)
        return move.head


def read_anchor(given: str | Path) -> ChainHead:
    """An anchor from its line, NUMBER:DIGEST, or from a file with that line."""
    text = str(given)
    if ":" not in text or Path(text).is_file():
        try:
            text = Path(given).read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            text = ""
    number, _, digest = text.strip().partition(":")
    if not number.isdigit() or len(digest) != 64:
        raise Mistake(
            "An anchor of the register was to be read.",
            found="There is no number with a digest.",
            attempt="the line that `sfumato register verify` printed, or a file with it.",
        )
    return ChainHead(number=int(number), digest=digest.lower())


def _needed(state: RegisterState, application: str) -> Application:
    found = state.applications.get(application)
    if found is None:
        raise Mistake(
            f"The application {application!r} was asked for.",
            found="There is none of that name.",
            attempt="a name that `sfumato register show` lists.",
        )
    return found


def _signed(
    kind: MoveKind, facts: Mapping[str, Any], author: Author, head: ChainHead, clock: Clock
) -> Move:
    return Move.signed(
        kind,
        facts,
        author=author.name,
        key=author.key,
        after=head,
        time=clock().astimezone(UTC).isoformat(timespec="seconds"),
    )
