"""Groups of recipients: the holdings of each, entered into the ledger and judged as one release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from sfumato.accounting import ReadCharges
from sfumato.errors import CandidateFailed, ReleaseBroken
from sfumato.releases import PeopleRecord

from .gate_answers import AnsweredPeople, answers_for, refined_by, shown_answers
from .joint_classes import JointClasses
from .ledger import Array, Ledger, LedgerVerdict, ReleaseView, releases_apart
from .people_links import common_key
from .release_content import OTHER_KEY, AccountVerdict, ReleaseContent
from .replay import EVERYBODY, RegisteredRelease, RegisterState, digest_of_held
from .store import part_digest


class PartReader(Protocol):
    """Where parts of the ledger are read from, by their digests, and the privacy account."""

    def part(self, digest: str) -> Array: ...

    def charges(self) -> ReadCharges | None: ...

    def answers(self) -> Mapping[str, str]: ...

    def answer_record(self, digest: str) -> PeopleRecord: ...


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupJudgement:
    """The holdings of a group, judged as one release; the joint classes of its releases, and
    releases without a person in common with those before them."""

    verdict: LedgerVerdict
    classes: JointClasses
    apart: tuple[str, ...]


def judge_groups(
    state: RegisterState, parts: PartReader, groups: Sequence[str] | None = None
) -> dict[str, LedgerVerdict]:
    """The holdings of each group, or of some, judged as one release."""
    found = judgements(state, parts, groups)
    return {group: judged.verdict for group, judged in found.items()}


def judgements(
    state: RegisterState, parts: PartReader, groups: Sequence[str] | None = None
) -> dict[str, GroupJudgement]:
    """The verdicts, and the joint classes that they are about."""
    assert state.charter is not None
    charged = parts.charges()
    check_charges(state, charged)
    account = AccountVerdict.of(charged, state.charter.privacy)
    shown = shown_answers(state, parts)
    people = AnsweredPeople.of(state, parts) if shown else None
    asking = {each.scope.group for each in shown}
    if groups is None or EVERYBODY in groups:
        groups = tuple(dict.fromkeys((*(groups or state.groups), *sorted(asking))))
    out = {}
    for group in groups:
        views = held_views(state, parts, group)
        answered = list(people.views(answers_for(group, shown))) if people is not None else []
        if not views and not answered:
            continue
        joint, apart = group_classes(state, parts, group, views)
        whole, strange = refined_by(answered, joint)
        verdict = Ledger(views=[*views, *answered]).judge(
            state.charter.ledger, classes=whole, apart=(*apart, *strange)
        )
        out[group] = GroupJudgement(
            verdict=_with_account(verdict, account), classes=joint, apart=apart
        )
    return out


def held_views(state: RegisterState, parts: PartReader, group: str) -> list[ReleaseView]:
    """The releases that a group holds, as the ledger judges them."""
    return [_view(each, parts, state) for each in state.held_by(group)]


def group_classes(
    state: RegisterState, parts: PartReader, group: str, views: Sequence[ReleaseView]
) -> tuple[JointClasses, tuple[str, ...]]:
    """The classes that were kept, refined by the newest release where nothing else was recorded
    since; otherwise those of all releases, one after the other."""
    held, kept = state.held_by(group), state.classes.get(group)
    for newer in (0, 1) if kept is not None else ():
        before = held[: len(held) - newer]
        if kept is None or kept.ledger != digest_of_held(before):
            continue
        joint = JointClasses.kept(parts.part(kept.digest))
        if not newer:
            return joint, kept.apart
        bins = views[-1].read("bins")
        known = joint.class_of[: len(bins)] > 0
        is_apart = joint.class_of.any() and bins.any() and not bins[: len(known)][known].any()
        return joint.refined(bins), (*kept.apart, *([views[-1].name] if is_apart else []))
    joint = JointClasses.of(view.read("bins") for view in views)
    return joint, releases_apart(views, people=len(joint.class_of))


def _with_account(verdict: LedgerVerdict, account: AccountVerdict | None) -> LedgerVerdict:
    """The verdict with the cost of everything private; a holder of any of it may hold all."""
    if account is None:
        return verdict
    unlimited = ("private noise: the charter has no limit",) if account.limit is None else ()
    outcome = verdict.outcome
    if account.is_beyond:
        outcome = "fail"
    elif outcome == "pass" and unlimited:
        outcome = "review"
    return replace(
        verdict,
        outcome=outcome,
        account=account,
        not_judged=(*verdict.not_judged, *unlimited),
    )


def check_charges(state: RegisterState, charged: ReadCharges | None) -> None:
    """The account still has every charge that a signed move knows of."""
    head = state.account
    if head is not None and (charged is None or not charged.has(head)):
        raise ReleaseBroken(
            "The privacy account of the register is not what was written.",
            found=f"Charges are missing of the {head.size:,} that its moves know of.",
            attempt="restoring the register from a backup.",
        )


class PartsBeside:
    """Parts of a release that is not written yet, beside those that are."""

    def __init__(
        self, store: PartReader, entry: RegisteredRelease, parts: Mapping[str, Array]
    ) -> None:
        self._store = store
        self._new = {digest: parts[name] for name, digest in entry.parts.items()}

    def part(self, digest: str) -> Array:
        return self._new[digest] if digest in self._new else self._store.part(digest)

    def charges(self) -> ReadCharges | None:
        return self._store.charges()

    def answers(self) -> Mapping[str, str]:
        return self._store.answers()

    def answer_record(self, digest: str) -> PeopleRecord:
        return self._store.answer_record(digest)


def _view(release: RegisteredRelease, parts: PartReader, state: RegisterState) -> ReleaseView:
    def read(name: str) -> Array:
        if name not in release.parts:  # A release without a record shows nobody.
            return np.zeros((1, 0), np.int32) if name == "labels" else np.zeros(0, np.int32)
        return parts.part(release.parts[name])

    return ReleaseView(
        name=release.name,
        fields=len(release.fields),
        overlaps=release.overlaps,
        sensitive=release.sensitive,
        not_judged=release.not_judged,
        person=common_key(release.person, state.people),
        read=read,
        has=frozenset(release.parts),
        known=release.fields,
        uncounted=release.uncounted,
    )


def enter_release(
    state: RegisterState,
    writing: PartReader,
    content: ReleaseContent,
    *,
    name: str,
    group: str,
) -> tuple[RegisteredRelease, dict[str, Array]]:
    """A release as the register has it, and the parts of the ledger that are kept of it."""
    record = content.record
    if record is None:
        plain = RegisteredRelease(
            name=name, group=group, digest=content.digest, imported=True, key_check="", person="",
            fields=(), overlaps=(), sensitive=(), not_judged=content.not_judged, parts={},
            private=content.charges is not None,
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
        digest=content.digest,
        imported=False,
        key_check=record.key_check,
        person=record.person,
        fields=record.fields,
        overlaps=view.overlaps,
        sensitive=view.sensitive,
        not_judged=view.not_judged,
        parts={each: part_digest(array) for each, array in parts.items()},
        uncounted=record.uncounted,
    )
    return entry, parts


def comparable(content: ReleaseContent, state: RegisterState) -> ReleaseContent:
    """An import as the ledger can take it. People who were numbered with another key cannot be
    compared: they are taken to be the same people, and are not judged."""
    record = content.record
    known = {each.key_check for each in state.releases if each.key_check}
    if record is None or not known - {record.key_check}:
        return content
    return replace(content, record=None, not_judged=(*record.not_judged, OTHER_KEY))


def check_verdicts(
    after: RegisterState,
    verdicts: Mapping[str, LedgerVerdict],
    *,
    group: str,
    name: str,
) -> None:
    """Refuse a release with which a group that gets it would hold too much."""
    reached = after.getting(group) if group != EVERYBODY else tuple(verdicts)
    failed = {each: verdicts[each] for each in reached if verdicts[each].outcome == "fail"}
    if failed:
        told = " ".join(f"{each}: {verdict.reason}." for each, verdict in failed.items())
        raise CandidateFailed(
            f"The release {name} for {group} was refused; nothing was recorded.",
            found=told,
            attempt="a release with coarser labels, or for a group that holds less.",
        )
