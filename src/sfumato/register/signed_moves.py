"""Signed moves of an open register: made by their authors, checked against its state, and appended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from sfumato.errors import Mistake
from sfumato.keys import Key
from sfumato.releases import PeopleRecord
from sfumato.signatures import SigningKey

from .applications import Application
from .deadlines import day_of
from .group_holdings import (
    PartsBeside,
    check_verdicts,
    comparable,
    enter_release,
    judgements,
)
from .ledger_verdict import LedgerVerdict
from .moves import ChainHead, Move, MoveKind
from .recipients import check_group
from .release_checks import check_names, check_people, check_unbroken
from .release_content import charge_release, read_content
from .replay import RegisterState, replayed
from .store import RegisterStore, RegisterTransaction, part_digest

STORE: Final = "register.db"
Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True)
class Author:
    """The author of a move: a member's name, and that member's key."""

    name: str
    key: SigningKey = field(repr=False)


class SignedMoves:
    """An open register's store and its moves. `clock` is for tests."""

    def __init__(self, folder: str | Path, *, clock: Clock = utc_now) -> None:
        self.folder = Path(folder)
        self._store = RegisterStore(self.folder / STORE)
        self._clock = clock

    def state(self) -> RegisterState:
        """The state after all moves, each checked."""
        return replayed(self._store.moves())

    def moves(self) -> tuple[Move, ...]:
        return tuple(self._store.moves())

    def today(self) -> str:
        """The day, and no earlier than that of the newest move."""
        return day_of(self._clock(), self.state())

    def ahead(self) -> str:
        """The day of the newest move, where this machine's clock is before it; else nothing. Ends
        are counted from that day: a clock that was wrong once may have ended everything."""
        day = self.state().head.time[:10]
        return day if day > self._clock().date().isoformat() else ""

    def _time(self) -> str:
        return self._clock().astimezone(UTC).isoformat(timespec="seconds")

    def _allowed(
        self, kind: MoveKind, facts: Mapping[str, Any], author: Author, state: RegisterState
    ) -> Move:
        """A move that the state allows."""
        move = signed_move(kind, facts, author, state.head, self._clock)
        state.after(move)
        return move

    def _append(
        self,
        kind: MoveKind,
        facts: Mapping[str, Any],
        *,
        author: Author,
        check: Callable[[RegisterState], None] = lambda state: None,
    ) -> ChainHead:
        with self._store.writing() as writing:
            state = replayed(writing.moves())
            check(state)
            move = self._allowed(kind, facts, author, state)
            writing.append(move)
            set_limit(writing, state.after(move))
        return move.head

    def _append_about(
        self, kind: MoveKind, application: str, facts: Mapping[str, Any], *, author: Author
    ) -> ChainHead:
        """Append a move about the newest submission of an application."""
        with self._store.writing() as writing:
            state = replayed(writing.moves())
            about = {"application": application, "round": needed(state, application).round}
            move = self._allowed(kind, {**about, **facts}, author, state)
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
        key: Key | None = None,
        more: Callable[[RegisterState], Mapping[str, Any]] = lambda state: {},
        check: Callable[[RegisterState, Mapping[str, LedgerVerdict]], None] = lambda *_: None,
    ) -> Mapping[str, LedgerVerdict]:
        """Put a release into the ledger, and judge all that is then held, in one transaction.
        `check` may refuse the verdicts."""
        place = Path(release)
        content = read_content(place, people, imported=imported, key=key)
        called = name or place.resolve().name
        if content.manifest:
            check_unbroken(place, content.digest)
            check_people(place, content.record, content.manifest)
        with self._store.writing() as writing:
            state = replayed(writing.moves())
            to = group(state)
            check_names(called, to)
            check_group(to, state.known_names, state.is_settled)
            assert state.charter is not None
            if imported:
                content = comparable(content, state)
            entry, parts = enter_release(
                state, writing, content, name=called, group=to, imported=imported
            )
            limit = state.charter.privacy
            charge_release(writing.account(), content, limit, imported=imported)
            charged = writing.charges()
            entry = replace(
                entry,
                account="" if charged is None else charged.head.line(),
                answers=writing.answers(),
            )
            held = state.holding(entry)
            judged = judgements(held, PartsBeside(writing, entry, parts), held.getting(to))
            verdicts = {each: one.verdict for each, one in judged.items()}
            kept = {each: one.classes.class_of for each, one in judged.items() if one.is_signed}
            entry = replace(
                entry,
                classes={each: part_digest(array) for each, array in kept.items()},
                ledgers={each: held.ledger_of(each) for each in kept},
                apart={each: one.apart for each, one in judged.items() if one.apart},
            )
            facts = {**entry.as_facts(), **more(state)}
            move = signed_move(kind, facts, author, state.head, self._clock)
            after = state.after(move)
            if not imported:
                check_verdicts(verdicts, group=to, name=called)
            check(state, verdicts)
            writing.append(move, {**parts, **{f"classes of {each}": kept[each] for each in kept}})
            writing.forget(
                {each.digest for each in state.classes.values()}
                - {each.digest for each in after.classes.values()}
                - after.part_digests()
            )
        return verdicts


def set_limit(writing: RegisterTransaction, state: RegisterState) -> None:
    """Set the charter's limit in the privacy account, for runs that charge it by themselves."""
    assert state.charter is not None
    limit, book = state.charter.privacy, writing.account()
    if limit is not None:
        book.open(delta=limit.delta, epsilon=limit.epsilon)
    elif (charged := writing.charges()) is not None:
        book.open(delta=charged.delta)


def needed(state: RegisterState, application: str) -> Application:
    found = state.applications.get(application)
    if found is None:
        raise Mistake(
            f"The application {application!r} was asked for.",
            found="There is none of that name.",
            attempt="a name that `sfumato register show` lists.",
        )
    return found


def signed_move(
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
