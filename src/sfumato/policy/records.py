"""The decisions of a person about a table: roles, hierarchies, recipients, requirements. Frozen
records; a policy prints and saves itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from sfumato.hierarchies import (
    Hierarchy,
    HierarchySpec,
    Label,
    LevelBound,
    Suppression,
    within_levels,
)
from sfumato.parts import ParameterKind, parameter, parameters_of

from .channel_records import Channels
from .declared_solvers import settings_for
from .requirements import Requirements
from .roles import NullRule, Role
from .source_records import SourceFormat
from .step_records import PolicyStep
from .table_records import RowCountPolicy, TablePolicy
from .text_records import ScrubPolicy

# The words that a policy file may use where the record holds plain text.
USUAL_SOLVER = "best"
"""The solver of a policy that names none."""
OBJECTIVES = (
    "loss",
    "ncp",
    "precision",
    "discernibility",
    "average-bin-size",
    "non-uniform-entropy",
    "entropy",
)
OTHER_FIELDS = ("refuse", "remove")
KEPT_WEIGHT = 10.0
"""The factor by which a policy weighs the loss of a field that it keeps."""


class Method(StrEnum):
    """The replacement of a direct identifier (Garfinkel 2016, section 4.3.1)."""

    REMOVE = "remove"
    MASK = "mask"
    NULL = "null"
    KEYWORD = "keyword"
    HASH = "hash"
    LOOKUP = "lookup"
    MADE_UP = "made-up"
    SURROGATE = "surrogate"
    NUMBER = "number"


class Order(StrEnum):
    """The order of the released rows: random (Sweeney 1997, section 3.7), by content, or as in the
    source."""

    SCRAMBLE = "scramble"
    SORTED = "sorted"
    KEEP = "keep"


class Membership(StrEnum):
    """Whether membership in a table may be disclosed; noisy answers of the gate depend on it."""

    PUBLIC = "public"
    PROTECTED = "protected"


class Intervals(StrEnum):
    """Whether shifting a person's dates keeps the days between them or perturbs them, order
    kept."""

    KEEP = "keep"
    PERTURB = "perturb"


NumberSteps = tuple[float, ...]
"""Steps of a number: one width, or the least number of each step; none where empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """How a direct identifier is replaced. `kind` is what a surrogate should look like, e.g.
    "name"; `word` is the keyword in place of every value, e.g. "PATIENT"."""

    method: Method = Method.REMOVE
    kind: str = ""
    word: str = ""

    @property
    def tells_rows_apart(self) -> bool:
        """Whether the replacement still shows which rows had the same value."""
        return self.method is not Method.REMOVE and not self.leaves_a_constant

    @property
    def leaves_a_constant(self) -> bool:
        """Whether the field is released with the same value in every row."""
        return self.method in (Method.MASK, Method.NULL, Method.KEYWORD)


