"""The ledger: the joint disclosure of all releases about the same people.

A set of releases is the source seen through the product of their recodings. The ledger keeps, for
the holder alone, the bin of every person in every release. It judges all that a group of recipients
holds as if it were one release. Withdrawn, expired and destroyed releases stay in it: nobody can be
made to forget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Mistake
from sfumato.protection import Outcome
from sfumato.releases import PeopleRecord
from sfumato.wording import counted

from .belief_history import ROUNDING, BeliefLimits, FieldView, HeldRelease
from .compatible_people import BinLabels, compatible_counts
from .joint_channels import ChannelView, beyond_tolerance
from .joint_classes import JointClasses, Numbers
from .release_content import AccountVerdict
from .remaining_values import NOT_LEFT, RemainingValues, remaining_values
from .several_values import remaining_of_several

Tags = NDArray[np.uint64]
Array = NDArray[Any]
NAMED: Final = 6
"""The most releases that the words of a verdict name for one reason."""
BrokenRules = dict[str, NDArray[np.bool_]]
"""By rule, the classes that break it."""


@dataclass(frozen=True, kw_only=True)
class LedgerRequirement:
    """The requirement on all that a group holds: `k` people in every class; of each sensitive field
    `l` values left, belief within `t` of the shares of all people, and a gain of at most `gain`."""

    k: int
    l: int = 1  # noqa: E741
    t: float = 1.0
    gain: float = 1.0

    def __post_init__(self) -> None:
        fits = self.k >= 1 and self.l >= 1 and 0 < self.t <= 1 and 0 < self.gain <= 1
        if not fits:
            raise Mistake(
                "A requirement on all releases together was asked for.",
                found=f"k = {self.k}, l = {self.l}, t = {self.t}, gain = {self.gain}.",
                attempt="k and l of 1 or more, t and gain above 0 and at most 1.",
            )


@dataclass(frozen=True, eq=False, kw_only=True)
class ReleaseView:
    """One release in the ledger. `read` gives a part of it: `bins` by person, 0 where absent;
    `labels` by bin; `overlapN` by field; `valuesN` and `value_ofN` by sensitive field, with
    `membersN` where people have several of its values, and `bins_ofN` where the field was shown in
    other bins; `input_of` and `toleranceN` of a release by channels. `has` are the names of all
    parts. The answers of a gate are a view too, and no release."""

    name: str
    fields: int
    overlaps: tuple[int, ...]
    sensitive: tuple[str, ...]
    not_judged: tuple[str, ...]
    person: str
    """The field of the source that identifies the person of a row; empty where nobody kept it."""
    read: Callable[[str], Array] = field(repr=False)
    has: frozenset[str] = frozenset()
    is_release: bool = True
    known: tuple[str, ...] = ()
    """The fields that recipients were taken to know."""
    uncounted: tuple[str, ...] = ()
    """Released fields that nobody was taken to know, and that are not sensitive."""

    def labels(self) -> BinLabels:
        overlaps = {at: self.read(f"overlap{at}") for at in self.overlaps}
        return BinLabels(labels=self.read("labels"), overlaps=overlaps)


@dataclass(frozen=True, kw_only=True)
class LedgerVerdict:
    """The verdict on all releases that a group holds: numbers of people, and no value.

    `smallest` is the size of the smallest class, `below` how many people are in classes under k.
    `compatible_smallest` and `compatible_below` are the same for people who cannot be ruled out,
    None where they were too many to compare. `sensitive` are people for whom too little is left of
    a field, by field and rule."""

    outcome: Outcome
    requirement: LedgerRequirement
    releases: tuple[str, ...]
    people: int
    smallest: int
    below: int
    compatible_smallest: int | None
    compatible_below: int | None
    newcomers: int
    leavers: int
    newcomers_below: int
    sensitive: Mapping[str, Mapping[str, int]]
    because: tuple[str, ...]
    not_judged: tuple[str, ...]
    account: AccountVerdict | None = None
    """The cost to one person of everything private about the people."""
    joined: tuple[str, ...] = ()
    """Groups that share a recipient with this one: their releases are judged as one."""

    @property
    def reason(self) -> str:
        """The verdict in words."""
        k, parts = self.requirement.k, []
        if self.below:
            why = f", because of {_listed(self.because)}" if self.because else ""
            parts.append(
                f"k over all that they hold is {self.smallest}; "
                f"{counted(self.below, 'person', 'people')} below {k}{why}"
            )
        elif self.people:
            parts.append(f"k over all that they hold is {self.smallest}")
        if self.newcomers_below:
            parts.append(f"{counted(self.newcomers_below, 'newcomer')} between releases among them")
        for name, rules in self.sensitive.items():
            parts += [
                f"{rule} of {name} fails for {counted(people, 'person', 'people')}"
                for rule, people in rules.items()
                if people
            ]
        if self.account is not None:
            parts.append(self.account.reason)
        parts += [f"not judged: {each}" for each in _by_reason(self.not_judged)]
        words = "; ".join(parts) or f"k over all that they hold is {self.smallest}"
        if self.joined:
            words += f"; judged together with {_listed(self.joined)}: they share a recipient"
        return words

    def as_dict(self) -> dict[str, Any]:
        return {
            "outcome": self.outcome,
            "requirement": vars(self.requirement),
            "releases": list(self.releases),
            "people": self.people,
            "smallest": self.smallest,
            "below": self.below,
            "compatible_smallest": self.compatible_smallest,
            "compatible_below": self.compatible_below,
            "newcomers": self.newcomers,
            "leavers": self.leavers,
            "newcomers_below": self.newcomers_below,
            "sensitive": {name: dict(rules) for name, rules in self.sensitive.items()},
            "because": list(self.because),
            "not_judged": list(self.not_judged),
            "account": None if self.account is None else vars(self.account),
            "joined": list(self.joined),
            "reason": self.reason,
        }


class Ledger:
    """Releases about the same people, in the order in which they were made.

    `tags` are the keyed numbers of all people that any release knows, in the order of recording; a
    person's place in it is the person's number."""

    def __init__(
        self, tags: Tags | None = None, views: Sequence[ReleaseView] = (), *, key_check: str = ""
    ) -> None:
        self.tags: Tags = np.zeros(0, np.uint64) if tags is None else tags
        self.views = list(views)
        self.key_check = key_check

    def add(self, name: str, record: PeopleRecord) -> ReleaseView:
        """Take in a release; people whom no release knew before get the next numbers."""
        view, parts = self.enter(name, record)
        held = ReleaseView(
            name=name, fields=view.fields, overlaps=view.overlaps, sensitive=view.sensitive,
            not_judged=view.not_judged, person=view.person, read=parts.__getitem__,
            has=frozenset(parts), known=view.known, uncounted=view.uncounted,
        )  # fmt: skip
        self.views.append(held)
        return held

    def enter(self, name: str, record: PeopleRecord) -> tuple[ReleaseView, dict[str, Array]]:
        """Number a release's people; its view, and the parts to keep of it."""
        if name in {view.name for view in self.views}:
            raise Mistake(f"The ledger has a release {name!r} already.", attempt="another name.")
        if self.key_check and record.key_check != self.key_check:
            raise Mistake(
                f"The people of {name!r} cannot be compared with those of the ledger.",
                found="Its people record was made with another key.",
                attempt="the release again with the key of the first one.",
            )
        self.key_check = record.key_check
        numbers = self._numbers(record.tags)
        size = len(self.tags)
        parts: dict[str, Array] = {"bins": _spread(numbers, record.bin_of, size)}
        blank = np.zeros((1, record.labels.shape[1]), np.int32)
        parts["labels"] = np.concatenate([blank, record.labels])
        for at, pairs in record.overlaps.items():
            parts[f"overlap{at}"] = pairs
        for at, values in enumerate(record.sensitive.values()):
            parts[f"values{at}"] = values.tags
            parts[f"value_of{at}"] = _spread(numbers, values.value_of, size)
            if values.members is not None:
                parts[f"members{at}"] = values.members
            if values.tolerance is not None:
                parts[f"tolerance{at}"] = values.tolerance
            if values.bin_of is not None:
                parts[f"bins_of{at}"] = _spread(numbers, values.bin_of, size)
        if record.input_of is not None:
            parts["input_of"] = _spread(numbers, record.input_of, size)
        view = ReleaseView(
            name=name,
            fields=record.labels.shape[1],
            overlaps=tuple(record.overlaps),
            sensitive=tuple(record.sensitive),
            not_judged=record.not_judged,
            person=record.person,
            read=parts.__getitem__,
            has=frozenset(parts),
            known=record.fields,
            uncounted=record.uncounted,
        )
        return view, parts

    def _numbers(self, tags: Tags) -> NDArray[np.int64]:
        """The numbers of people, some of whom may be new."""
        order = np.argsort(self.tags, kind="stable")
        place = np.searchsorted(self.tags, tags, sorter=order)
        found = order[np.minimum(place, len(order) - 1)] if len(order) else place
        known = self.tags[found] == tags if len(order) else np.zeros(len(tags), bool)
        numbers = np.asarray(found, np.int64).copy()
        numbers[~known] = np.arange(len(self.tags), len(self.tags) + int((~known).sum()))
        self.tags = np.concatenate([self.tags, tags[~known]])
        return numbers

    def judge(
        self,
        requirement: LedgerRequirement,
        names: Sequence[str] | None = None,
        *,
        classes: JointClasses | None = None,
        apart: Sequence[str] | None = None,
    ) -> LedgerVerdict:
        """Judge some releases together; all where none are named. `classes` are theirs, and `apart`
        those without a person in common with releases before them, where that is known already."""
        strange = set(names or ()) - {view.name for view in self.views}
        if strange:
            raise Mistake(
                f"The ledger was asked about {_listed(sorted(strange))}.",
                found="It has no such release.",
                attempt="a name that `sfumato register show` lists.",
            )
        chosen = [view for view in self.views if names is None or view.name in names]
        joint = classes or JointClasses.of(view.read("bins") for view in chosen)
        if apart is None:
            apart = releases_apart(chosen, people=len(joint.class_of))
        return _Judgement(chosen, joint, requirement, apart=apart).verdict()

    def failing_people(self, requirement: LedgerRequirement) -> NDArray[np.bool_]:
        """Mark the people whose joint class has fewer than k people, or breaks a rule about
        sensitive values."""
        joint = JointClasses.of(view.read("bins") for view in self.views)
        return _Judgement(self.views, joint, requirement, apart=()).failing_people()

    def keeps(self, requirement: LedgerRequirement, *, classes: JointClasses) -> bool:
        """Whether all releases together, with these joint classes, meet the requirement."""
        return _Judgement(self.views, classes, requirement, apart=()).keeps()


