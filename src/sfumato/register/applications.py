"""Applications: from a purpose to a delivery, in two steps that two kinds of people take.

An application asks for data for a purpose. A maker first proposes the policy by which it would be
made, then submits the candidate that the policy made. In both steps reviewers commit to their votes
before any of them is seen, and the chair decides. A custodian other than the maker delivers, under
an agreement that has not ended. Garfinkel (2016), section 3.6."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from .agreements import Agreement
from .application_form import ApplicationForm
from .charter import Charter, RegisterRole
from .moves import Move, MoveKind
from .release_checks import check_names
from .sealed_votes import SealedVote, VoteWord


class ApplicationState(StrEnum):
    """The state of an application."""

    APPLIED = "applied"
    SUBMITTED = "submitted"
    SEALED = "sealed"
    REVIEWED = "reviewed"
    APPROVED = "approved"
    REFUSED = "refused"
    DELIVERED = "delivered"
    WITHDRAWN = "withdrawn"


class ApplicationStep(StrEnum):
    """The subject of a vote: the policy, then its result."""

    POLICY = "policy"
    RESULT = "result"


_State = ApplicationState
_Role = RegisterRole
_VOTED_ON: Final = (_State.SUBMITTED, _State.SEALED, _State.REVIEWED, _State.APPROVED)
TRANSITIONS: Final[Mapping[tuple[ApplicationState | None, MoveKind], frozenset[RegisterRole]]] = {
    (None, MoveKind.APPLICATION): frozenset((_Role.APPLICANT,)),
    **{
        (state, kind): frozenset((_Role.MAKER,))
        for kind in (MoveKind.PROPOSAL, MoveKind.SUBMISSION)
        for state in (_State.APPLIED, *_VOTED_ON)
    },
    **{
        (state, MoveKind.AGREEMENT): frozenset((_Role.CUSTODIAN,))
        for state in (_State.APPLIED, *_VOTED_ON, _State.DELIVERED)
    },
    (_State.SUBMITTED, MoveKind.COMMITMENT): frozenset((_Role.REVIEWER,)),
    (_State.SEALED, MoveKind.VOTE): frozenset((_Role.REVIEWER,)),
    (_State.REVIEWED, MoveKind.DECISION): frozenset((_Role.CHAIR,)),
    (_State.APPROVED, MoveKind.DELIVERY): frozenset((_Role.CUSTODIAN,)),
    **{
        (state, MoveKind.WITHDRAWAL): frozenset((_Role.APPLICANT, _Role.CUSTODIAN))
        for state in _State
        if state not in (_State.WITHDRAWN, _State.REFUSED)
    },
}
"""The moves allowed in each state, and the roles that may make them; nobody may make any other."""


@dataclass(frozen=True, kw_only=True)
class Application:
    """One application after some moves. `round` is the digest of the subject of the vote: the
    newest proposal or submission, or a later agreement. Another one voids votes and decisions.
    `policy` is the digest of the policy that was approved, `reasons` are those of opened votes and
    the decision. `maker` made the newest of them, `makers` any of them: a candidate that somebody
    else submits again is still of whoever made it."""

    name: str
    group: str
    applicant: str
    form: ApplicationForm
    since: str = ""
    state: ApplicationState = ApplicationState.APPLIED
    step: ApplicationStep = ApplicationStep.POLICY
    round: str = ""
    round_since: str = ""
    maker: str = ""
    makers: frozenset[str] = frozenset()
    proposed: str = ""
    summary: Mapping[str, Any] = field(default_factory=dict, repr=False)
    policy: str = ""
    candidate: str = ""
    agreement: Agreement | None = None
    assessment: Mapping[str, Any] = field(default_factory=dict, repr=False)
    verdict: Mapping[str, Any] = field(default_factory=dict, repr=False)
    ledger: str = ""
    commitments: Mapping[str, str] = field(default_factory=dict, repr=False)
    votes: Mapping[str, VoteWord] = field(default_factory=dict, repr=False)
    reasons: Mapping[str, str] = field(default_factory=dict, repr=False)
    decided_by: str = ""
    assessed_again_by: str = ""
    """Who made the assessment again, and delivered; until then its maker alone vouches for it."""
    conditions: tuple[str, ...] = ()
    valid_until: str = ""

    def after(self, move: Move, charter: Charter, *, ledger: str) -> Application:
        """The application after one more move about it; ValueError in words where it is not
        allowed. `ledger` is the digest of what its group holds now."""
        kind = MoveKind(move.kind)
        open_vote = (self.state, kind) == (_State.SUBMITTED, MoveKind.VOTE) and not charter.blind
        roles = TRANSITIONS.get((_State.SEALED if open_vote else self.state, kind))
        if roles is None:
            what = {MoveKind.COMMITMENT: "vote is cast", MoveKind.VOTE: "vote is opened"}
            words = what.get(kind, f"{kind.value} is made")
            raise NotAllowed(f"{self.name} {self.waits_for}. No {words} now.")
        if not roles & charter.members[move.author].roles:
            raise NotAllowed(
                f"{move.author} may not make it: it needs the role {' or '.join(sorted(roles))}."
            )
        if kind in _OPENING:
            return _OPENING[kind](self, move, charter, ledger)
        if move.facts["round"] != self.round:
            raise NotAllowed(
                "It is about a policy, candidate, agreement or charter that a later one replaced."
            )
        if ledger != self.ledger:
            raise NotAllowed(
                "The ledger changed since this was submitted: the group, or one that shares a "
                "recipient with it, received something or joined. Votes are void until the maker "
                "submits it again."
            )
        if self.is_by(move.author):
            raise NotAllowed(
                f"{move.author} applied for it, or proposed a policy or submitted a candidate."
            )
        return {
            MoveKind.COMMITMENT: self._committed,
            MoveKind.VOTE: self._voted,
            MoveKind.DECISION: self._decided,
            MoveKind.DELIVERY: self._delivered,
        }[kind](move, charter)

    @property
    def described_state(self) -> str:
        """The state, with the step where votes are about one of two."""
        return f"{self.state} ({self.step})" if self.state in _VOTED_ON else self.state.value

    @property
    def waits_for(self) -> str:
        """What happens next, in words."""
        words = {
            _State.APPLIED: "waits for a maker to propose a policy",
            _State.SUBMITTED: f"waits for votes on the {self.step}",
            _State.SEALED: f"waits for reviewers to open their votes on the {self.step}",
            _State.REVIEWED: f"waits for the chair to decide on the {self.step}",
            _State.APPROVED: "waits for a custodian to deliver it"
            if self.step is ApplicationStep.RESULT
            else "has an approved policy, and waits for a maker to submit what it made",
        }
        return words.get(self.state, f"is {self.state}")

    @property
    def is_voted_on(self) -> bool:
        """Whether votes about its policy or candidate are asked for, or wait for a delivery."""
        return self.state in _VOTED_ON

    def is_by(self, name: str) -> bool:
        """Whether somebody applied for it, or made anything that was voted on."""
        return name == self.applicant or name in self.makers

    def is_approved(self, step: ApplicationStep) -> bool:
        return self.state is ApplicationState.APPROVED and self.step is step

    def _proposed(self, move: Move, charter: Charter, ledger: str) -> Application:
        """The maker proposes a policy; whatever was approved before is void."""
        _check_keys(move, "application", "policy", "summary")
        _check_summary(move.facts["summary"])
        again = self._again(move, ledger, step=ApplicationStep.POLICY)
        return replace(
            again,
            proposed=_digest(move.facts["policy"]),
            summary=move.facts["summary"],
            policy="",
            candidate="",
            assessment={},
            verdict={},
        )

    def _submitted(self, move: Move, charter: Charter, ledger: str) -> Application:
        """The maker submits what the approved policy made."""
        _check_keys(move, "application", "candidate", "policy", "assessment", "verdict")
        _check_assessment(move.facts["assessment"])
        _check_verdict(move.facts["verdict"])
        approved = self.proposed if self.is_approved(ApplicationStep.POLICY) else self.policy
        made_by = _digest(move.facts["policy"])
        if charter.policy_first and not approved:
            raise NotAllowed("No policy is approved yet: propose one first.")
        if charter.policy_first and made_by != approved:
            raise NotAllowed("It was made with another policy than the approved one.")
        if self.agreement is None:
            raise NotAllowed("It has no agreement under which it would be delivered.")
        again = self._again(move, ledger, step=ApplicationStep.RESULT)
        return replace(
            again,
            policy=made_by,
            candidate=_digest(move.facts["candidate"]),
            assessment=move.facts["assessment"],
            verdict=move.facts["verdict"],
        )

    def _agreed(self, move: Move, charter: Charter, ledger: str) -> Application:
        """Another agreement voids votes; after the delivery it can only give time."""
        agreement = Agreement.of_move(move)
        if self.state is ApplicationState.DELIVERED:
            if self.agreement is not None and not agreement.only_renews(self.agreement):
                raise NotAllowed(
                    "It was delivered: a later agreement keeps recipient, access and terms, and "
                    "adds no field to link on."
                )
            return replace(self, agreement=agreement)
        if self.state is ApplicationState.APPLIED:
            return replace(self, agreement=agreement)
        return replace(self._voided(move, ledger), agreement=agreement)

    def _again(self, move: Move, ledger: str, *, step: ApplicationStep) -> Application:
        if move.author == self.applicant:
            raise NotAllowed(f"{move.author} applied for it.")
        again = self._voided(move, ledger)
        return replace(again, step=step, maker=move.author, makers=self.makers | {move.author})

    def under_charter(self, move: Move, charter: Charter, *, ledger: str) -> Application:
        """The application under another charter: nothing is approved that it did not approve. The
        policy is voted on again, and then what it makes is submitted again."""
        if self.state not in _VOTED_ON:
            return self
        again = self._voided(move, ledger)
        if self.proposed:
            return replace(
                again,
                step=ApplicationStep.POLICY,
                policy="",
                candidate="",
                assessment={},
                verdict={},
            )
        if charter.policy_first:
            return replace(
                again, state=ApplicationState.APPLIED, candidate="", assessment={}, verdict={}
            )
        return again

    def _voided(self, move: Move, ledger: str) -> Application:
        """Open for votes anew, none of them in."""
        return replace(
            self,
            state=ApplicationState.SUBMITTED,
            round=move.digest,
            round_since=move.time,
            ledger=ledger,
            commitments={},
            votes={},
            reasons={},
            decided_by="",
            conditions=(),
            valid_until="",
        )

    def _committed(self, move: Move, charter: Charter) -> Application:
        _check_facts(move, "application", "round", "commitment")
        if not charter.blind:
            raise NotAllowed("Votes are open under this charter, and none is sealed.")
        if move.author in self.commitments:
            raise NotAllowed(f"{move.author} voted already.")
        commitment = _digest(move.facts["commitment"])
        if commitment in self.commitments.values():
            raise NotAllowed("It is the seal of somebody else's vote.")
        commitments = {**self.commitments, move.author: commitment}
        complete = len(commitments) >= charter.reviewers
        state = ApplicationState.SEALED if complete else ApplicationState.SUBMITTED
        return replace(self, commitments=commitments, state=state)

    def _voted(self, move: Move, charter: Charter) -> Application:
        _check_facts(move, "application", "round", "vote", "reason", "salt")
        vote = SealedVote.of(move.facts)
        if self.state is ApplicationState.SUBMITTED:  # Votes are not sealed under this charter.
            if move.author in self.votes:
                raise NotAllowed(f"{move.author} voted already.")
            wanted = charter.reviewers
        else:
            if move.author not in self.commitments or move.author in self.votes:
                raise NotAllowed(f"{move.author} has no vote to open.")
            if not hmac.compare_digest(vote.commitment, self.commitments[move.author]):
                raise NotAllowed(f"It is not the vote that {move.author} sealed.")
            wanted = len(self.commitments)
        votes = {**self.votes, move.author: vote.vote}
        state = ApplicationState.REVIEWED if len(votes) >= wanted else self.state
        reasons = {**self.reasons, move.author: vote.reason}
        return replace(self, votes=votes, reasons=reasons, state=state)

    def _decided(self, move: Move, charter: Charter) -> Application:
        _check_keys(move, "application", "round", "decision", "reason", "conditions", "valid_until")
        conditions, reason = move.facts["conditions"], move.facts["reason"]
        if not isinstance(reason, str) or not reason or not isinstance(conditions, list):
            raise ValueError("no decision")
        if not all(isinstance(each, str) and each for each in conditions):
            raise ValueError("no condition")
        if move.author in self.votes:
            raise NotAllowed(f"{move.author} voted on it.")
        decided = replace(
            self,
            decided_by=move.author,
            conditions=tuple(conditions),
            reasons={**self.reasons, move.author: reason},
        )
        if VoteWord(move.facts["decision"]) is VoteWord.REFUSE:
            return replace(decided, state=ApplicationState.REFUSED)
        for_it = sum(vote is VoteWord.APPROVE for vote in self.votes.values())
        if for_it < charter.needed:
            raise NotAllowed(
                f"{charter.needed} reviewers must approve it, and not enough did: a reviewer refused."
            )
        if self.step is ApplicationStep.RESULT and not self.assessment:
            raise NotAllowed("Nobody assessed the candidate, so it cannot be approved.")
        until = _date(move.facts["valid_until"])
        latest = datetime.fromisoformat(move.time) + timedelta(days=charter.valid_days)
        if not move.time[:10] <= until <= latest.date().isoformat():
            raise NotAllowed(f"A decision is valid for {charter.valid_days} days at most.")
        return replace(decided, state=ApplicationState.APPROVED, valid_until=until)

    def _delivered(self, move: Move, charter: Charter) -> Application:
        if self.step is not ApplicationStep.RESULT:
            raise NotAllowed("The policy is approved, and nothing that it made.")
        if move.facts["digest"] != self.candidate or move.facts["group"] != self.group:
            raise NotAllowed("It is not the candidate, or not the group, that was approved.")
        if move.time[:10] > self.valid_until:
            raise NotAllowed(f"The decision ended on {self.valid_until}.")
        if self.agreement is None or move.time[:10] > self.agreement.until:
            ended = "" if self.agreement is None else f" on {self.agreement.until}"
            raise NotAllowed(f"The agreement ended{ended}.")
        if move.time[:10] < self.agreement.valid_from:
            raise NotAllowed(f"The agreement begins on {self.agreement.valid_from}.")
        check_assessed_again(self.assessment, move.facts.get("assessment"))
        return replace(self, state=ApplicationState.DELIVERED, assessed_again_by=move.author)

    def _withdrawn(self, move: Move, charter: Charter, ledger: str) -> Application:
        _check_facts(move, "application", "reason")
        keeps = RegisterRole.CUSTODIAN in charter.members[move.author].roles
        if move.author != self.applicant and not keeps:
            raise NotAllowed(f"{self.applicant} applied for it, or a custodian withdraws it.")
        return replace(self, state=ApplicationState.WITHDRAWN)


_OPENING: Final[Mapping[MoveKind, Callable[[Application, Move, Charter, str], Application]]] = {
    MoveKind.PROPOSAL: Application._proposed,
    MoveKind.SUBMISSION: Application._submitted,
    MoveKind.AGREEMENT: Application._agreed,
    MoveKind.WITHDRAWAL: Application._withdrawn,
}
"""Moves that are about no round of votes: they open one, or end all."""


OUTCOMES: Final = ("pass", "review", "fail")
"""Outcomes of a question, the worst last."""


def worst_outcome(outcomes: Iterable[str]) -> str:
    """The worst of some outcomes; review where there is none, or a strange one."""
    ranks = {_rank(each) for each in outcomes}
    return OUTCOMES[max(ranks, default=1)]


def check_assessed_again(shown: Mapping[str, Any], again: object) -> None:
    """Refuse a delivery whose own assessment is worse than what the board was shown, or does not
    answer all of it again. The maker signed the first one, and may have left anything out: a
    question that the board was not shown must be green."""
    if not isinstance(again, dict) or not isinstance(again.get("judgements"), list):
        raise NotAllowed("Nobody but its maker assessed the candidate.")
    if again.get("digest") == shown.get("digest"):
        raise NotAllowed("The assessment is the maker's own file; whoever delivers makes it again.")
    board = {str(each["question"]): str(each["outcome"]) for each in shown.get("judgements", ())}
    found = {str(each["question"]): str(each["outcome"]) for each in again["judgements"]}
    if missing := [each for each in board if each not in found]:
        raise NotAllowed(
            f"The assessment of whoever delivers does not answer {missing[0]!r}, which the board was "
            f"shown as {board[missing[0]]}. Most likely it was made without the source: --source."
        )
    for question, outcome in found.items():
        if _rank(outcome) > _rank(board.get(question, "pass")):
            was = f"shown {board[question]}" if question in board else "not shown this question"
            hint = (
                " Without --source, some questions stay in review." if outcome == "review" else ""
            )
            raise NotAllowed(
                f"Assessed again, the answer to {question!r} is {outcome}; the board was {was}.{hint}"
            )


def _rank(outcome: str) -> int:
    return OUTCOMES.index(outcome) if outcome in OUTCOMES else len(OUTCOMES) - 1


class NotAllowed(ValueError):
    """A move that the state of an application does not allow, in words."""


def application_of(move: Move) -> Application:
    """A new application from its move."""
    _check_keys(move, "application", "group", "answers")
    name, group = move.facts["application"], move.facts["group"]
    check_names(name, group)
    return Application(
        name=name,
        group=group,
        applicant=move.author,
        form=ApplicationForm.of(move.facts["answers"]),
        since=move.time,
    )


def ledger_digest(releases: Mapping[str, str]) -> str:
    """The digest of what a group holds: names of releases with the digests of their manifests."""
    told = json.dumps(dict(releases), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(told.encode()).hexdigest()


def _check_summary(summary: Mapping[str, Any]) -> None:
    """What a board is shown of a policy has one form, or pages and exports could not show it."""
    parts = {"recipient": str, "fields": dict, "require": dict}
    if not isinstance(summary, dict) or (summary and not parts.keys() <= summary.keys()):
        raise ValueError("no proposal")
    kinds = parts | {"hierarchies": dict}
    if not all(isinstance(each, kinds[name]) for name, each in summary.items()):
        raise ValueError("no proposal")
    texts = (*summary.get("fields", {}).values(), *summary.get("hierarchies", {}).values())
    if not all(isinstance(each, str) for each in texts):
        raise ValueError("no proposal")


def _check_assessment(assessment: Mapping[str, Any]) -> None:
    if not isinstance(assessment, dict):
        raise ValueError("no assessment")
    if not assessment:
        return
    _digest(assessment["digest"])
    asked = assessment["judgements"]
    if assessment.keys() != {"digest", "outcome", "judgements"} or not isinstance(asked, list):
        raise ValueError("no assessment")
    for each in (assessment, *asked):
        if each["outcome"] not in OUTCOMES:
            raise ValueError("no outcome")
    if not all(each.keys() == {"question", "outcome"} for each in asked):
        raise ValueError("no question")
    if not all(isinstance(each["question"], str) for each in asked):
        raise ValueError("no question")


def _check_verdict(verdict: Mapping[str, Any]) -> None:
    for each in verdict.values():
        if each.keys() != {"outcome", "reason"} or not isinstance(each["reason"], str):
            raise ValueError("no verdict")
        if each["outcome"] not in OUTCOMES:
            raise ValueError("no outcome")


def _check_facts(move: Move, *names: str) -> None:
    _check_keys(move, *names)
    if not all(isinstance(each, str) and each for each in move.facts.values()):
        raise ValueError("no such move")


def _check_keys(move: Move, *names: str) -> None:
    if move.facts.keys() != set(names):
        raise ValueError("no such move")


def _digest(text: object) -> str:
    if not isinstance(text, str) or len(bytes.fromhex(text)) != 32:
        raise ValueError("no digest")
    return text


def _date(text: object) -> str:
    try:
        return datetime.strptime(str(text), "%Y-%m-%d").date().isoformat()
    except ValueError:
        raise NotAllowed("An approval needs its last day, such as 2027-06-30.") from None