@dataclass(frozen=True, slots=True, kw_only=True)
class DateShift:
    """Move all dates of one person by one random number of days, at most `days` either way
    (Garfinkel 2016, 4.3.3); by whole weeks where `weekdays` are kept. Of `holidays`, ISO dates, a
    shift takes each to another and no other day to one, where enough shifts do."""

    days: int
    per: str
    intervals: Intervals = Intervals.KEEP
    weekdays: bool = False
    holidays: tuple[str, ...] = ()

    @property
    def is_by_dates(self) -> bool:
        """Whether the move of a date depends on the other dates of the person."""
        return self.intervals is Intervals.PERTURB or bool(self.holidays)


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """The values that a field may have, independent of the rows: those listed, or all whole numbers
    of a span. A missing value (None) is never declared; it is one of the values that a gate derives
    from declared ones."""

    values: tuple[str | int | float | None, ...] = ()
    least: int | None = None
    most: int | None = None

    def listed(self) -> tuple[str | int | float | None, ...]:
        """All of them, in their order."""
        return (
            self.values
            if self.least is None or self.most is None
            else tuple(range(self.least, self.most + 1))
        )

    def __len__(self) -> int:
        return (
            len(self.values)
            if self.least is None or self.most is None
            else self.most - self.least + 1
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of the source and what was decided about it.

    `rank` is mu-Argus's identification rank: 0 not, 1 identifying, 2 more, 3 most identifying
    (Sweeney 2000, 6.3). `follows` names a quasi field, its leader: where the leader's cell is
    suppressed, so is this field's. `scrub` is how a text field is scrubbed; the usual way where it
    is None. `null_words` are cells that mean a missing value in this field. `made_of` are the
    fields that together are this one, which the source does not have: a key of several fields.
    `domain` and `constant_per_person` are declared, never derived from rows: noisy groups of the
    gate use them. `finest` and `coarsest` are the levels, by number or name, below and above which
    no cell is released. With `open`, nobody has decided the role of the field yet, and no release
    passes. `may_tell` are fields that this one determines, and may disclose although they are
    treated more strongly."""

    name: str
    role: Role
    hierarchy: HierarchySpec | None = None
    finest: LevelBound = None
    coarsest: LevelBound = None
    replace: Replacement | None = None
    shift: DateShift | None = None
    rank: int = 1
    follows: str = ""
    scrub: ScrubPolicy | None = None
    null_words: tuple[str, ...] = ()
    domain: Domain | None = None
    constant_per_person: bool = False
    public: bool = False
    """Whether how many people have each value is public: the gate counts it without a claim."""
    made_of: tuple[str, ...] = ()
    open: bool = False
    may_tell: tuple[str, ...] = ()
    value_steps: NumberSteps = ()
    """How a sensitive number is judged: one width, or the least number of each step."""

    def bind(self, values: Iterable[Label]) -> Hierarchy:
        """The field's hierarchy over some values, within its finest and its coarsest level."""
        bound = (self.hierarchy or Suppression()).bind(tuple(values))
        return within_levels(bound, finest=self.finest, coarsest=self.coarsest)


class AccessClass(StrEnum):
    """The people who can have a recipient's data: insiders only (Pr), few who are named (SPr), all
    but few who are denied (SPu), anybody (Pu): Sweeney 2000, figure 8."""

    PRIVATE = "private"
    SEMI_PRIVATE = "semi-private"
    SEMI_PUBLIC = "semi-public"
    PUBLIC = "public"

    @property
    def breadth(self) -> int:
        """0 for the narrowest class."""
        return list(AccessClass).index(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipientProfile:
    """The recipient of the release.

    `linking` is P_f, how likely the recipient is to link on a field (Sweeney 1997, 3.3): 0 not at
    all, 1 surely. `distortion` is how much distortion of a field the recipient tolerates (Sweeney
    2000, 6.2): 0 least, 1 most. `default_linking` and `default_distortion` hold for the fields that
    are not named. `access` is who else can have this recipient's data."""

    name: str
    description: str = ""
    linking: Mapping[str, float] = field(default_factory=dict)
    distortion: Mapping[str, float] = field(default_factory=dict)
    default_linking: float = 1.0
    default_distortion: float = 0.5
    access: AccessClass | None = None

    def links_on(self, name: str) -> float:
        return self.linking.get(name, self.default_linking)

    def tolerates(self, name: str) -> float:
        return self.distortion.get(name, self.default_distortion)

    def of_table(self, table: TablePolicy, *, plain: bool) -> RecipientProfile:
        """The profile by the field names of one table, written as TABLE.FIELD and, where `plain`,
        also as FIELD."""
        return replace(
            self,
            linking=_of_table(self.linking, table, plain=plain),
            distortion=_of_table(self.distortion, table, plain=plain),
        )

    def weights(self, names: Iterable[str]) -> dict[str, float]:
        """How much losing each field matters, for the solvers that weigh: less the more distortion
        is tolerated."""
        return {name: 1.0 - 0.9 * self.tolerates(name) for name in names}


def _of_table(said_of: Mapping[str, Any], table: TablePolicy, *, plain: bool) -> dict[str, Any]:
    said = {name: [f"{table.name}.{name}", *([name] if plain else [])] for name in table.fields}
    return {name: said_of[key] for name, keys in said.items() for key in keys if key in said_of}


@dataclass(frozen=True, slots=True, kw_only=True)
class SolveSettings:
    """Which solver turns bins and requirements into a recoding, what all of them share, and the
    settings of that one.

    `settings` is the record that the solver declares; its usual one where none is given.

    Example:
        >>> SolveSettings(solver="microaggregation").settings
        MicroaggregationSettings(aggregate='mean', digits=2)
    """

    solver: str = USUAL_SOLVER
    objective: str = parameter(
        "what a search of the lattice keeps as low as possible", default="loss", words=OBJECTIVES
    )
    seed: int = parameter("of the search, recorded in the manifest", default=0, least=0)
    max_bins: int = parameter(
        "a table with more bins is rolled up before it is searched", default=5_000_000, least=1
    )
    weights: Mapping[str, float] = parameter(
        "how dear the loss of each field is, in place of what the recipient tolerates",
        default_factory=dict,
        above=0,
    )
    undo: int = parameter(
        "for `k_m`: passes that may be spent on giving detail back", default=3, least=0
    )
    settings: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", settings_for(self.solver, self.settings))

    @property
    def levels(self) -> Mapping[str, int]:
        """The levels that a person chose; empty where the solver takes none."""
        return getattr(self.settings, "levels", {})

    def of_table(self, table: TablePolicy, *, plain: bool) -> SolveSettings:
        """The settings by the field names of one table, written as TABLE.FIELD and, where `plain`,
        also as FIELD."""
        own = {
            name: _of_table(said, table, plain=plain)
            for name, said in said_by_field(self.settings).items()
        }
        return replace(
            self,
            weights=_of_table(self.weights, table, plain=plain),
            settings=replace(self.settings, **own),
        )


def said_by_field(settings: Any) -> dict[str, Mapping[str, Any]]:
    """The settings that have a number for each field, by their names."""
    kinds = (ParameterKind.SHARES, ParameterKind.SIZES)
    record: type = type(settings)
    return {
        each.name: getattr(settings, each.name)
        for each in parameters_of(record)
        if each.kind in kinds
    }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Policy:
    """All decisions. Relative file names in it start at `folder`.

    `entity` is the field that identifies the person of a row, and `household` the one that
    identifies people who live together. Where one of them must be suppressed, all of them are.

    With several `tables`, `fields` is empty, and `entity` is TABLE.FIELD: the person key and the
    table that has it. `row_counts` is for the rows of a person in a single table; each of several
    tables has its own.

    `steps` change cells and rows, one after the other, before anything is counted; with several
    tables, each step names its table.

    `source` is how the source is read. `quote_formulas` puts an apostrophe before released cells
    and names that a spreadsheet would run.

    `membership` is whether membership in the table may be disclosed; without it, the gate protects
    membership in noisy mode.

    `keep` are the fields that must stay useful: solvers weigh what they lose by `KEPT_WEIGHT`.
    With several tables they are TABLE.FIELD, or FIELD of the person's table.

    `documentation` holds a person's answers to the questions that an agency documents.

    `made_tables` has the sections `synthesis` and `tables_of_counts` as they were read: they decide
    about other releases of the same source."""

    fields: Mapping[str, Field]
    tables: Mapping[str, TablePolicy] = field(default_factory=dict)
    require: Requirements = field(default_factory=Requirements)
    recipients: Mapping[str, RecipientProfile] = field(default_factory=dict)
    recipient: str = "public"
    solve: SolveSettings = field(default_factory=SolveSettings)
    entity: str | None = None
    household: str | None = None
    row_counts: RowCountPolicy = field(default_factory=RowCountPolicy)
    channels: Channels | None = None
    steps: tuple[PolicyStep, ...] = ()
    source: SourceFormat = field(default_factory=SourceFormat)
    quote_formulas: bool = False
    nulls: NullRule = NullRule.VALUE
    order: Order = Order.SCRAMBLE
    other_fields: str = "refuse"
    membership: Membership | None = None
    keep: tuple[str, ...] = ()
    documentation: Mapping[str, str] = field(default_factory=dict)
    made_tables: Mapping[str, object] = field(default_factory=dict, repr=False)
    proposed: bool = False
    name: str = "policy"
    folder: Path = field(default_factory=Path)

    def of_table(self, name: str) -> Policy:
        """The policy of one table, as if it were the only one; without a person key of its own.

        Recipients' knowledge is about this table's fields, and requirements on sets of values are
        those of this table."""
        table = self.tables[name]
        persons = self.entity == f"{name}.{table.key}"
        alone = persons or len(self.tables) == 1  # Of one table no name is another's.
        return replace(
            self,
            fields=table.fields,
            tables={},
            require=self.require.of_table(name),
            recipients={
                key: profile.of_table(table, plain=persons)
                for key, profile in self.recipients.items()
            },
            solve=self.solve.of_table(table, plain=persons),
            keep=tuple(_of_table(dict.fromkeys(self.keep, 0), table, plain=alone)),
            entity=None,
            row_counts=table.row_counts,
            steps=tuple(step for step in self.steps if step.table in ("", name)),
            name=f"{self.name}, {name}",
        )

    def named(self, role: Role) -> tuple[str, ...]:
        """The fields with `role`, in the policy's order."""
        return tuple(name for name, item in self.fields.items() if item.role == role)

    def weights(self, names: Iterable[str]) -> dict[str, float]:
        """The weight of the loss of each field: by the recipient's tolerance, more where the field
        is kept, or as [solve] sets it."""
        dear = {
            name: weight * (KEPT_WEIGHT if name in self.keep else 1.0)
            for name, weight in self.profile.weights(names).items()
        }
        return {**dear, **self.solve.weights}

    @property
    def open_fields(self) -> tuple[str, ...]:
        """The fields that nobody has decided about; with several tables, as TABLE.FIELD."""
        own = [name for name, item in self.fields.items() if item.open]
        return (
            *own,
            *(
                f"{table.name}.{name}"
                for table in self.tables.values()
                for name, item in table.fields.items()
                if item.open
            ),
        )

    @property
    def is_decided(self) -> bool:
        """Whether a person has decided: about the policy, and about every field of it."""
        return not self.proposed and not self.open_fields

    @property
    def profile(self) -> RecipientProfile:
        """The profile of the recipient that this policy releases to."""
        return self.recipients[self.recipient]

    def confirmed(self) -> Policy:
        """The same policy, decided by a person: no longer only proposed."""
        return replace(self, proposed=False)

    def save(self, to: str | Path, *, replace: bool = False) -> Path:
        """Write the policy's file; an existing file stays, unless `replace` is true."""
        from .policy_text import write_policy

        write_policy(self, Path(to), overwrite=replace)
        return Path(to)

    def __str__(self) -> str:
        """The text of its file."""
        from .policy_text import policy_as_toml

        return policy_as_toml(self)

    def __repr__(self) -> str:
        from .policy_summary import summarise_policy

        return f"<{summarise_policy(self)}>"

    def _repr_html_(self) -> str:
        from .policy_summary import policy_markup

        return policy_markup(self)
