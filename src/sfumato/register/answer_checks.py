"""Checks whether a gate may show one more answer. The releases and answers that the groups hold are
cached until something else is recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from .gate_answers import AnsweredPeople, AnswerScope, GateAnswers, answers_for, shown_answers
from .group_holdings import PartReader, group_classes, release_view
from .joint_classes import JointClasses
from .ledger import Ledger
from .ledger_verdict import LedgerRequirement
from .recipients import EVERYBODY
from .release_views import ReleaseView
from .replay import RegisterState


@dataclass(frozen=True, eq=False, kw_only=True)
class AnswerCheck:
    """The holdings of the groups of some scopes, without the earlier answers of the same scopes;
    one more answer is judged with them."""

    version: tuple[int, Mapping[str, str]]
    """The newest move and the answers of others when this was read."""
    requirement: LedgerRequirement
    people: AnsweredPeople = field(repr=False)
    held: Mapping[
        tuple[str, ...], tuple[Sequence[ReleaseView], Sequence[GateAnswers], JointClasses]
    ] = field(repr=False)
    """By groups that hold the same."""

    @classmethod
    def of(cls, state: RegisterState, store: PartReader, scopes: Sequence[AnswerScope]) -> Self:
        assert state.charter is not None
        own = {each.line for each in scopes}
        shown = [each for each in shown_answers(state, store) if each.scope.line not in own]
        asking = {each.scope.group for each in (*shown,)} | {each.group for each in scopes}
        groups = {each.group for each in scopes}
        if EVERYBODY in groups:
            groups |= {*state.groups, *asking}
        held = {}
        for group in sorted(groups):
            together = tuple(sorted(state.joined(group, asking)))
            if together in held:
                continue
            releases = state.held_by(group, asking)
            views = [release_view(each, store, state) for each in releases]
            held[together] = (
                views,
                answers_for(together, shown),
                group_classes(state, store, group, releases, views)[0],
            )
        return cls(
            version=version_of(state.head.number, store, scopes),
            requirement=state.charter.ledger,
            people=AnsweredPeople.of(state, store),
            held=held,
        )

    def keeps(self, answers: Sequence[GateAnswers]) -> bool:
        """Whether every group keeps what is required with these answers. Answers that nobody can
        judge break nothing, and are named as not judged in every verdict."""
        for groups, (views, others, joint) in self.held.items():
            own = [each for each in answers_for(groups, answers) if each.record is not None]
            if not own:
                continue
            answered = list(self.people.views([*others, *own]))
            for each in answered:
                joint = joint.refined(each.read("bins"))
            if not Ledger(views=[*views, *answered]).keeps(self.requirement, classes=joint):
                return False
        return True


def version_of(
    newest: int, store: PartReader, scopes: Sequence[AnswerScope]
) -> tuple[int, Mapping[str, str]]:
    """The state that a check depends on: the check is valid while it is the same."""
    own = {each.line for each in scopes}
    return newest, {line: digest for line, digest in store.answers().items() if line not in own}
