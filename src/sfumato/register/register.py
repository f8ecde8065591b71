"""The register: the releases about the same people, their recipients, and the authors of the
records.

A register is a folder with one store. The author of a record signs it. Before a release is added,
the ledger judges everything that its group would hold, in the transaction that records it. Two
releases that pass one by one cannot both be added where they fail together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from sfumato.accounting import ReadCharges
from sfumato.errors import Mistake, ReleaseBroken
from sfumato.keys import Key
from sfumato.releases import MANIFEST, PeopleRecord
from sfumato.signatures import SigningKey

from .answer_records import AnswerRecords
from .browser_moves import BrowserMoves
from .charter import Charter
from .deadlines import Deadline, day_of, deadlines
from .exports import Export, export_text
from .group_holdings import (
    CANDIDATE,
    PartsBeside,
    check_charges,
    check_classes,
    check_verdicts,
    enter_release,
    judge_groups,
)
from .incidents import IncidentExposure, exposures, unknown_fields
from .leaked_rows import LeakedRows
from .ledger_verdict import LedgerVerdict
from .moves import ChainHead, Move, MoveKind
from .people_links import PeopleLink
from .recipient_links import NamesAre, RecipientLink
from .recipient_names import recipient_key
from .recipients import check_group, is_everybody
from .register_anchor import read_anchor
from .release_checks import check_unbroken, release_digest
from .release_content import OTHER_TOOL, ReleaseContent, digest_of_files
from .replay import RegisterState, replayed
from .revelation_desk import RevelationDesk
from .review_board import ReviewBoard
from .signed_moves import STORE, Author, Clock, set_limit, signed_move, utc_now
from .store import RegisterStore, RegisterTransaction


class Register(ReviewBoard, RevelationDesk, BrowserMoves, AnswerRecords):
    """An open register. `clock` is for tests."""

    @classmethod
    def create(
        cls, folder: str | Path, charter: Charter, *, author: Author, clock: Clock = utc_now
    ) -> Self:
        """Make a new register with its charter, signed by an administrator."""
        place = Path(folder)

        def first(head: ChainHead) -> Move:
            move = signed_move(MoveKind.CHARTER, charter.as_table(), author, head, clock)
            RegisterState().after(move)
            return move

        def opened(writing: RegisterTransaction) -> None:
            set_limit(writing, replayed(writing.moves()))

        try:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise Mistake(
                f"A register in {place} was asked for.", found=f"{error.strerror}."
            ) from None
        RegisterStore.create(place / STORE, first, then=opened)
        return cls(place, clock=clock)

    def change_charter(self, charter: Charter, *, author: Author) -> ChainHead:
        """Replace the charter: members change, and the ledger may require more or less."""
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
        key: Key | None = None,
        name: str = "",
        imported: bool = False,
    ) -> Mapping[str, LedgerVerdict]:
        """Record a release that a group gets, and judge all that is then held, by group.

        Raises CandidateFailed, and records nothing, where that breaks the charter's requirement.
        With `imported`, the data was released before: it is recorded whatever it breaks with other
        releases, and may lack its people record. Then no group that holds it passes any more. Nor
        does one whose people record was read from a file without the holder's `key`."""
        return self._record(
            MoveKind.RELEASE,
            release,
            people,
            author=author,
            group=lambda _: group,
            name=name,
            imported=imported,
            key=key,
        )

    def confirm(self, name: str, release: str | Path, *, reason: str, author: Author) -> ChainHead:
        """Confirm a release that somebody else imported, by its folder or file, whose files must be
        those of its manifest. Until then, no group that holds it passes."""
        place = Path(release)
        is_ours = (place / MANIFEST).is_file()
        digest = release_digest(place) if is_ours else digest_of_files(place)
        if is_ours:
            check_unbroken(place, digest)

        def check(state: RegisterState) -> None:
            """A manifest alone shows nothing of the rows that left."""
            found = [each for each in state.releases if each.name == name]
            if not is_ours and any(OTHER_TOOL not in each.not_judged for each in found):
                raise Mistake(
                    f"The release {name!r} was to be confirmed.",
                    found=f"{place} is no folder of a release, and a folder was imported.",
                    attempt="the folder, with its manifest and all files.",
                )

        facts = {"release": name, "digest": digest, "reason": reason}
        return self._append(MoveKind.CONFIRMATION, facts, author=author, check=check)

    def declare_people(self, link: PeopleLink, *, author: Author) -> ChainHead:
        """Declare which sources are about the same people, and by which key."""
        return self._append(MoveKind.PEOPLE, link.as_facts(), author=author)

    def declare_recipients(
        self, one: str, other: str, are: NamesAre, *, reason: str, author: Author
    ) -> ChainHead:
        """Declare whether two names that look alike are one recipient or two. What one recipient
        holds is judged over all its names."""
        found = ""
        if recipient_key(one) == recipient_key(other):
            found = "They differ in spelling alone, and are always judged as one."
        elif is_everybody(one) or is_everybody(other):
            found = "What everybody may have is judged for every group."
        if found:
            raise Mistake("Two names of recipients were to be declared.", found=found)
        link = RecipientLink(names=(one, other), are=are, reason=reason)
        return self._append(MoveKind.RECIPIENTS, link.as_facts(), author=author)

    def judge_candidate(self, record: PeopleRecord, *, group: str) -> Mapping[str, LedgerVerdict]:
        """Judge what a group would hold with a release that is being made; nothing is recorded.

        CandidateFailed where that breaks what the charter requires."""
        state = self.state()
        check_group(group, state.known_names, state.is_settled)
        content = ReleaseContent(digest="", record=record)
        entry, parts = enter_release(state, self._store, content, name=CANDIDATE, group=group)
        held = state.holding(entry)
        verdicts = judge_groups(held, PartsBeside(self._store, entry, parts), held.getting(group))
        check_verdicts(verdicts, group=group, name=CANDIDATE)
        return verdicts

    def due(self, *, days: int = 30) -> tuple[Deadline, ...]:
        """Terms that have ended or end within some days, and applications that wait for an
        answer."""
        state = self.state()
        return deadlines(state, today=day_of(self._clock(), state), days=days)

    def incident(
        self,
        *,
        reason: str,
        author: Author,
        fields: Sequence[str] = (),
        releases: Sequence[str] = (),
        rows: LeakedRows | None = None,
        folders: Sequence[str | Path] = (),
    ) -> tuple[IncidentExposure, ...]:
        """Record a breach: rows that somebody showed, fields of a list that somebody got, or
        releases that leaked. By group: the releases in which it can occur, their recipients, and how
        many people can be found now. Rows are looked for in the `folders` of registered releases. Of
        names that no release has, only their number is recorded."""
        if folders and rows is None:
            raise Mistake(
                "Releases were to be looked into.",
                found="No leaked rows were given.",
                attempt="--rows FILE too.",
            )
        found = rows.find(self.state(), folders) if rows is not None else None
        known = tuple(dict.fromkeys((*fields, *(rows.fields if rows is not None else ()))))
        strange = self.unknown_fields(known)
        facts: dict[str, Any] = {
            "fields": [name for name in known if name not in strange],
            "releases": list(releases),
            "reason": reason,
        }
        if strange:  # The first row of a file without a header is no name: it is not recorded.
            facts["unknown"] = len(strange)
        if rows is not None:
            facts["occurs"] = [name for name, fits in (found or {}).items() if fits.occurs]
        self._append(MoveKind.INCIDENT, facts, author=author)
        return tuple(exposures(self.state(), self._store, known, found=found))

    def unknown_fields(self, fields: Sequence[str]) -> tuple[str, ...]:
        """The fields that no release has under their name."""
        return unknown_fields(self.state(), fields)

    def export(self, kind: str, *, name: str = "", release: str | Path | None = None) -> str:
        """An application or a release, or everything without a name, as the text of a file in one
        of EXPORTS. `release` is the folder whose files are described. No cell value is in it."""
        moves = self.moves()
        return export_text(kind, Export.of(replayed(moves), moves, name=name, folder=release))

    def judge(self) -> Mapping[str, LedgerVerdict]:
        """Judge all that each group holds now."""
        return judge_groups(self.state(), self._store)

    def verify(self, *, anchor: str | Path | None = None) -> tuple[ChainHead, str]:
        """Check every move, signature and part; the head, and what was compared with an anchor.

        Without an anchor, a rollback to an older store is not detected, and the result states
        so."""
        kept = None if anchor is None else read_anchor(anchor)
        found: str | None = None
        state = RegisterState()
        moves = self.moves()
        for move in moves:
            if kept is not None and move.number == kept.number:
                found = move.digest
        state = replayed(moves)
        for digest in sorted(state.part_digests()):
            self._store.part(digest)
        for digest in sorted({*state.answers.values(), *self._store.answers().values()}):
            self._store.answer_record(digest)
        check_classes(state, self._store)
        charged = self._store.charges()
        check_charges(state, charged)
        check_limit(state, charged)
        if kept is None:
            return state.head, "no anchor: an older register that was put back is not noticed"
        known = kept.account
        if known is not None and (charged is None or not charged.has(known)):
            raise ReleaseBroken(
                f"The register {self.folder} does not belong to its anchor.",
                found=f"Its privacy account lacks charges of the {known.size:,} that the anchor "
                "knows of.",
                attempt="the newest backup: an older register was put back, or another.",
            )
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

    def anchor(self) -> str:
        """The end of the register as one line, to be kept elsewhere; with that of its privacy
        account, where it has one."""
        charged = self._store.charges()
        head = self.state().head.line()
        return head if charged is None else f"{head} {charged.head.line()}"


def check_limit(state: RegisterState, charged: ReadCharges | None) -> None:
    """The account has the limit of the charter."""
    assert state.charter is not None
    limit = state.charter.privacy
    told = None if charged is None else charged.epsilon
    if told != (None if limit is None else limit.epsilon):
        raise ReleaseBroken(
            "The privacy account of the register is not what was written.",
            found="Its limit is not that of the charter.",
            attempt="restoring the register from a backup.",
        )
