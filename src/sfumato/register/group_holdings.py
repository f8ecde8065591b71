"""Groups of recipients: the holdings of each, entered into the ledger and judged as one release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np

from sfumato.accounting import ReadCharges
from sfumato.errors import CandidateFailed, ReleaseBroken
from sfumato.releases import PeopleRecord

from .gate_answers import AnsweredPeople, answers_for, refined_by, shown_answers
from .joint_classes import JointClasses
from .key_spelling import KnownPeople
from .ledger import Ledger
from .ledger_verdict import LedgerVerdict
from .people_links import common_key, key_spelling
from .recipients import EVERYBODY
from .registered_release import RegisteredRelease
from .release_content import OTHER_KEY, UNCONFIRMED, AccountVerdict, ReleaseContent
from .release_views import Array, ReleaseView, releases_apart
from .replay import RegisterState, digest_of_held
from .store import part_digest

CANDIDATE: Final = "the candidate"
"""The name of a release that is being made, in verdicts."""
_MODELS: Final = {"l": "l_diversity", "t": "t_closeness", "gain": "confidence_gain"}
"""By rule of the ledger, the model that a policy requires."""


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
    is_signed: bool
    """Whether signed moves alone lead to these holdings, so that its classes can be kept."""


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
        single = (each for scope in asking for each in scope.split("\t"))
        groups = tuple(dict.fromkeys((*(groups or state.groups), *sorted(single))))
    out: dict[str, GroupJudgement] = {}
    for group in groups:
        together = state.joined(group, asking)
        if group in out:
            continue
        held = state.held_by(group, asking)
        views = [release_view(each, parts, state) for each in held]
        answered = list(people.views(answers_for(together, shown))) if people is not None else []
        if not views and not answered:
            continue
        joint, apart = group_classes(state, parts, group, held, views)
        whole, strange = refined_by(answered, joint)
        verdict = _with_account(
            Ledger(views=[*views, *answered]).judge(
                state.charter.ledger, classes=whole, apart=(*apart, *strange)
            ),
            account,
        )
        verdict = _with_names(verdict, state.unsettled_names(together, asking))
        named = sorted(each for each in together if "\t" not in each)
        for each in named:
            others = tuple(other for other in named if other != each)
            out[each] = GroupJudgement(
                verdict=replace(verdict, joined=others),
                classes=joint,
                apart=apart,
                is_signed=held == state.held_by(each),
            )
    return out


def group_classes(
    state: RegisterState,
    parts: PartReader,
    group: str,
    held: Sequence[RegisteredRelease],
    views: Sequence[ReleaseView],
) -> tuple[JointClasses, tuple[str, ...]]:
    """The classes that were kept, refined by the newest release where nothing else was recorded
    since; otherwise those of all releases, one after the other."""
    kept = state.classes.get(group)
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


def check_classes(state: RegisterState, parts: PartReader) -> None:
    """The classes that were kept of a group are those of its releases: whoever signed a release
    with another program could have written others, and later releases are judged by them."""
    for group, kept in state.classes.items():
        held = state.held_by(group)
        for before in (held, held[:-1]):
            if kept.ledger != digest_of_held(before):
                continue
            views = [release_view(each, parts, state) for each in before]
            found = parts.part(kept.digest)
            joint = JointClasses.of(view.read("bins") for view in views)
            fits = found.ndim == 1 and found.dtype.kind == "i"
            apart = releases_apart(views, people=len(joint.class_of))
            if not fits or apart != kept.apart or not joint.is_same(JointClasses.kept(found)):
                raise ReleaseBroken(
                    f"The ledger of {group} is not that of its releases.",
                    found=f"The classes that {before[-1].author} signed with {before[-1].name} "
                    "are others.",
                    attempt="a backup from before that release, and what its author has to say.",
                )


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


def _with_names(verdict: LedgerVerdict, unsettled: Sequence[str]) -> LedgerVerdict:
    """The verdict with names that look alike: what one recipient holds may be more."""
    if not unsettled:
        return verdict
    return replace(
        verdict,
        outcome="review" if verdict.outcome == "pass" else verdict.outcome,
        not_judged=(*verdict.not_judged, *unsettled),
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


def release_view(
    release: RegisteredRelease, parts: PartReader, state: RegisterState
) -> ReleaseView:
    def read(name: str) -> Array:
        if name not in release.parts:  # A release without a record shows nobody.
            return np.zeros((1, 0), np.int32) if name == "labels" else np.zeros(0, np.int32)
        return parts.part(release.parts[name])

    unconfirmed = (UNCONFIRMED,) if state.is_unconfirmed(release) else ()
    return ReleaseView(
        name=release.name,
        fields=len(release.fields),
        overlaps=release.overlaps,
        sensitive=release.sensitive,
        not_judged=(*release.not_judged, *unconfirmed),
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
    imported: bool = False,
) -> tuple[RegisteredRelease, dict[str, Array]]:
    """A release as the register has it, and the parts of the ledger that are kept of it. Refused
    where keys of people differ in spelling alone; an import is not judged then."""
    record = content.record
    if record is None:
        plain = RegisteredRelease(
            name=name, group=group, digest=content.digest, imported=imported, key_check="", person="",
            fields=(), overlaps=(), sensitive=(), not_judged=content.not_judged, parts={},
            private=content.charges is not None,
        )  # fmt: skip
        return plain, {}
    known = [each for each in state.releases if "tags" in each.parts]
    people = KnownPeople.of(known, writing.part)
    ledger = Ledger(people.tags, key_check=next((each.key_check for each in known), ""))
    before = len(ledger.tags)
    record = _settled(record, state, people, imported=imported)
    view, parts = ledger.enter(name, record)
    parts["tags"] = ledger.tags[before:]
    if record.readings is not None:
        parts["readings"] = record.readings[np.searchsorted(record.tags, parts["tags"])]
    entry = RegisteredRelease(
        name=name,
        group=group,
        digest=content.digest,
        imported=imported,
        key_check=record.key_check,
        person=record.person,
        fields=record.fields,
        overlaps=view.overlaps,
        sensitive=view.sensitive,
        not_judged=(*view.not_judged, *content.not_judged),
        parts={each: part_digest(array) for each, array in parts.items()},
        uncounted=record.uncounted,
        replaced=content.replaced_fields(),
    )
    return entry, parts


def _settled(
    record: PeopleRecord,
    state: RegisterState,
    people: KnownPeople,
    *,
    imported: bool,
) -> PeopleRecord:
    """The record with people as earlier releases know them."""
    rule = key_spelling(record.person, state.people)
    if imported and (why := people.unsettled(record, rule)):
        return replace(record, not_judged=(*record.not_judged, why))
    return people.settled(record, rule)


def comparable(content: ReleaseContent, state: RegisterState) -> ReleaseContent:
    """An import as the ledger can take it. People who were numbered with another key cannot be
    compared: they are taken to be the same people, and are not judged."""
    record = content.record
    known = {each.key_check for each in state.releases if each.key_check}
    if record is None or not known - {record.key_check}:
        return content
    return replace(
        content, record=None, not_judged=(*content.not_judged, *record.not_judged, OTHER_KEY)
    )


def check_verdicts(
    verdicts: Mapping[str, LedgerVerdict],
    *,
    group: str,
    name: str,
) -> None:
    """Refuse a release with which a group that gets it would hold too much."""
    failed = {each: verdict for each, verdict in verdicts.items() if verdict.outcome == "fail"}
    if failed:
        once = [each for each in failed if not {group, *failed} & set(failed[each].joined)]
        shown = [*([group] if group in failed else []), *(each for each in once if each != group)]
        told = " ".join(f"{each}: {failed[each].reason}." for each in shown or failed)
        called = name if name == CANDIDATE else f"The release {name}"
        raise CandidateFailed(
            f"{called[0].upper()}{called[1:]} for {group} was refused; nothing was recorded.",
            found=told,
            attempt="a release with coarser labels (sfumato release --register --solve-anew), or "
            f"for recipients who hold less{_own_rules(failed.values())}.",
        )


def _own_rules(failed: Iterable[LedgerVerdict]) -> str:
    """The models by which a policy itself keeps the broken rules about sensitive values."""
    broken = {
        rule
        for verdict in failed
        for rules in verdict.sensitive.values()
        for rule, people in rules.items()
        if people
    }
    models = [model for rule, model in _MODELS.items() if rule in broken]
    return f", or a policy that requires {', '.join(models)} itself" if models else ""
