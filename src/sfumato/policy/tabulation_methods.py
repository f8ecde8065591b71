"""Methods of protecting tables of counts, and what a method declares.

Each file `releases/tabulated/*_method.py` declares one method, and so may an installed package. Reading
and checking of `[tables_of_counts]`, its JSON Schema, the tables of the docs, `sfumato tabulate` and
`sfumato verify` follow from the declarations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sfumato.errors import Problem
from sfumato.parts import Parameter, Registry, parameters_of

if TYPE_CHECKING:
    from .tables_of_counts_section import TablesOfCounts


def _fits(policy: TablesOfCounts) -> Iterable[Problem]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TabulationMethod:
    """The declaration of a method: `key` is its word in a policy, `doc` what it does, `title` its name
    in a report, `record` its parameters, and `statement` the text about the counts in a manifest.

    `tabulate` takes an engine and a policy, and returns the protected table with the facts about it.
    `verify` takes the table as it was written, its tree of areas, the policy and the manifest, and
    yields checks. `check` yields the problems of a policy that its parameters cannot show one by one.

    `has_account`: noise is charged. `marks_cells`: suppressed cells are marked in a column of their own.
    `one_row`: each person is counted once."""

    key: str
    doc: str
    title: str
    record: type
    statement: str
    tabulate: Callable[[Any, TablesOfCounts], Any]
    verify: Callable[[Any, Any, TablesOfCounts, Any], Iterable[Any]]
    check: Callable[[TablesOfCounts], Iterable[Problem]] = _fits
    has_account: bool = False
    marks_cells: bool = False
    one_row: bool = False

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return parameters_of(self.record)

    @property
    def parameter_names(self) -> frozenset[str]:
        return frozenset(each.name for each in self.parameters)


TABULATION_METHODS: Final[Registry[TabulationMethod]] = Registry(
    "method of tables of counts",
    room="sfumato.releases.tabulated",
    group="sfumato.tabulation_methods",
)
"""Every method of `[tables_of_counts]`, by its key in a policy."""
