"""From the requirements a policy names to the protection models that judge them, and to the solver
it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType

from sfumato.bins import Bins, Pairing
from sfumato.hierarchies import Hierarchy
from sfumato.policy import Policy, Requirements, declaration_of, policy_as_table, policy_from_table
from sfumato.protection import (
    MODELS,
    AnonymityLevel,
    Model,
    ModelContext,
    ModelDeclaration,
    overall_bin_size,
    upper_bin_size,
)
from sfumato.solvers import SOLVERS, Solver, SolverRequest, b_tabf, build_solver


def models_for(
    policy: Policy,
    known: tuple[str, ...],
    rows: int,
    *,
    hierarchies: Mapping[str, Hierarchy],
    populations: Mapping[str, Bins] = MappingProxyType({}),
    source: Bins | None = None,
    pairing: Pairing | None = None,
) -> tuple[Model, ...]:
    """The protection models that the policy's requirements name, over what the recipient may know.

    `populations` are the people that requirements count in, by their keys. `source` has the
    source's bins with the values inside them, and `pairing` the person of each row where steps
    moved rows. A model whose part is missing, as when only the release is at hand, is left out."""
    context = ModelContext(
        policy=policy,
        known=known,
        rows=rows,
        hierarchies=hierarchies,
        source=source,
        pairing=pairing,
    )
    readings = SOLVERS[policy.solve.solver].readings
    request = SolverRequest(policy=policy, known=known, rows=rows)
    models: list[Model] = []
    for declared, asked in policy.require.items():
        here = replace(context, population=populations.get(declared.key))
        if declared.key in readings:
            models.extend(readings[declared.key](policy.solve.settings, request))
        elif declared.key in MODELS and here.has(declared.need_of(asked)):
            models.extend(MODELS[declared.key].build(asked, here))
    return tuple(models)


def with_requirements(policy: Policy, records: Sequence[object] | None) -> Policy:
    """The policy with what Python asks for in place of its own requirements; all that does not fit,
    at once."""
    if records is None:
        return policy
    changed = replace(policy, require=Requirements.of(records, like=policy.require))
    policy_from_table(policy_as_table(changed), folder=policy.folder, name=policy.name)
    return changed


@contextmanager
def known_models(records: Sequence[object] | None) -> Iterator[None]:
    """For as long as a release takes, the models that Python hands over are known like those of
    packages."""
    known = MODELS.all().values()
    declared = {each.key: each for each in map(declaration_of, records or ())}
    brought = [
        each
        for each in declared.values()
        if isinstance(each, ModelDeclaration) and each not in known
    ]
    with MODELS.including(*brought):
        yield


def needed_fields(policy: Policy, known: tuple[str, ...]) -> tuple[str, ...]:
    """The fields outside the bins whose values must be counted inside them."""
    asked = (declared.inside(asked, policy, known) for declared, asked in policy.require.items())
    return tuple(dict.fromkeys(name for names in asked for name in names))


def reads_itself(policy: Policy, key: str) -> bool:
    """Whether the policy's solver turns a requirement into models in its own way, which may be
    none."""
    return key in SOLVERS[policy.solve.solver].readings


def solver_for(
    policy: Policy,
    models: tuple[Model, ...],
    known: tuple[str, ...],
    *,
    numeric: Sequence[str] = (),
    fixed: tuple[str, ...] = (),
) -> Solver:
    """The solver that the policy names, with its settings; in `numeric` fields the order of values
    is used, and cells of `fixed` ones stay as they are."""
    request = SolverRequest(
        policy=policy, known=known, models=models, numeric=tuple(numeric), fixed=fixed
    )
    return build_solver(request)


def number_bin_size(asked: AnonymityLevel, linking: float | None, people: int) -> int:
    """b_tabf under Datafly's anonymity level (Sweeney 1997, section 3.8); b itself where no P_tabf
    is given."""
    r2 = upper_bin_size(people, asked.r2)
    if linking is None:
        return overall_bin_size(asked.level, r1=asked.r1, r2=r2)
    return b_tabf(linking, r1=asked.r1, r2=r2)
