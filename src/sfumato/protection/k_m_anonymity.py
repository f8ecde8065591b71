"""k^m-anonymity: whoever knows up to m values of a person's set finds at least k people with them (Terrovitis 2008)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Mistake
from sfumato.sources.engine import Itemsets

from .verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class KMAnonymity:
    """Each combination of up to `m` values of `field` that some person holds is held by at least `k` people.

    The set of a person are the different values in all of their rows of `table`; null is no value. With `within`,
    the people are counted within each bin of these fields, which is (k, k^m)-anonymity where the bins have k people.

    Assumes: a recipient knows at most `m` values of a person, and only that the person has them.
    Does not protect: who also knows quasi-identifiers, unless they are in `within`; who knows that someone does NOT
    have a value; how often someone has a value; a value that everyone with the known ones shares.
    Reference: Terrovitis, Mamoulis and Kalnis, VLDB 2008; Poulis et al., ECML PKDD 2013;
    docs/protection/k-m-anonymity.md.

    Example:
        >>> sets = Itemsets(values=("flu", "gout"), codes=np.array([[0, -1], [1, -1], [0, 1]], np.int32),
        ...                 groups=np.zeros(3, np.int64), people=np.array([7, 4, 2]))
        >>> KMAnonymity(k=3, m=2, table="diagnoses", field="code").judge(sets, people=9).reason
        '1 of 3 combinations of up to 2 values of code are held by fewer than 3 people; at most 2 of 9 people hold them'
    """

    k: int
    m: int
    table: str
    field: str
    within: tuple[str, ...] = ()

    name: ClassVar[str] = "k^m-anonymity"

    @property
    def requirement(self) -> str:
        return f"k = {self.k}, m = {self.m} for {self.field} in {self.table}"

    def counted(self, itemsets: Itemsets) -> NDArray[np.bool_]:
        """Which of the itemsets this model looks at: those of at most `m` values."""
        if itemsets.codes.shape[1] < self.m:
            raise Mistake(
                f"k^m-anonymity of {self.field} with m = {self.m} needs combinations of up to {self.m} values.",
                found=f"They were counted up to {itemsets.codes.shape[1]}.",
                attempt=f"Engine.itemsets(person, {self.field!r}, m={self.m}).",
            )
        return np.asarray((itemsets.codes >= 0).sum(axis=1) <= self.m)

    def failing(self, itemsets: Itemsets) -> NDArray[np.bool_]:
        """Which combinations break the rule. The rule holds when none does."""
        return self.counted(itemsets) & (itemsets.people < self.k)

    def judge(self, itemsets: Itemsets, people: int) -> Verdict:
        """The verdict about itemsets that were counted on what was written; `people` is how many people there are."""
        looked_at, failing = self.counted(itemsets), self.failing(itemsets)
        combinations, below = int(looked_at.sum()), int(failing.sum())
        smallest = int(itemsets.people[looked_at].min()) if combinations else 0
        holders = min(int(itemsets.people[failing].sum()), people)
        what = f"combinations of up to {self.m} values of {self.field}"
        what += f" within bins of ({', '.join(self.within)})" if self.within else ""
        if below:
            reason = f"{below} of {combinations} {what} are held by fewer than {self.k} people"
            reason += f"; at most {holders} of {people} people hold them"
        else:
            reason = f"all {combinations} {what} are held by {self.k} people or more; the smallest count is {smallest}"
        return Verdict(
            outcome="fail" if below else "pass",
            model=self.name,
            requirement=self.requirement,
            fields=(*self.within, self.field),
            bins=combinations,
            rows=people,
            smallest=smallest,
            bins_below=below,
            rows_below=holders,
            reason=reason,
        )
