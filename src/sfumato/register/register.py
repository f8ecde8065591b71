"""The register: what was released about the same people, to whom, and who recorded it.

A register is a folder with one store. The author of a record signs it. Before a release is added,
the ledger judges everything that its group would hold, in the transaction that records it. Two
releases that pass one by one cannot both be added where they fail together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Self

from sfumato.accounting import AccountHead, ReadCharges, read_head
from sfumato.errors import Mistake, ReleaseBroken
from sfumato.policy import Policy
from sfumato.releases import PeopleRecord
from sfumato.signatures import SigningKey

from .agreements import Agreement
from .answer_checks import AnswerCheck, version_of
from .application_form import ApplicationForm
from .applications import Application
from .charter import Charter
from .deadlines import Deadline, day_of, deadlines
from .exports import Export, export_text
from .gate_answers import AnswerScope, GateAnswers, is_finer, no_people
from .group_holdings import (
    PartsBeside,
    check_charges,
    check_verdicts,
    comparable,
    enter_release,
    judge_groups,
    judgements,
)
from .incidents import IncidentExposure, exposures
from .leaked_rows import LeakedRows
from .ledger import LedgerVerdict
from .moves import ChainHead, Move, MoveKind
from .people_links import PeopleLink
from .release_checks import check_group, check_names, check_people, check_unbroken, release_digest
from .release_content import ReleaseContent, charge_release, read_content
from .replay import EVERYBODY, RegisterState, replayed
from .revelations import Revelation, RevelationStep, new_salt, pseudonym_digest
from .sealed_votes import SealedVote, VoteWord
from .store import RegisterStore, RegisterTransaction, part_digest
from .submissions import (
    assessment_facts,
    check_described,
    check_linking,
    manifest_facts,
    policy_digest,
    policy_facts,
)

STORE: Final = "register.db"
CANDIDATE: Final = "the candidate"
"""The name of a release that is being made, in verdicts."""
SIGNED_ELSEWHERE: Final = frozenset(
    (
        MoveKind.APPLICATION, MoveKind.COMMITMENT, MoveKind.VOTE, MoveKind.DECISION,
        MoveKind.WITHDRAWAL, MoveKind.REVELATION,
    )
)  # fmt: skip
"""Moves that need no file, so that they can be signed in a browser."""
Clock = Callable[[], datetime]


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True)
class Author:
    """The author of a move: a member's name, and that member's key."""

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

    def state(self) -> RegisterState:
        """The state after all moves, each checked."""
        return replayed(self._store.moves())

    def moves(self) -> tuple[Move, ...]:
        return tuple(self._store.moves())

    def change_charter(self, charter: Charter, *, author: Author) -> ChainHead:
        """Another charter: members change, and the ledger may require more or less."""
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
        return self._record(
            MoveKind.RELEASE,
            release,
            people,
            author=author,
            group=lambda _: group,
            name=name,
            imported=imported,
        )

    def declare_people(self, link: PeopleLink, *, author: Author) -> ChainHead:
        """Declare which sources are about the same people, and by which key."""
        return self._append(MoveKind.PEOPLE, link.as_facts(), author=author)

    def apply(
        self, application: str, *, group: str, form: ApplicationForm, author: Author
    ) -> ChainHead:
        """Ask for data in the name of a group, with all answers of the form."""
        check_names(application, group)
        check_group(group)
        facts = {"application": application, "group": group, "answers": form.as_facts()}
        return self._append(MoveKind.APPLICATION, facts, author=author)

    def agree(self, application: str, agreement: Agreement, *, author: Author) -> ChainHead:
        """Record the agreement with the recipient; another one voids votes and decisions."""
        facts = {"application": application, **agreement.as_facts()}
        return self._append(MoveKind.AGREEMENT, facts, author=author)

    def propose(
        self, application: str, policy: Policy | str | Path, *, author: Author
    ) -> ChainHead:
        """Propose the policy by which a candidate would be made: the first of two steps."""
        facts = {"application": application, **policy_facts(policy)}
        return self._append(MoveKind.PROPOSAL, facts, author=author)

    def submit(
        self,
        application: str,
        release: str | Path,
        *,
        author: Author,
        people: PeopleRecord | str | Path | None = None,
        assessment: str | Path | None = None,
    ) -> Mapping[str, LedgerVerdict]:
        """Submit the candidate that the approved policy made, with its assessment. Earlier votes
        and decisions about the result are void.

        The ledger judges what the group would then hold; CandidateFailed where that breaks what the
        charter requires."""
        place = Path(release)
        content = read_content(place, people, imported=False)
        digest, manifest = content.digest, content.manifest
        check_unbroken(place, digest)
        check_people(place, content.record, manifest)
        facts = {
            "application": application,
            "candidate": digest,
            "policy": policy_digest(manifest),
            "assessment": assessment_facts(assessment, manifest),
        }
        with self._store.writing() as writing:
            state = replayed(writing.moves())
            about = _needed(state, application)
            check_linking(manifest, about.agreement)
            self._signed(MoveKind.SUBMISSION, {**facts, "verdict": {}}, author, state)
            entry, parts = enter_release(state, writing, content, name=digest, group=about.group)
            held = replace(state, releases=(*state.releases, entry))
            verdicts = judge_groups(
                held, PartsBeside(writing, entry, parts), held.getting(about.group)
            )
            check_verdicts(held, verdicts, group=about.group, name=place.name)
            judged = {
                group: {"outcome": verdict.outcome, "reason": verdict.reason}
                for group, verdict in verdicts.items()
                if group == about.group or about.group == EVERYBODY
            }
            move = self._signed(MoveKind.SUBMISSION, {**facts, "verdict": judged}, author, state)
            writing.append(move)
        return verdicts

    def judge_candidate(self, record: PeopleRecord, *, group: str) -> Mapping[str, LedgerVerdict]:
        """Judge what a group would hold with a release that is being made; nothing is recorded.

        CandidateFailed where that breaks what the charter requires."""
        state = self.state()
        content = ReleaseContent(digest="", record=record)
        entry, parts = enter_release(state, self._store, content, name=CANDIDATE, group=group)
        held = replace(state, releases=(*state.releases, entry))
        verdicts = judge_groups(held, PartsBeside(self._store, entry, parts), held.getting(group))
        check_verdicts(held, verdicts, group=group, name=CANDIDATE)
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
        self,
        application: str,
        decision: VoteWord,
        *,
        reason: str,
        valid_until: str,
        author: Author,
        conditions: Sequence[str] = (),
    ) -> ChainHead:
        """Approve what enough reviewers approved, for some time and under conditions, or refuse
        it."""
        facts = {
            "decision": decision.value,
            "reason": reason,
            "conditions": list(conditions),
            "valid_until": valid_until,
        }
        return self._about(MoveKind.DECISION, application, facts, author=author)

    def deliver(
        self,
        application: str,
        release: str | Path,
        *,
        author: Author,
        people: PeopleRecord | str | Path | None = None,
        name: str = "",
    ) -> Mapping[str, LedgerVerdict]:
        """Deliver an approved candidate: it is in the ledger from then on, which is judged again
        in the same transaction. Its policy must be the one that the board was shown."""
        release_digest(Path(release))
        manifest = manifest_facts(Path(release))

        def group(state: RegisterState) -> str:
            about = _needed(state, application)
            check_described(manifest, policy=about.policy, summary=about.summary)
            return about.group

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
        """End an application. Delivered releases stay in the ledger."""
        facts = {"application": application, "reason": reason}
        return self._append(MoveKind.WITHDRAWAL, facts, author=author)

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
        many people can be found now. Rows are looked for in the `folders` of registered releases."""
        found = rows.find(self.state(), folders) if rows is not None else None
        known = tuple(dict.fromkeys((*fields, *(rows.fields if rows is not None else ()))))
        facts = {"fields": list(known), "releases": list(releases), "reason": reason}
        if rows is not None:
            facts["occurs"] = [name for name, fits in (found or {}).items() if fits.occurs]
        self._append(MoveKind.INCIDENT, facts, author=author)
        return tuple(exposures(self.state(), self._store, known, found=found))

    def ask_revelation(
        self, *, field: str, pseudonym: str, reason: str, author: Author
    ) -> Revelation:
        """Ask to reveal one pseudonym; somebody else has to agree."""
        salt = new_salt()
        facts = {
            "revelation": f"reveal-{new_salt()[:12]}",
            "step": RevelationStep.ASKED.value,
            "field": field,
            "salt": salt,
            "pseudonym": pseudonym_digest(salt, pseudonym),
            "reason": reason,
        }
        self._append(MoveKind.REVELATION, facts, author=author)
        return self.state().revelations[facts["revelation"]]

    def agree_revelation(self, name: str, *, reason: str, author: Author) -> ChainHead:
        """Agree to a revelation that somebody else asked for."""
        facts = {"revelation": name, "step": RevelationStep.AGREED.value, "reason": reason}
        return self._append(MoveKind.REVELATION, facts, author=author)

    def use_revelation(self, name: str, *, author: Author) -> ChainHead:
        """Record that a pseudonym is revealed, once, by whoever asked for it."""
        facts = {"revelation": name, "step": RevelationStep.REVEALED.value}
        return self._append(MoveKind.REVELATION, facts, author=author)

    def append_signed(self, payload: bytes, signature: bytes, *, author: str) -> Move:
        """Append a move that its author signed elsewhere, such as in a browser. It must follow the
        end of the chain and bear the time that `next_move` gave, within ten minutes."""
        try:
            move = Move.of(payload, signature)
        except (ValueError, TypeError, RecursionError, AttributeError):
            raise Mistake("A signed move was to be recorded.", found="It is none.") from None
        if move.kind not in SIGNED_ELSEWHERE or move.author != author:
            raise Mistake(
                "A signed move was to be recorded.",
                found="It is of a kind that needs a command, or of another author.",
            )
        with self._store.writing() as writing:
            state = replayed(writing.moves())
            now = max(self._time(), state.head.time)
            in_utc = len(move.time) == len(now) and move.time[-6:] == "+00:00"
            if not in_utc or not _minutes_before(now, 10) <= move.time <= now:
                raise Mistake(
                    f"Move {move.number:,} was to be made in the register.",
                    found="Its time is not now.",
                    attempt="again.",
                )
            state.after(move)
            writing.append(move)
        return move

    def next_move(self) -> dict[str, Any]:
        """The parts of a move that is signed elsewhere: its number, its time, and the digest of the
        move before it."""
        head = self.state().head
        return {
            "number": head.number + 1,
            "time": max(self._time(), head.time),
            "before": head.digest,
        }

    def export(self, kind: str, *, name: str = "", release: str | Path | None = None) -> str:
        """An application or a release, or everything without a name, as the text of a file in one
        of EXPORTS. `release` is the folder whose files are described. No cell value is in it."""
        moves = self.moves()
        return export_text(kind, Export.of(replayed(moves), moves, name=name, folder=release))

    def today(self) -> str:
        """The day, and no earlier than that of the newest move."""
        return day_of(self._clock(), self.state())

    def _time(self) -> str:
        return self._clock().astimezone(UTC).isoformat(timespec="seconds")

    def _signed(
        self, kind: MoveKind, facts: Mapping[str, Any], author: Author, state: RegisterState
    ) -> Move:
        """A move that the state allows."""
        move = _signed(kind, facts, author, state.head, self._clock)
        state.after(move)
        return move

    def _about(
        self, kind: MoveKind, application: str, facts: Mapping[str, Any], *, author: Author
    ) -> ChainHead:
        """Append a move about the newest submission of an application."""
        with self._store.writing() as writing:
            state = replayed(writing.moves())
            about = {"application": application, "round": _needed(state, application).round}
            move = self._signed(kind, {**about, **facts}, author, state)
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
        content = read_content(place, people, imported=imported)
        called = name or place.resolve().name
        if not imported:
            check_unbroken(place, content.digest)
            check_people(place, content.record, content.manifest)
        with self._store.writing() as writing:
            state = replayed(writing.moves())
            to = group(state)
            check_names(called, to)
            check_group(to)
            assert state.charter is not None
            if imported:
                content = comparable(content, state)
            entry, parts = enter_release(state, writing, content, name=called, group=to)
            limit = state.charter.privacy
            charge_release(writing.account(), content, limit, imported=imported)
            charged = writing.charges()
            entry = replace(
                entry,
                imported=imported,
                account="" if charged is None else charged.head.line(),
                answers=writing.answers(),
            )
            held = replace(state, releases=(*state.releases, entry))
            judged = judgements(held, PartsBeside(writing, entry, parts), held.getting(to))
            verdicts = {each: one.verdict for each, one in judged.items()}
            kept = {each: one.classes.class_of for each, one in judged.items()}
            entry = replace(
                entry,
                classes={each: part_digest(array) for each, array in kept.items()},
                apart={each: one.apart for each, one in judged.items() if one.apart},
            )
            facts = {**entry.as_facts(), **more(state)}
            move = _signed(kind, facts, author, state.head, self._clock)
            after = state.after(move)
            if not imported:
                check_verdicts(after, verdicts, group=to, name=called)
            writing.append(move, {**parts, **{f"classes of {each}": kept[each] for each in kept}})
            writing.forget(
                {each.digest for each in state.classes.values()}
                - {each.digest for each in after.classes.values()}
                - after.part_digests()
            )
        return verdicts

    def check_answers(self, scopes: Sequence[AnswerScope]) -> AnswerCheck:
        """The present holdings of the groups of some scopes, for judging exact answers of a
        gate."""
        return AnswerCheck.of(self.state(), self._store, scopes)

    def show_answers(self, answers: Sequence[GateAnswers], *, check: AnswerCheck) -> bool:
        """Record what a gate has shown with its next answer; False, and nothing is recorded, where
        a group would then hold too much. `check` is read anew if anything changed since."""
        scopes = [each.scope for each in answers]
        with self._store.writing() as writing:
            state = replayed(writing.moves())
            if check.version != version_of(state.head.number, writing, scopes):
                check = AnswerCheck.of(state, writing, scopes)
            if not check.keeps(answers):
                return False
            for each in answers:
                writing.put_answers(
                    each.scope.line, each.record or no_people(), keep=state.answers.values()
                )
        return True

    def is_fresh(self, check: AnswerCheck, scopes: Sequence[AnswerScope]) -> bool:
        """Whether nothing was recorded since a check was read."""
        return check.version == version_of(self._store.newest(), self._store, scopes)

    def restore_answers(self, answers: Sequence[GateAnswers]) -> None:
        """Record what a gate has shown by its own state, whatever it breaks. Of two records the
        finer is kept, and both where neither is."""
        with self._store.writing() as writing:
            state, known = replayed(writing.moves()), writing.answers()
            for each in answers:
                line, record = each.scope.line, each.record or no_people()
                before = writing.answer_record(known[line]) if line in known else None
                if before is not None and is_finer(before, record):
                    continue
                keep = state.answers.values()
                if before is not None and not is_finer(record, before):
                    older = replace(each.scope, gate=f"{each.scope.gate} before")
                    writing.put_answers(older.line, before, keep=keep)
                writing.put_answers(line, record, keep=keep)

    def answers(self) -> Mapping[str, str]:
        """Digests of what gates have shown, by gate and group."""
        return self._store.answers()

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
        for digest in sorted(state.part_digests()):
            self._store.part(digest)
        for digest in sorted({*state.answers.values(), *self._store.answers().values()}):
            self._store.answer_record(digest)
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

    def _append(self, kind: MoveKind, facts: Mapping[str, Any], *, author: Author) -> ChainHead:
        with self._store.writing() as writing:
            state = replayed(writing.moves())
            move = self._signed(kind, facts, author, state)
            writing.append(move)
            set_limit(writing, state.after(move))
        return move.head


