"""The requirements of a policy on several tables, as the verdicts that their release must have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sfumato.bins import Bins, CountedPeople
from sfumato.parts import Shape
from sfumato.policy import LooksAt, OutsideNeed, RequirementDeclaration, declared_model
from sfumato.protection import ROWS, KMAnonymity, KPeople, RowCounts, Verdict

from ..required_verdicts import RequiredVerdict, required_of_bins, required_of_texts, shape
from .itemset_cuts import model_of
from .one_table import NAME
from .people_models import judges_k_apart, nobody, other_requirements, people_in_bins
from .recount import TablesJudgement
from .row_counts import rows_of, tables_before


def required_of_tables(
    judged: TablesJudgement, *, rows: int, bins: Bins | None, counted: Mapping[str, CountedPeople]
) -> list[RequiredVerdict]:
    """One for each verdict. `rows` are those of the person's table in the source, `bins` its
    released ones, and `counted` those of tables in which people have several rows."""
    policy, person = judged.policy, judged.person
    out = list(_of_people(judged))
    if judged.known and not judged.by_people:
        released = bins if bins is not None else Bins.of(judged.known, {})
        out += required_of_bins(policy.of_table(person.name), judged.known, rows, bins=released)
    elif judged.by_people:
        out += _of_bins_of_people(judged, counted)
        out += _unjudged(judged, out)
    else:
        others = [declared_model(key) for key in policy.require.keys]
        out += [
            _nothing_judges(other)
            for other in others
            if Shape.ROW_NUMBERS not in other.shapes or _need(other) is OutsideNeed.PACKAGE
        ]
    single = tuple(policy.tables) == (NAME,)
    for name, sight in judged.seen.items():
        out += required_of_texts(sight.policy.fields, table="" if single else name)
    return out


def _of_bins_of_people(
    judged: TablesJudgement, counted: Mapping[str, CountedPeople]
) -> Iterator[RequiredVerdict]:
    """The requirements besides k on the bins of each table; a table that nobody counted has no
    verdict."""
    for name, sight in judged.seen.items():
        if not sight.own or sight.person is None:
            continue
        for asking, known in other_requirements(judged.policy, sight):
            if asking.require.keys:
                bins = counted.get(name) or nobody(judged.policy, sight)
                yield from required_of_bins(asking, known, judged.people.get(name, 0), bins=bins)


def _unjudged(
    judged: TablesJudgement, required: list[RequiredVerdict]
) -> Iterator[RequiredVerdict]:
    """A requirement of sensitive values that no table answers must not pass unseen."""
    answered = {one.key for one in required}
    for declared, _ in judged.policy.require.looking_at(LooksAt.SENSITIVE):
        if declared.key not in answered:
            yield _nothing_judges(declared)


def _nothing_judges(declared: RequirementDeclaration) -> RequiredVerdict:
    return RequiredVerdict(
        key=declared.key,
        model=declared.key,
        requirement="nothing judges it",
        fields=(),
        needs=_need(declared),
    )


def _of_people(judged: TablesJudgement) -> Iterator[RequiredVerdict]:
    """People in bins, people with each number of rows, people with each set of values."""
    policy, seen = judged.policy, judged.seen
    if judged.by_people:
        for sight in seen.values():
            apart = judges_k_apart(policy) or sight.name not in judged.people_models
            if apart and sight.own and sight.person is not None:
                fields = tuple(item.called for item in sight.quasi)
                model = KPeople(k=people_in_bins(policy), fields=fields, table=sight.name)
                yield _required("k", model.judge(Bins.of(fields, {})))
    for name, bin_size in judged.bin_sizes.items():
        joint = seen[name].policy.row_counts.linking == 1
        shared = [
            item.called for item in seen[name].quasi if joint and item.table == judged.person.name
        ]
        shared += map(rows_of, tables_before(seen[name], judged.bin_sizes))
        model_of_rows = RowCounts(table=name, bin_size=bin_size, fields=tuple(shared))
        yield _required("row_counts", model_of_rows.judge(Bins.of((*shared, ROWS), {})))
    for asked in policy.require.each("k_m"):
        sets = model_of(asked, seen[asked.table], judged.person.name)
        yield RequiredVerdict(
            key="k_m",
            model=KMAnonymity.name,
            requirement=sets.requirement,
            fields=(*sets.within, sets.field),
        )


def _need(declared: RequirementDeclaration) -> OutsideNeed:
    """The package, where no package here declares the model. Other needs do not matter: nothing
    judges the requirement."""
    return OutsideNeed.PACKAGE if declared.needs is OutsideNeed.PACKAGE else OutsideNeed.NOTHING


def _required(key: str, verdict: Verdict) -> RequiredVerdict:
    return RequiredVerdict(
        key=key, model=verdict.model, requirement=shape(verdict.requirement), fields=verdict.fields
    )
