"""The review board: applications, their agreements, policies and candidates, votes, decisions, deliveries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato.keys import Key
from sfumato.policy import Policy
from sfumato.releases import PeopleRecord

from .agreements import Agreement
from .application_form import ApplicationForm
from .group_holdings import (
    CANDIDATE,
    PartsBeside,
    check_verdicts,
    enter_release,
    judge_groups,
)
from .ledger_verdict import LedgerVerdict
from .moves import ChainHead, MoveKind
from .recipients import check_group, check_recipient
from .release_checks import check_names, check_people, check_unbroken, release_digest
from .release_content import charge_release, read_content
from .replay import RegisterState, replayed
from .sealed_votes import SealedVote, VoteWord
from .signed_moves import Author, SignedMoves, needed, signed_move
from .source_checks import check_source
from .submissions import (
    MadeAssessment,
    assessment_facts,
    check_described,
    check_hierarchies,
    check_linking,
    check_shown,
    made_assessment_facts,
    manifest_facts,
    policy_digest,
    policy_facts,
    unmeasured_facts,
)


class ReviewBoard(SignedMoves):
    """The moves of members about applications, each signed."""

    def apply(
        self, application: str, *, group: str, form: ApplicationForm, author: Author
    ) -> ChainHead:
        """Ask for data in the name of a group, with all answers of the form."""
        check_names(application, group)
        facts = {"application": application, "group": group, "answers": form.as_facts()}

        def check(state: RegisterState) -> None:
            check_group(group, state.known_names, state.is_settled)

        return self._append(MoveKind.APPLICATION, facts, author=author, check=check)

    def agree(self, application: str, agreement: Agreement, *, author: Author) -> ChainHead:
        """Record the agreement with the recipient; another one voids votes and decisions."""
        facts = {"application": application, **agreement.as_facts()}

        def check(state: RegisterState) -> None:
            about = needed(state, application)
            check_recipient(agreement, about.group, state.known_names, state.is_settled)

        return self._append(MoveKind.AGREEMENT, facts, author=author, check=check)

    def propose(
        self, application: str, policy: Policy | str | Path, *, author: Author, section: str = ""
    ) -> ChainHead:
        """Propose the policy by which a candidate would be made: the first of two steps. `section`
        is the one by which synthetic rows or tables of counts would be made. For letters it is
        "scrubbed", and `policy` the folder of a trial with the settings that are proposed."""
        facts = {"application": application, **policy_facts(policy, section)}
        return self._append(MoveKind.PROPOSAL, facts, author=author)

    def check_submission(
        self, application: str, policy: Policy | str | Path, *, author: Author
    ) -> None:
        """Refuse a submission that the state of its application does not allow, such as one whose
        policy is not approved, before its candidate is made by `policy`."""
        state = self.state()
        needed(state, application)
        facts = {
            "application": application,
            "candidate": "0" * 64,
            "policy": policy_facts(policy)["policy"],
            "assessment": {},
            "verdict": {},
        }
        state.check_about(signed_move(MoveKind.SUBMISSION, facts, author, state.head, self._clock))

    def submit(
        self,
        application: str,
        release: str | Path,
        *,
        author: Author,
        people: PeopleRecord | str | Path | None = None,
        key: Key | None = None,
        assessment: str | Path | None = None,
    ) -> Mapping[str, LedgerVerdict]:
        """Submit the candidate that the approved policy made, with its assessment. Earlier votes
        and decisions about the result are void.

        The ledger judges what the group would then hold, and what everything private would cost
        with it; `key` is the holder's, which the people record is checked with. Letters and tables
        of counts need no assessment: nothing measures them, and the board is told so. Raises
        CandidateFailed where that breaks the charter's requirement."""
        place = Path(release)
        content = read_content(place, people, imported=False, key=key)
        digest, manifest = content.digest, content.manifest
        check_unbroken(place, digest)
        check_people(place, content.record, manifest)
        facts = {
            "application": application,
            "candidate": digest,
            "policy": policy_digest(manifest),
            "assessment": assessment_facts(assessment, digest)
            or unmeasured_facts(manifest, digest, at=MoveKind.SUBMISSION),
        }
        with self._store.writing() as writing:
            state = replayed(writing.moves())
            about = needed(state, application)
            check_linking(manifest, about.agreement, state.linked_on(about.group))
            check_hierarchies(manifest, about.summary)
            self._allowed(MoveKind.SUBMISSION, {**facts, "verdict": {}}, author, state)
            assert state.charter is not None
            with writing.on_trial():
                charge_release(writing.account(), content, state.charter.privacy, imported=False)
                entry, parts = enter_release(
                    state, writing, content, name=CANDIDATE, group=about.group
                )
                held = state.holding(entry)
                verdicts = judge_groups(
                    held, PartsBeside(writing, entry, parts), held.getting(about.group)
                )
            check_verdicts(verdicts, group=about.group, name=CANDIDATE)
            judged = {
                group: {"outcome": verdict.outcome, "reason": verdict.reason}
                for group, verdict in verdicts.items()
            }
            move = self._allowed(MoveKind.SUBMISSION, {**facts, "verdict": judged}, author, state)
            writing.append(move)
        return verdicts

    def commit_vote(self, application: str, vote: SealedVote, *, author: Author) -> ChainHead:
        """Vote without anybody seeing it: the register has only its commitment."""
        return self._append_about(
            MoveKind.COMMITMENT, application, {"commitment": vote.commitment}, author=author
        )

    def open_vote(self, application: str, vote: SealedVote, *, author: Author) -> ChainHead:
        """Open a vote, once all reviewers have committed to theirs."""
        return self._append_about(MoveKind.VOTE, application, vote.as_facts(), author=author)

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
        return self._append_about(MoveKind.DECISION, application, facts, author=author)

    def check_delivery(
        self,
        application: str,
        release: str | Path,
        *,
        author: Author,
        source: Any = None,
        people: PeopleRecord | str | Path | None = None,
        key: Key | None = None,
    ) -> None:
        """Refuse a delivery that the state of its application does not allow, before the candidate
        is assessed again; and a `source` that the candidate was not made from."""
        state = self.state()
        about = needed(state, application)
        facts = {
            "application": application,
            "round": about.round,
            "digest": release_digest(Path(release)),
            "group": about.group,
            "assessment": {**about.assessment, "digest": ""},
        }
        state.check_about(signed_move(MoveKind.DELIVERY, facts, author, state.head, self._clock))
        if source is not None:
            place = Path(release)
            content = read_content(place, people, imported=False, key=key)
            check_unbroken(place, content.digest)
            check_source(place, source, manifest=content.manifest, record=content.record, key=key)

    def deliver(
        self,
        application: str,
        release: str | Path,
        *,
        author: Author,
        people: PeopleRecord | str | Path | None = None,
        key: Key | None = None,
        assessment: MadeAssessment | None = None,
        name: str = "",
    ) -> Mapping[str, LedgerVerdict]:
        """Deliver an approved candidate: it is in the ledger from then on, which is judged again
        in the same transaction. Its policy must be the one that the board was shown. `assessment`
        is one that its author made again, and no file; neither it nor the ledger's verdict may be
        worse than what the board was shown. `key` is the holder's, which the people record is checked with."""
        digest, manifest = release_digest(Path(release)), manifest_facts(Path(release))
        assessed = made_assessment_facts(assessment, digest) or unmeasured_facts(
            manifest, digest, at=MoveKind.DELIVERY
        )

        def group(state: RegisterState) -> str:
            about = needed(state, application)
            check_described(manifest, policy=about.policy, summary=about.summary)
            check_linking(manifest, about.agreement, state.linked_on(about.group))
            return about.group

        def check(state: RegisterState, verdicts: Mapping[str, LedgerVerdict]) -> None:
            check_shown(verdicts, needed(state, application).verdict)

        return self._record(
            MoveKind.DELIVERY,
            release,
            people,
            author=author,
            group=group,
            name=name,
            imported=False,
            key=key,
            more=lambda state: {
                "application": application,
                "round": needed(state, application).round,
                "assessment": assessed,
            },
            check=check,
        )

    def withdraw(self, application: str, *, reason: str, author: Author) -> ChainHead:
        """End an application. Delivered releases stay in the ledger."""
        facts = {"application": application, "reason": reason}
        return self._append(MoveKind.WITHDRAWAL, facts, author=author)