def releases_apart(views: Sequence[ReleaseView], *, people: int) -> tuple[str, ...]:
    """Releases without a person in common with those before them."""
    before, found = np.zeros(people, bool), []
    for view in views if len(views) > 1 else ():
        there = view.read("bins") > 0
        known = before[: len(there)]
        if there.any() and before.any() and not (there & known).any():
            found.append(view.name)
        known |= there
    return tuple(found)


class _Judgement:
    """One judging of some views, with the bins of each class at hand."""

    def __init__(
        self,
        views: Sequence[ReleaseView],
        joint: JointClasses,
        requirement: LedgerRequirement,
        *,
        apart: Sequence[str],
    ) -> None:
        self.views, self.joint, self.requirement, self.apart = views, joint, requirement, apart
        self.sizes = joint.sizes
        self.one_of_each = joint.representatives()

    def codes(self, view: ReleaseView) -> Numbers:
        """The bin of every class in one release, 0 where absent."""
        bins = view.read("bins")
        if not len(bins):
            return np.zeros(self.joint.count, np.int32)
        at = np.minimum(np.maximum(self.one_of_each, 0), len(bins) - 1)
        inside = (self.one_of_each >= 0) & (self.one_of_each < len(bins))
        return np.where(inside, bins[at], 0).astype(np.int32)

    @property
    def _under(self) -> NDArray[np.bool_]:
        return np.asarray((self.sizes > 0) & (self.sizes < self.requirement.k))

    def keeps(self) -> bool:
        """Whether nobody is below the requirement; unjudged parts are ignored."""
        if self._under.any():
            return False
        sensitive, _ = self._sensitive()
        return not any(people for rules in sensitive.values() for people in rules.values())

    def failing_people(self) -> NDArray[np.bool_]:
        """People of classes under k, or with too little left of a sensitive field."""
        failing = self._under[self.joint.class_of]
        for joint, rules in self._broken_fields()[0].values():
            for broken in rules.values():
                failing |= (broken & (joint.sizes > 0))[joint.class_of]
        return failing

    def verdict(self) -> LedgerVerdict:
        under = self._under
        below = int(self.sizes[under].sum())
        people = int(self.sizes.sum())
        smallest = int(self.sizes[self.sizes > 0].min()) if people else 0
        compatible = self._compatible(under)
        newcomers, leavers, newcomers_below = self._movements(under)
        unjudged = [f"{view.name}: {why}" for view in self.views for why in view.not_judged]
        unjudged += [*self._strangers(), *self._uncounted()]
        sensitive, unheld = self._sensitive()
        unjudged += unheld
        failed = below or any(people for rules in sensitive.values() for people in rules.values())
        return LedgerVerdict(
            outcome="fail" if failed else "review" if unjudged or not self.views else "pass",
            requirement=self.requirement,
            releases=tuple(view.name for view in self.views),
            people=people,
            smallest=smallest,
            below=below,
            compatible_smallest=compatible[0],
            compatible_below=compatible[1],
            newcomers=newcomers,
            leavers=leavers,
            newcomers_below=newcomers_below,
            sensitive=sensitive,
            because=self._because(under) if below else (),
            not_judged=tuple(unjudged),
        )

    def _compatible(self, under: NDArray[np.bool_]) -> tuple[int | None, int | None]:
        """The fewest people compatible with anybody, and how many people have fewer than k."""
        there = self.sizes > 0
        labels = [view.labels() for view in self.views]
        overlap = any(len(pairs) for each in labels for pairs in each.overlaps.values())
        if not overlap or not there.any():
            sizes = self.sizes[there]
            return (int(sizes.min()) if len(sizes) else 0), int(self.sizes[under].sum())

        def codes() -> list[Numbers]:
            return [self.codes(view) for view in self.views]

        for wanted in (there, under):
            counts = compatible_counts(self.sizes, codes, labels, wanted=wanted)
            if counts is None:
                continue
            fewest = int(counts[wanted].min()) if wanted.any() else self.requirement.k
            low = wanted & (counts < self.requirement.k)
            if wanted is under:  # Others are compatible with k people or more.
                fewest = min(fewest, self.requirement.k)
            return fewest, int(self.sizes[low].sum())
        return None, None

    def _movements(self, under: NDArray[np.bool_]) -> tuple[int, int, int]:
        """Classes whose people joined after the first release, left before the last, and those of
        the former that are under k; in people."""
        views = [view for view in self.views if view.is_release]
        if len(views) < 2:
            return 0, 0, 0
        first, last = (self.codes(view) > 0 for view in (views[0], views[-1]))
        new, gone = ~first, ~last
        return (
            int(self.sizes[new].sum()),
            int(self.sizes[gone].sum()),
            int(self.sizes[new & under].sum()),
        )

    def _strangers(self) -> list[str]:
        """Releases whose people cannot be taken for others than those of the releases before: by
        another key, or without one person in common. They may be about the same people."""
        keys = dict.fromkeys(view.person for view in self.views if view.person)
        found = (
            [f"people were numbered with different keys: {', '.join(keys)}"]
            if len(keys) > 1
            else []
        )
        return [
            *found,
            *(f"{name} has no person in common with releases before it" for name in self.apart),
        ]

    def _uncounted(self) -> list[str]:
        """Released fields that nobody was taken to know, and that recipients know from another
        release: with them its classes would be finer."""
        known = {name.rpartition(".")[2] for view in self.views for name in view.known}
        out = []
        for view in self.views:
            own = {name.rpartition(".")[2] for name in view.known}
            shown = {name.rpartition(".")[2] for name in (*view.uncounted, *view.sensitive)}
            out += [
                f"{view.name} discloses {name}, which another release counts as known"
                for name in sorted((known - own) & shown)
            ]
        return out

    def _sensitive(self) -> tuple[dict[str, dict[str, int]], list[str]]:
        """By field and rule, the number of people with too few values left; and the unjudged
        fields."""
        out = {name: {"tolerance": people} for name, people in self._channels().items()}
        fields, unheld = self._broken_fields()
        for name, (joint, rules) in fields.items():
            broken = {rule: int(joint.sizes[marks].sum()) for rule, marks in rules.items()}
            out[name] = {**out.get(name, {}), **broken}
        return out, unheld

    def _broken_fields(self) -> tuple[dict[str, tuple[JointClasses, BrokenRules]], list[str]]:
        """By field its classes, and which of them break each rule; and the unjudged fields."""
        out: dict[str, tuple[JointClasses, BrokenRules]] = {}
        unheld: list[str] = []
        asked = self.requirement
        if asked.l == 1 and asked.t == 1 and asked.gain == 1:
            return out, unheld
        limits = BeliefLimits(t=asked.t, gain=asked.gain)
        for name, fields in self._fields().items():
            joint = self.joint
            for each in fields.values():
                joint = joint.refined(each.bins()) if each.is_apart else joint
            held = [
                HeldRelease(bins=partial(view.read, "bins"), field=fields.get(number))
                for number, view in enumerate(self.views)
            ]
            several = any(each.members is not None for each in fields.values())
            judge = remaining_of_several if several else remaining_values
            left = judge(joint, held, limits=limits)
            if left is None:
                unheld.append(f"{name} has too many values")
            else:
                out[name] = joint, self._broken(left)
        return out, unheld

    def _fields(self) -> dict[str, dict[int, FieldView]]:
        """The sensitive fields, by the place of each release that has them. A field of one of
        several tables is that of the same name in another release, where its own has no second."""
        out: dict[str, dict[int, FieldView]] = {}
        for number, view in enumerate(self.views):
            plain = [name.rpartition(".")[2] for name in view.sensitive]
            for full, short in zip(view.sensitive, plain, strict=True):
                name = short if plain.count(short) == 1 else full
                out.setdefault(name, {})[number] = _field(view, full)
        return out

    def _channels(self) -> dict[str, int]:
        """By confidential field, people whom intersections of output channels disclose too well."""
        views: dict[str, list[ChannelView]] = {}
        for view in self.views:
            for at, name in enumerate(view.sensitive):
                if f"tolerance{at}" in view.has:
                    views.setdefault(name, []).append(_channel(view, at))
        joint = JointClasses.of(each.bins() for held in views.values() for each in held)
        return {name: beyond_tolerance(each, joint) for name, each in views.items()}

    def _broken(self, left: RemainingValues) -> BrokenRules:
        asked = self.requirement
        known = left.distinct != NOT_LEFT
        few = known & ((left.distinct < asked.l) | (left.linked < asked.l))
        rules = {"l": few} if asked.l > 1 else {}
        if left.distance is not None and asked.t < 1:
            rules["t"] = known & (left.distance > asked.t + ROUNDING)
        if left.gain is not None and asked.gain < 1:
            rules["gain"] = known & (left.gain > asked.gain + ROUNDING)
        return rules

    def _because(self, under: NDArray[np.bool_]) -> tuple[str, ...]:
        """The releases that together single out the smallest class. The first is the one with these
        people and the fewest remaining: absence from a release shows only beside another. Then
        follow those that leave the fewest of the rest, until they are under k."""
        worst = int(np.argmin(np.where(under, self.sizes, np.iinfo(np.int64).max)))
        person = int(self.one_of_each[worst])
        everybody = np.flatnonzero(self.joint.class_of > 0)
        kept: dict[str, NDArray[np.bool_]] = {}
        first, left = "", everybody
        for view in self.views:
            bins = view.read("bins")
            if person < len(bins) and bins[person] > 0:
                stay = everybody[_alike(bins, everybody, person)]
                if not first or len(stay) < len(left):
                    first, left = view.name, stay
        if len(left) >= self.requirement.k:  # They are few now: of other releases, they are enough.
            kept = {view.name: _alike(view.read("bins"), left, person) for view in self.views}
        named, among = [first], np.ones(len(left), bool)
        while among.sum() >= self.requirement.k and len(named) < len(self.views):
            others = {name: among & alike for name, alike in kept.items() if name not in named}
            best = min(others, key=lambda name: int(others[name].sum()))
            named.append(best)
            among = others[best]
        return tuple(view.name for view in self.views if view.name in named)


