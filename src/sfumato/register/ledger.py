"""The ledger: the joint disclosure of all releases about the same people.

A set of releases is the source seen through the product of their recodings. The ledger keeps, for
the holder alone, the bin of every person in every release. It judges all that a group of recipients
holds as if it were one release. Withdrawn, expired and destroyed releases stay in it: nobody can be
made to forget."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Mistake
from sfumato.releases import PeopleRecord

from .joint_classes import JointClasses, Numbers
from .joint_judgement import JointJudgement
from .ledger_verdict import LedgerRequirement, LedgerVerdict, listed
from .release_views import Array, ReleaseView, releases_apart

Tags = NDArray[np.uint64]


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
        view, _ = self.enter(name, record)
        self.views.append(view)
        return view

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
                f"The ledger was asked about {listed(sorted(strange))}.",
                found="It has no such release.",
                attempt="a name that `sfumato register show` lists.",
            )
        chosen = [view for view in self.views if names is None or view.name in names]
        joint = classes or JointClasses.of(view.read("bins") for view in chosen)
        if apart is None:
            apart = releases_apart(chosen, people=len(joint.class_of))
        return JointJudgement(chosen, joint, requirement, apart=apart).verdict()

    def failing_people(self, requirement: LedgerRequirement) -> NDArray[np.bool_]:
        """Mark the people whose joint class has fewer than k people, or breaks a rule about
        sensitive values."""
        joint = JointClasses.of(view.read("bins") for view in self.views)
        return JointJudgement(self.views, joint, requirement, apart=()).failing_people()

    def keeps(self, requirement: LedgerRequirement, *, classes: JointClasses) -> bool:
        """Whether all releases together, with these joint classes, meet the requirement."""
        return JointJudgement(self.views, classes, requirement, apart=()).keeps()


def _spread(numbers: NDArray[np.int64], codes: Numbers, size: int) -> Numbers:
    """A code for every person by number, one more than it was; 0 for people who have none."""
    out = np.zeros(size, np.int32)
    out[numbers] = codes + 1
    return out
