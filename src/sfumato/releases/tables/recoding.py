"""The recoding of all tables: by the person's alone where only it has quasi-identifiers, else by
counting people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sfumato.bins import (
    Bins,
    CountedPeople,
    GlobalRecoding,
    LabelledRecoding,
    LocalRecoding,
    PeopleBins,
)
from sfumato.engines import Database, Engine, Join, Lookup, TableView
from sfumato.errors import HierarchyError, NoRecodingFound, PolicyError, Problem
from sfumato.hierarchies import Codes, Hierarchy, Label
from sfumato.policy import Policy, RecodingKind, abilities_of
from sfumato.protection import KAnonymity, Model
from sfumato.solvers import (
    Proof,
    Solution,
    Solver,
    Step,
    failing_rows,
    only_global,
    settings_of,
    shared_out,
    weighted_loss,
    why_global,
)
from sfumato.solvers.people import (
    LinkedRecoding,
    PeopleSolution,
    TableBins,
    joint_models,
    joint_tables,
    loss_of_bins,
    loss_of_levels,
    recode_linked,
)

from ..followers import follows_of
from ..lookups import level_lookup, recoding_lookups
from ..prepared_source import PreparedSource, align, numeric_fields, prepare
from ..requirements import solver_for
from ..suppression import suppression_limit
from .people_models import (
    asks_more_than_k,
    count_people,
    known_to,
    models_of_people,
    people_in_bins,
    person_in,
    policy_of_tables,
    policy_of_view,
    populations_of,
)
from .solver_choice import (
    counts_people,
    field_weights,
    may_be_linked,
    may_be_local,
    people_search,
    recodes_bins,
    shared_time,
    solver_of_tables,
)
from .table_view import Quasi, Sight

Progress = Callable[[str], None]

MUCH = 0.3
"""Where a global recoding of several tables loses more, a local one is tried too."""
MANY_ROWS = 3_000_000
"""In tables with more rows, the search applies `max_suppression` to rows, and the release applies
it to people. Listing the people of each bin would take too much memory."""


@dataclass(frozen=True, eq=False, kw_only=True)
class LocallyRecoded:
    """The bins of one table in which people are counted, where each bin has labels of its own. No
    bin is cut."""

    bins: CountedPeople
    hierarchies: Mapping[str, Hierarchy]
    recoding: LocalRecoding | LabelledRecoding

    @property
    def changed(self) -> tuple[str, ...]:
        """The fields of which some cell is released as something else."""
        marks: list[bool] = np.asarray(self.recoding.changed(self.bins).any(axis=0)).tolist()
        return tuple(
            name for name, is_changed in zip(self.bins.fields, marks, strict=True) if is_changed
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class TablesRecoding:
    """The decisions about values: for each table the lookups that recode it, and the keys of its
    dropped rows.

    `prepared` and `solution` are those of the person's table, where it was solved by itself with
    the policy's solver. `levels` are the levels of every field, as TABLE.FIELD, where recoding is
    global. `local` are the tables in which people are counted and whose bins are recoded one by
    one, `people` how many have rows in each. `choice` is which of two recodings was taken, and
    why."""

    lookups: Mapping[str, tuple[Lookup, ...]] = field(default_factory=dict)
    drops: Mapping[str, Lookup] = field(default_factory=dict)
    levels: Mapping[str, int] = field(default_factory=dict)
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    solver: str = ""
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    proof: Proof | None = None
    prepared: PreparedSource | None = None
    solution: Solution | None = None
    people_models: Mapping[str, tuple[Model, ...]] = field(default_factory=dict)
    local: Mapping[str, LocallyRecoded] = field(default_factory=dict)
    choice: str = ""
    people: Mapping[str, int] = field(default_factory=dict)

    @property
    def by_people(self) -> bool:
        """Whether people were counted in tables with several rows of each."""
        return self.prepared is None and bool(self.solver)

    def follows(self, sight: Sight) -> dict[str, tuple[str, str]]:
        """Each field of a table that follows another one, and the label of a suppressed cell of the
        other; where the recoding shows that label."""
        if sight.name in self.local:
            found = self.local[sight.name]
            return dict(follows_of(_alone(sight), found.bins, found.hierarchies, found.recoding))
        out = {}
        for name, decided in sight.policy.fields.items():
            leader = f"{sight.name}.{decided.follows}"
            hierarchy = self.hierarchies.get(leader) if decided.follows else None
            if hierarchy is not None and hierarchy.height and hierarchy.ends_in_one_value:
                label = hierarchy.labels[-1][0]
                if label is not None and label in hierarchy.labels[self.levels.get(leader, 0)]:
                    out[name] = (decided.follows, label)
        return out


def solve(
    database: Database, policy: Policy, seen: Mapping[str, Sight], *, progress: Progress
) -> TablesRecoding:
    """Count the bins and find a recoding; nothing where no table has a quasi-identifier that is
    linked on."""
    person = next(sight for sight in seen.values() if sight.is_person)
    if counts_people(seen):
        return _by_people(database, policy, seen, progress=progress)
    if not person.own:
        return TablesRecoding()
    return _by_person(database.view(person.view), policy, person, progress=progress)


def _by_person(
    engine: Engine, policy: Policy, person: Sight, *, progress: Progress
) -> TablesRecoding:
    progress(f"counting bins of {person.name}")
    prepared = prepare(engine, policy.of_table(person.name))
    progress(f"solving with {prepared.solver.name}")
    prepared = replace(prepared, solver=only_global(prepared.solver, why_global(policy)))
    solution = prepared.solver.solve(prepared.bins, prepared.hierarchies)
    lookups, drop = recoding_lookups(prepared.bins, prepared.hierarchies, solution.recoding)
    recoding = solution.recoding
    levels = recoding.levels if isinstance(recoding, GlobalRecoding) else {}
    return TablesRecoding(
        lookups={person.name: lookups},
        drops={person.name: drop} if drop is not None else {},
        levels={f"{person.name}.{name}": level for name, level in levels.items()},
        hierarchies={
            f"{person.name}.{name}": found for name, found in prepared.hierarchies.items()
        },
        solver=policy.solve.solver,
        steps=solution.steps,
        notes=solution.notes,
        settings=settings_of(prepared.solver),
        proof=solution.proof,
        prepared=prepared,
        solution=solution,
    )


def _by_people(
    database: Database, policy: Policy, seen: Mapping[str, Sight], *, progress: Progress
) -> TablesRecoding:
    k = people_in_bins(policy)
    bins: dict[str, PeopleBins] = {}
    counted: dict[str, CountedPeople] = {}
    models: dict[str, tuple[Model, ...]] = {}
    populations: dict[str, dict[str, Bins]] = {}
    for sight in seen.values():
        if sight.own and sight.person is not None:
            progress(f"counting people in the bins of {sight.name}")
            view = database.view(raw_view(sight))
            fields = [item.called for item in sight.quasi]
            bins[sight.name] = PeopleBins.from_witnesses(
                view.witnesses(fields, person=person_in(sight), k=k)
            )
            known = _all_are_known(policy, bins[sight.name], seen)
            if known or asks_more_than_k(policy, sight):
                counted[sight.name] = count_people(view, policy, sight)
                populations[sight.name] = populations_of(view, policy, sight)
    hierarchies = _bound(policy, seen, bins, populations)
    for name, all_people in counted.items():
        here = {item.called: hierarchies[item.name] for item in seen[name].quasi}
        models[name] = models_of_people(
            policy,
            seen[name],
            source=all_people,
            people=all_people.people,
            hierarchies=here,
            populations={key: align(people, here) for key, people in populations[name].items()},
        )
    models = {name: asked for name, asked in models.items() if asks_more_than_k(policy, seen[name])}
    numeric = {
        name: numeric_fields(database.view(raw_view(seen[name])), policy, known_to(seen[name]))
        for name in bins
    }
    tables = [
        replace(
            _table(seen, name, found, hierarchies, bins),
            models=models.get(name, ()),
            counted=_counted(counted[name], seen[name].quasi, hierarchies)
            if name in counted
            else None,
        )
        for name, found in bins.items()
    ]
    progress(f"solving with {policy.solve.solver}")
    if recodes_bins(policy) and len(tables) == 1:
        return replace(
            _walked(policy, seen[tables[0].name], tables[0], numeric=numeric[tables[0].name]),
            hierarchies=hierarchies,
            people_models=models,
            people={name: found.people for name, found in counted.items()},
        )
    if may_be_local(policy, seen) and tables[0].counted is not None:
        return replace(
            _of_less_loss(policy, seen, tables[0], hierarchies),
            people_models=models,
            people={name: found.people for name, found in counted.items()},
        )
    if may_be_linked(policy, seen) and all(table.counted is not None for table in tables):
        return replace(
            _of_least_loss(policy, seen, tables, hierarchies, numeric=numeric),
            people_models=models,
            people={name: found.people for name, found in counted.items()},
        )
    if recodes_bins(policy) and abilities_of(policy).recodes is not RecodingKind.GLOBAL:
        return replace(
            _linked(
                policy,
                seen,
                tables,
                _recoded_in_turn(policy, seen, tables, numeric=numeric),
                numeric=numeric,
            ),
            hierarchies=hierarchies,
            people_models=models,
            people={name: found.people for name, found in counted.items()},
        )
    found = (
        _walked_together(policy, seen, tables)
        if recodes_bins(policy)
        else _searched(policy, seen, tables)
    )
    return replace(
        _of_levels(found, seen, [table.name for table in tables], hierarchies),
        people_models=models,
        people={name: found.people for name, found in counted.items()},
    )


def _of_levels(
    found: PeopleSolution,
    seen: Mapping[str, Sight],
    tables: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
) -> TablesRecoding:
    """A recoding that raises every value of a field alike, in each of some tables."""
    lookups = {
        name: tuple(
            level_lookup(item.field, hierarchies[item.name], found.levels[item.name])
            for item in seen[name].own
            if found.levels[item.name]
        )
        for name in tables
    }
    return TablesRecoding(
        lookups=lookups,
        levels=dict(found.levels),
        hierarchies=hierarchies,
        solver=found.solver,
        steps=found.steps,
        notes=found.notes,
        settings=found.settings,
        proof=found.proof,
    )


def _of_less_loss(
    policy: Policy,
    seen: Mapping[str, Sight],
    table: TableBins,
    hierarchies: Mapping[str, Hierarchy],
) -> TablesRecoding:
    """The global recoding or the local one, whichever loses less; both count people."""
    first, second = shared_out(policy)
    refused: NoRecodingFound | None = None
    together: TablesRecoding | None = None
    apart: TablesRecoding | None = None
    try:
        found = _searched(first, seen, [table])
        together = _of_levels(found, seen, [table.name], hierarchies)
    except NoRecodingFound as error:
        refused = error
    try:
        walked = _walked(second, seen[table.name], table, numeric=())
        apart = replace(walked, hierarchies=hierarchies)
    except NoRecodingFound as error:
        refused = refused or error
    if together is None and apart is None:
        assert refused is not None
        raise refused
    return _less_lost(policy, seen, table, together, apart)


def _less_lost(
    policy: Policy,
    seen: Mapping[str, Sight],
    table: TableBins,
    together: TablesRecoding | None,
    apart: TablesRecoding | None,
) -> TablesRecoding:
    assert table.counted is not None
    bins = table.counted.only(table.counted.counts > 0)
    plain = Bins(bins.fields, bins.labels, bins.codes, bins.counts)
    by_name = field_weights(policy, seen)
    weights = {name: by_name.get(table.names.get(name, name), 1.0) for name in bins.fields}
    losses: dict[str, float] = {}
    if together is not None:
        levels = {name: together.levels[table.names.get(name, name)] for name in bins.fields}
        models = (KAnonymity(k=people_in_bins(policy), fields=bins.fields), *table.models)
        failing = failing_rows(bins, table.hierarchies, levels, models)
        recoding = GlobalRecoding(levels=levels, suppressed=failing)
        losses["global"] = weighted_loss(plain, table.hierarchies, recoding, weights)
    if apart is not None:
        recoded = apart.local[table.name].recoding
        losses["local"] = weighted_loss(plain, table.hierarchies, recoded, weights)
    both = {"global": together, "local": apart}
    return _chosen({kind: one for kind, one in both.items() if one is not None}, losses)


def _chosen(made: Mapping[str, TablesRecoding], losses: Mapping[str, float]) -> TablesRecoding:
    """The recoding that loses less, with a note on what the other would have lost."""
    taken = min(losses, key=lambda kind: (losses[kind], kind))
    told = f"{taken} recoding, ncp {losses[taken]:.5f}"
    others = [kind for kind in losses if kind != taken]
    told += "".join(f"; the best {kind} recoding found loses {losses[kind]:.5f}" for kind in others)
    chosen = made[taken]
    return replace(chosen, choice=told, notes=(f"{told}.", *chosen.notes))


def _searched(
    policy: Policy, seen: Mapping[str, Sight], tables: Sequence[TableBins]
) -> PeopleSolution:
    """The recoding of all tables by the search that counts people."""
    return people_search(policy, seen).solve(tables)


def _all_are_known(policy: Policy, bins: PeopleBins, seen: Mapping[str, Sight]) -> bool:
    """Whether everybody in each bin is counted for the solver. It is so where it asks for that or
    may take a local recoding, and where a share of people may be suppressed; not in large tables,
    whose rows then represent them."""
    limit, _ = suppression_limit(policy)
    wanted = limit > 0 or may_be_local(policy, seen) or may_be_linked(policy, seen)
    return recodes_bins(policy) or (wanted and int(bins.rows.sum()) <= MANY_ROWS)


def _walked(
    policy: Policy, sight: Sight, table: TableBins, *, numeric: tuple[str, ...]
) -> TablesRecoding:
    """The result of a solver that asks nothing of bins but to be recoded and judged: these bins
    count people."""
    assert table.counted is not None
    bins = table.counted.only(
        table.counted.counts > 0
    )  # Rows that are nobody's are never released.
    known = table.bins.fields
    models = (KAnonymity(k=people_in_bins(policy), fields=known), *table.models)
    solver = solver_for(policy_of_view(policy, sight), models, known, numeric=numeric)
    found = solver.solve(bins, table.hierarchies)
    lookups, _ = recoding_lookups(bins, table.hierarchies, found.recoding)
    levels: Mapping[str, int] = {}
    local: dict[str, LocallyRecoded] = {}
    if isinstance(found.recoding, GlobalRecoding):
        levels = {
            table.names.get(name, name): level for name, level in found.recoding.levels.items()
        }
    else:
        recoded = LocallyRecoded(bins=bins, hierarchies=table.hierarchies, recoding=found.recoding)
        local = {table.name: recoded}
    return TablesRecoding(
        lookups={table.name: lookups},
        levels=levels,
        solver=policy.solve.solver,
        steps=found.steps,
        notes=found.notes,
        settings=settings_of(solver),
        proof=found.proof,
        local=local,
    )


def _of_least_loss(
    policy: Policy,
    seen: Mapping[str, Sight],
    tables: Sequence[TableBins],
    hierarchies: Mapping[str, Hierarchy],
    *,
    numeric: Mapping[str, tuple[str, ...]],
) -> TablesRecoding:
    """The global recoding of several tables; where it loses much, or there is none, the local one,
    table after table, if that loses less. Both count people."""
    weights = field_weights(policy, seen)
    made: dict[str, TablesRecoding] = {}
    losses: dict[str, float] = {}
    refused: NoRecodingFound | None = None
    try:
        found = _searched(policy, seen, tables)
        names = [table.name for table in tables]
        made["global"] = _of_levels(found, seen, names, hierarchies)
        k = people_in_bins(policy)
        losses["global"] = loss_of_levels(tables, found.levels, weights=weights, k=k)
        if losses["global"] <= MUCH:
            return made["global"]
    except NoRecodingFound as error:
        refused = error
    local = shared_out(policy)[1]
    try:
        linked = _recoded_in_turn(local, seen, tables, numeric=numeric)
        made["local"] = replace(
            _linked(local, seen, tables, linked, numeric=numeric), hierarchies=hierarchies
        )
        losses["local"] = loss_of_bins(tables, linked, weights=weights)
    except NoRecodingFound as error:
        refused = refused or error
    if not made:
        assert refused is not None
        raise refused
    return _chosen(made, losses)


def _recoded_in_turn(
    policy: Policy,
    seen: Mapping[str, Sight],
    tables: Sequence[TableBins],
    *,
    numeric: Mapping[str, tuple[str, ...]],
) -> dict[str, LinkedRecoding]:
    """The result of a solver that recodes bin by bin, table after table: cells above stay as they
    are."""

    def make(
        table: TableBins,
        models: tuple[Model, ...],
        *,
        known: tuple[str, ...],
        fixed: tuple[str, ...],
        parts: int,
    ) -> Solver:
        view = policy_of_view(shared_time(policy, parts), seen[table.name])
        ordered = tuple(name for name in numeric[table.name] if name in known)
        return solver_for(view, models, known, numeric=ordered, fixed=fixed)

    fixes = abilities_of(policy).fixes_cells
    return recode_linked(tables, k=people_in_bins(policy), make=make, fixes=fixes)


def _linked(
    policy: Policy,
    seen: Mapping[str, Sight],
    tables: Sequence[TableBins],
    found: Mapping[str, LinkedRecoding],
    *,
    numeric: Mapping[str, tuple[str, ...]],
) -> TablesRecoding:
    """The recodings of several tables bin by bin, as one."""
    ordered = tuple(
        dict.fromkeys(table.names[name] for table in tables for name in numeric[table.name])
    )
    asked = solver_of_tables(policy, seen, numeric=ordered)
    return TablesRecoding(
        lookups={
            name: recoding_lookups(one.bins, one.hierarchies, one.staged)[0]
            for name, one in found.items()
        },
        solver=asked.name,
        steps=tuple(step for one in found.values() for step in one.steps),
        notes=tuple(note for one in found.values() for note in one.notes),
        settings=asked.settings,
        local={
            name: LocallyRecoded(bins=one.bins, hierarchies=one.hierarchies, recoding=one.staged)
            for name, one in found.items()
        },
    )


def _walked_together(
    policy: Policy, seen: Mapping[str, Sight], tables: Sequence[TableBins]
) -> PeopleSolution:
    """The result of a solver that recodes all values of a field alike, in all tables at once."""
    joint, hierarchies = joint_tables(tables)
    k = people_in_bins(policy)
    models = [(KAnonymity(k=k, fields=table.bins.fields), *table.models) for table in tables]
    solver = solver_for(policy_of_tables(policy, seen), joint_models(tables, models), joint.fields)
    found = solver.solve(joint, hierarchies)
    assert isinstance(found.recoding, GlobalRecoding)
    return PeopleSolution(
        solver=policy.solve.solver,
        levels=dict(found.recoding.levels),
        recodings={},
        steps=found.steps,
        notes=found.notes,
        settings=settings_of(solver),
    )


def _alone(sight: Sight) -> Policy:
    """The fields of a table as a policy, for callers that need only these."""
    return Policy(fields=sight.policy.fields)


def raw_view(sight: Sight, *, quasi: bool = True) -> TableView:
    """The table with what its rows are linked to, all the way to the person, as it is in a source
    or a release.

    Its fields are called as those of the view that joins the stage above. Without `quasi`, only the
    person is brought."""
    path = sight.path if quasi else sight.path[:-1]
    joins = []
    reached = "" if not path else path[0].field
    for place, link in enumerate(path):
        brought = (*sight.quasi, *sight.values) if quasi else ()
        bring = {item.field: item.called for item in brought if item.table == link.table}
        if place + 1 < len(sight.path):
            onward = sight.path[place + 1].field
            last = place + 2 == len(sight.path)
            called = person_in(sight) if last else f"{link.table}.{onward}"
            bring = {onward: called} | {
                name: said for name, said in bring.items() if name != onward
            }
        joins.append(Join(field=reached, table=link.table, key=link.key, bring=bring))
        reached = called if place + 1 < len(sight.path) else reached
    return TableView(table=sight.name, joins=tuple(joins))


def known_people_view(sight: Sight) -> tuple[TableView, str]:
    """The table with the person key, and its name for that key: null where the person's table has
    no such person."""
    view, person = raw_view(sight, quasi=False), person_in(sight)
    if not sight.path:
        return view, person
    last = sight.path[-1]
    called = f"{last.table}.{last.key}, there"
    found = Join(field=person, table=last.table, key=last.key, bring={last.key: called})
    return TableView(table=sight.name, joins=(*view.joins, found)), called


def _table(
    seen: Mapping[str, Sight],
    name: str,
    found: PeopleBins,
    hierarchies: Mapping[str, Hierarchy],
    bins: Mapping[str, PeopleBins],
) -> TableBins:
    sight = seen[name]
    above = sight.above
    while above is not None and above not in bins:
        above = seen[above].above
    return TableBins(
        name=name,
        bins=_aligned(found, sight.quasi, hierarchies),
        hierarchies={item.called: hierarchies[item.name] for item in sight.quasi},
        above=above,
        names={item.called: item.name for item in sight.quasi},
    )


def _aligned(
    found: PeopleBins, quasi: tuple[Quasi, ...], hierarchies: Mapping[str, Hierarchy]
) -> PeopleBins:
    """The bins with the codes of the hierarchies, which may know more values."""
    return found.merged(*_lifts(found.labels, quasi, hierarchies))[0]


def _counted(
    found: CountedPeople, quasi: tuple[Quasi, ...], hierarchies: Mapping[str, Hierarchy]
) -> CountedPeople:
    return found.aligned(*_lifts(found.labels, quasi, hierarchies))


def _lifts(
    found: tuple[tuple[Label, ...], ...],
    quasi: tuple[Quasi, ...],
    hierarchies: Mapping[str, Hierarchy],
) -> tuple[tuple[tuple[Label, ...], ...], list[Codes]]:
    """The labels of the hierarchies, and for each column the code in them of each label that was
    found."""
    labels, lifts = [], []
    for column, item in enumerate(quasi):
        hierarchy = hierarchies[item.name]
        place = {value: code for code, value in enumerate(hierarchy.labels[0])}
        labels.append(hierarchy.labels[0])
        lifts.append(np.array([place[value] for value in found[column]], np.int32))
    return tuple(labels), lifts


def _bound(
    policy: Policy,
    seen: Mapping[str, Sight],
    bins: Mapping[str, PeopleBins],
    populations: Mapping[str, Mapping[str, Bins]],
) -> dict[str, Hierarchy]:
    """One hierarchy for each quasi-identifier, over its values in every table that sees it, and in
    populations; all problems at once."""
    values: dict[str, dict[Label, None]] = {}
    for name, found in bins.items():
        for item, labels in zip(seen[name].quasi, found.labels, strict=True):
            values.setdefault(item.name, {}).update(dict.fromkeys(labels))
            for people in populations.get(name, {}).values():
                if item.called in people.fields:
                    values[item.name] |= dict.fromkeys(people.labels[people.column(item.called)])
    items = {item.name: item for name in bins for item in seen[name].quasi}
    problems: list[Problem] = []
    out: dict[str, Hierarchy] = {}
    for name, item in items.items():
        try:
            out[name] = policy.tables[item.table].fields[item.field].bind(values[name])
        except HierarchyError as error:
            where = f"tables.{item.table}.fields.{item.field}.hierarchy"
            problems.append(
                Problem(
                    where=where, found=f"{error.asked} {error.found}".strip(), attempt=error.attempt
                )
            )
    if problems:
        raise PolicyError(problems, name=f"Policy {policy.name}")
    return out