def set_limit(writing: RegisterTransaction, state: RegisterState) -> None:
    """Set the charter's limit in the privacy account, for runs that charge it by themselves."""
    assert state.charter is not None
    limit, book = state.charter.privacy, writing.account()
    if limit is not None:
        book.open(delta=limit.delta, epsilon=limit.epsilon)
    elif (charged := writing.charges()) is not None:
        book.open(delta=charged.delta)


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


@dataclass(frozen=True, kw_only=True)
class RegisterAnchor:
    """The end of a register as it was kept elsewhere."""

    number: int
    digest: str
    account: AccountHead | None = None


def read_anchor(given: str | Path) -> RegisterAnchor:
    """An anchor from its line, NUMBER:DIGEST, or from a file with that line. The end of the privacy
    account may follow."""
    text = str(given)
    if ":" not in text or Path(text).is_file():
        try:
            text = Path(given).read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            text = ""
    moves, _, account = text.strip().partition(" ")
    number, _, digest = moves.partition(":")
    try:
        charged = read_head(account) if account else None
    except ValueError:
        number, charged = "", None
    if not number.isdigit() or len(digest) != 64:
        raise Mistake(
            "An anchor of the register was expected.",
            found="There is no move number with a digest.",
            attempt="the line that `sfumato register verify` printed, or a file with it.",
        )
    return RegisterAnchor(number=int(number), digest=digest.lower(), account=charged)


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


def _minutes_before(time: str, minutes: int) -> str:
    before = datetime.fromisoformat(time) - timedelta(minutes=minutes)
    return before.isoformat(timespec="seconds")
