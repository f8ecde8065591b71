"""How many rows of each person stay, so that no number of rows identifies anybody (Sweeney 1997,
section 3.8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato import wording
from sfumato.bins import Bins, group
from sfumato.engines import Engine, Lookup, Quota, WritePlan
from sfumato.errors import NoRecodingFound, PolicyError, Problem
from sfumato.hierarchies import Label
from sfumato.policy import Policy
from sfumato.solvers import merge_row_counts

from ..requirements import number_bin_size
from .people_models import person_in
from .row_counts import (
    numbers_lookup,
    person_numbers,
    renumbered,
    row_numbers,
    rows_of,
    tables_before,
    with_none,
)
from .table_view import Quasi, Sight

if TYPE_CHECKING:
    from .stages import StagedRows


def row_count_bin_size(policy: Policy, sight: Sight, people: int) -> int | None:
    """b_tabf: how many of `people` share each number of rows; None where the number discloses
    nothing."""
    asked, require = sight.policy.row_counts, policy.require
    if sight.person is None or sight.is_unique or asked.linking == 0 or not sight.linkable:
        return None
    if asked.bin_size is not None:
        return asked.bin_size
    anonymity = require.one("anonymity")
    if anonymity is not None:
        return number_bin_size(anonymity, asked.linking, people)
    return require.k


class Quotas:
    """The rows of one table, for tables above it that are staged already."""

    def __init__(self, policy: Policy, sight: Sight, above: Mapping[str, StagedRows]) -> None:
        self._policy, self._sight, self._above = policy, sight, above

    @property
    def bin_size(self) -> int | None:
        """b_tabf: how many people share each number of rows; None where the number discloses
        nothing."""
        people = sum(found.rows for found in self._above.values() if found.sight.is_unique)
        return row_count_bin_size(self._policy, self._sight, people)

    @property
    def with_quasi(self) -> bool:
        return self.bin_size is not None and self._sight.policy.row_counts.linking == 1

    @property
    def _shared(self) -> tuple[Quasi, ...]:
        """The person's quasi-identifiers, where the number of rows is known together with them."""
        if not self.with_quasi:
            return ()
        if self._sight.above is None:
            where = "row_counts.linking"
            found = (
                "the rows of one person differ in their quasi-identifiers, so the number "
                "belongs to none of them."
            )
            raise PolicyError(
                [
                    Problem(
                        where=where, found=found, attempt="a number below 1, or a table of people."
                    )
                ]
            )
        people = next(found.sight for found in self._above.values() if found.sight.is_unique)
        return tuple(item for item in self._sight.quasi if item.table == people.name)

    @property
    def before(self) -> tuple[str, ...]:
        """The tables whose numbers of rows are known together with that of this one."""
        if self.bin_size is None:
            return ()
        staged = (name for name, found in self._above.items() if found.bin_size is not None)
        return tables_before(self._sight, staged)

    def lookup(self, sight: Sight) -> Lookup | None:
        """From the person of a table's rows to the numbers of rows in the tables before; None where
        no such number is known."""
        if not self.before:
            return None
        everyone = next(found for found in self._above.values() if found.sight.is_unique)
        numbers = {
            name: person_numbers(self._above[name].engine, person_in(self._above[name].sight))
            for name in self.before
        }
        people = person_numbers(everyone.engine, person_in(everyone.sight))
        return numbers_lookup(person_in(sight), people, numbers)

    def counted(self, engine: Engine) -> Bins | None:
        """How many people have each number of rows, those with none too; None where that is not
        protected."""
        if self.bin_size is None:
            return None
        numbers = tuple(map(rows_of, self.before))
        fields = (*(item.called for item in self._shared), *numbers)
        found = Bins.from_frequencies(engine.rows_per_person(person_in(self._sight), fields))
        everyone = next((stage for stage in self._above.values() if stage.sight.is_unique), None)
        if everyone is None:
            return found
        own = [item.field for item in self._shared]
        lookup = self.lookup(everyone.sight)
        if lookup is None:
            return with_none(found, Bins.count(everyone.engine, own))
        plan = WritePlan(fields=(*own, *numbers), lookups=(lookup,))
        numbered = everyone.engine.staged(plan)
        try:
            return with_none(found, Bins.count(numbered, [*own, *numbers]))
        finally:
            numbered.close()

    def quota(self, counted: Bins | None) -> tuple[Quota | None, Bins | None]:
        """How many rows of each person stay, so that every number is shared, and the numbers
        then."""
        if counted is None or self.bin_size is None:
            return None, counted
        fields = counted.fields[:-1]
        groups, _ = group(counted.codes[:, :-1], [len(labels) for labels in counted.labels[:-1]])
        rows = row_numbers(counted)
        merging = self._sight.policy.row_counts.merging
        keep = merge_row_counts(
            groups, rows, counted.counts, bin_size=self.bin_size, merging=merging
        )
        if (keep < 0).any():
            raise NoRecodingFound(
                f"Each number of rows in {self._sight.name} must be shared by "
                f"{self.bin_size} people.",
                found=wording.counted(
                    len(np.unique(groups[keep < 0])), "group of people is", "groups of people are"
                )
                + " smaller than that, of those who share "
                + " and ".join(
                    part
                    for part, is_known in (
                        ("their quasi-identifiers", bool(self._shared)),
                        ("their numbers of rows in tables before", bool(self.before)),
                    )
                    if is_known
                )
                + "."
                if fields
                else "The table has "
                f"{wording.counted(int(counted.counts.sum()), 'person', 'people')} in all.",
                attempt="a smaller bin_size in its row_counts"
                + (", the same linking in those of tables before" if self.before else "")
                + ", or a larger k.",
            )
        less = keep < rows
        if not less.any():
            return None, counted
        batch: dict[str, NDArray[Any]] = {
            f"key:{name}": objects(counted.labels[f])[counted.codes[less, f]]
            for f, name in enumerate(fields)
        }
        batch |= {"rows": rows[less], "keep": keep[less]}
        quota = Quota(person=person_in(self._sight), fields=fields, batches=lambda: iter([batch]))
        return quota, renumbered(counted, keep)


def objects(values: Sequence[Label]) -> NDArray[np.object_]:
    out = np.empty(len(values), object)
    out[:] = values
    return out
