"""The judgement of releases that a group holds together, by their joint classes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from .belief_history import ROUNDING, BeliefLimits, FieldView, HeldRelease
from .compatible_people import compatible_counts
from .joint_channels import ChannelView, beyond_tolerance
from .joint_classes import JointClasses, Numbers
from .ledger_verdict import LedgerRequirement, LedgerVerdict
from .release_views import ReleaseView, channel_view, field_view
from .remaining_values import NOT_LEFT, RemainingValues, remaining_values
from .several_values import remaining_of_several

BrokenRules = dict[str, NDArray[np.bool_]]
"""By rule, the classes that break it."""


class JointJudgement:
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
                out.setdefault(name, {})[number] = field_view(view, full)
        return out

    def _channels(self) -> dict[str, int]:
        """By confidential field, people whom intersections of output channels disclose too well."""
        views: dict[str, list[ChannelView]] = {}
        for view in self.views:
            for at, name in enumerate(view.sensitive):
                if f"tolerance{at}" in view.has:
                    views.setdefault(name, []).append(channel_view(view, at))
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
