"""The register: what was released about the same people, to whom, and who recorded it.

A register is a folder with one store. Whoever records something signs it. Before a release is
added, the ledger judges everything that its group would hold, in the transaction that records it:
two releases that pass one by one cannot both be added where they fail together."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from sfumato.errors import CandidateFailed, Mistake, ReleaseBroken
from sfumato.releases import MANIFEST, PeopleRecord, manifest_digest, outcome_of, verify
from sfumato.signatures import SigningKey

from .charter import Charter
from .ledger import Array, Ledger, LedgerVerdict, ReleaseView
from .moves import ChainHead, Move, MoveKind
from .replay import EVERYBODY, RegisteredRelease, RegisterState, replayed
from .store import RegisterStore, RegisterTransaction, part_digest

STORE: Final = "register.db"
UNKNOWN_ROWS: Final = "nobody kept whose its rows are"
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
        digest = _digest_of(Path(release))
        record = (
            people
            if people is None or isinstance(people, PeopleRecord)
            else (PeopleRecord.read(Path(people)))
        )
        _check_record(record, digest, imported=imported)
        called = name or Path(release).resolve().name
        _check_names(called, group)
        if not imported and outcome_of(verify(release, digest=digest)) == "fail":
            raise CandidateFailed(
                f"The release {called} was to be added; nothing was recorded.",
                found="It is not what its manifest says.",
                attempt=f"sfumato verify {release}.",
            )
        with self._store.writing() as writing:
            state = replayed(writing.moves())
            entry, parts = _entered(state, writing, record, name=called, group=group)
            entry = replace(entry, digest=digest, imported=imported)
            move = _signed(MoveKind.RELEASE, entry.as_facts(), author, state.head, self._clock)
            after = state.after(move)
            verdicts = judge_groups(after, _Parts(writing, entry, parts))
            if not imported:
                _check_verdicts(state, after, verdicts, group=group, name=called)
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


def judge_groups(state: RegisterState, parts: _PartReader) -> dict[str, LedgerVerdict]:
    """What each group holds, judged as one release."""
    assert state.charter is not None
    views = {each.name: _view(each, parts) for each in state.releases}
    out = {}
    for group in state.groups:
        held = [views[each.name] for each in state.held_by(group)]
        if held:
            out[group] = Ledger(views=held).judge(state.charter.ledger)
    return out


class _Parts:
    """Parts of a release that is not written yet, beside those that are."""

    def __init__(
        self, store: RegisterTransaction, entry: RegisteredRelease, parts: Mapping[str, Array]
    ) -> None:
        self._store = store
        self._new = {digest: parts[name] for name, digest in entry.parts.items()}

    def part(self, digest: str) -> Array:
        return self._new[digest] if digest in self._new else self._store.part(digest)


_PartReader = RegisterStore | RegisterTransaction | _Parts


def _view(release: RegisteredRelease, parts: _PartReader) -> ReleaseView:
    def read(name: str) -> Array:
        if name not in release.parts:  # A release without a record shows nobody.
            return np.zeros((1, 0), np.int32) if name == "labels" else np.zeros(0, np.int32)
        return parts.part(release.parts[name])

    return ReleaseView(
        name=release.name,
        fields=release.fields,
        overlaps=release.overlaps,
        sensitive=release.sensitive,
        not_judged=release.not_judged,
        read=read,
    )


def _entered(
    state: RegisterState,
    writing: RegisterTransaction,
    record: PeopleRecord | None,
    *,
    name: str,
    group: str,
) -> tuple[RegisteredRelease, dict[str, Array]]:
    """A release as the register has it, and the parts of the ledger that are kept of it."""
    if record is None:
        plain = RegisteredRelease(
            name=name, group=group, digest="", imported=True, key_check="", fields=0, overlaps=(),
            sensitive=(), not_judged=(UNKNOWN_ROWS,), parts={},
        )  # fmt: skip
        return plain, {}
    known = [each for each in state.releases if "tags" in each.parts]
    tags = [writing.part(each.parts["tags"]) for each in known]
    ledger = Ledger(
        np.concatenate(tags) if tags else None,
        key_check=next((each.key_check for each in known), ""),
    )
    before = len(ledger.tags)
    view, parts = ledger.enter(name, record)
    parts["tags"] = ledger.tags[before:]
    entry = RegisteredRelease(
        name=name,
        group=group,
        digest="",
        imported=False,
        key_check=record.key_check,
        fields=view.fields,
        overlaps=view.overlaps,
        sensitive=view.sensitive,
        not_judged=view.not_judged,
        parts={each: part_digest(array) for each, array in parts.items()},
    )
    return entry, parts


def _check_verdicts(
    before: RegisterState,
    after: RegisterState,
    verdicts: Mapping[str, LedgerVerdict],
    *,
    group: str,
    name: str,
) -> None:
    """Refuse a release with which a group that gets it would hold too much."""
    getting = after.groups if group == EVERYBODY else (group,)
    failed = {each: verdicts[each] for each in getting if verdicts[each].outcome == "fail"}
    if failed:
        told = " ".join(f"{each}: {verdict.reason}." for each, verdict in failed.items())
        raise CandidateFailed(
            f"The release {name} was to be added for {group}; nothing was recorded.",
            found=told,
            attempt="a release with coarser labels, or for a group that holds less.",
        )


def _check_record(record: PeopleRecord | None, digest: str, *, imported: bool) -> None:
    if record is None and not imported:
        raise Mistake(
            "A release was to be added.",
            found="Without its people record nobody can judge it.",
            attempt="--people FILE, as `sfumato release --keep-people` wrote it.",
        )
    if record is not None and record.release != digest:
        raise Mistake(
            "A release was to be added with its people record.",
            found="The record is of another release.",
            attempt="the file that was kept when this release was made.",
        )


def _check_names(*names: str) -> None:
    for each in names:
        if not each or len(each) > 100 or not each.isprintable() or each != each.strip():
            raise Mistake(
                "A release and a group were to be named.",
                found="A name is empty, too long, or not printable.",
                attempt="1 to 100 printable characters with --name and --to.",
            )


def _digest_of(folder: Path) -> str:
    """The digest of a release's manifest, where there is one."""
    try:
        facts = json.loads((folder / MANIFEST).read_bytes())
        if not isinstance(facts, dict) or "sfumato" not in facts:
            raise ValueError("no manifest")
        return manifest_digest(folder)
    except (OSError, ValueError):
        raise Mistake(
            f"A release was to be read from {folder}.",
            found=f"It has no {MANIFEST} that Sfumato wrote.",
            attempt="the folder given as --to of `sfumato release`.",
        ) from None


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