def _alike(bins: Numbers, people: NDArray[np.int64], person: int) -> NDArray[np.bool_]:
    """Which of some people are in the bin of one person, or absent like that person."""
    own = bins[person] if person < len(bins) else 0
    inside = people < len(bins)
    there = (
        np.where(inside, bins[np.minimum(people, len(bins) - 1)], 0) if len(bins) else inside * 0
    )
    return np.asarray(there == own, bool)


def _field(view: ReleaseView, name: str) -> FieldView:
    at = view.sensitive.index(name)
    is_apart = f"bins_of{at}" in view.has
    return FieldView(
        bins=lambda: view.read(f"bins_of{at}" if is_apart else "bins"),
        is_apart=is_apart,
        value_of=lambda: view.read(f"value_of{at}"),
        tags=view.read(f"values{at}"),
        members=(lambda: view.read(f"members{at}")) if f"members{at}" in view.has else None,
    )


def _channel(view: ReleaseView, at: int) -> ChannelView:
    return ChannelView(
        bins=lambda: view.read("bins"),
        input_of=lambda: view.read("input_of"),
        value_of=lambda: view.read(f"value_of{at}"),
        tolerance=view.read(f"tolerance{at}"),
    )


def _spread(numbers: NDArray[np.int64], codes: Numbers, size: int) -> Numbers:
    """A code for every person by number, one more than it was; 0 for people who have none."""
    out = np.zeros(size, np.int32)
    out[numbers] = codes + 1
    return out


def _by_reason(unjudged: Sequence[str]) -> list[str]:
    """Words such as "RELEASE: why" once for all releases with the same reason."""
    names: dict[tuple[str, str], list[str]] = {}
    for each in unjudged:
        name, colon, why = each.partition(": ")
        names.setdefault((colon, why), []).append(name)
    return [
        f"{_listed([*some[:NAMED], *([f'{len(some) - NAMED} more'] if some[NAMED:] else [])])}"
        f"{colon}{why}"
        for (colon, why), some in names.items()
    ]


def _listed(names: Sequence[str]) -> str:
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]
