"""The number that a sweep varies among a policy's requirements, named by its path, and the policies
that follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from sfumato.errors import Mistake, PolicyError, Problem
from sfumato.parts import ParameterKind, with_question
from sfumato.policy import (
    MODELS,
    SOLVERS,
    Policy,
    RequirementForm,
    model_keys,
    policy_as_table,
    policy_from_table,
    section_with_solver,
)

Values = tuple[int | float, ...]
Over = str | Mapping[str, Sequence[int | float]]


def read_over(over: Over) -> tuple[str, Values]:
    """The path and the values, of k=2,3,5 or of {"k": [2, 3, 5]}.

    Example:
        >>> read_over("k=2,3,5"), read_over("t_closeness.t = 0.1, 0.2")
        (('k', (2, 3, 5)), ('t_closeness.t', (0.1, 0.2)))
    """
    values: Sequence[int | float | None]
    if isinstance(over, str):
        path, _, listed = over.rpartition("=") if "=" in over else (over, "", "")
        path, values = path.strip(), [_number(word.strip()) for word in listed.split(",")]
    elif len(over) == 1:
        path, values = next((key, list(given)) for key, given in over.items())
    else:
        raise Mistake(
            f"A sweep is over one number, and {len(over)} were named.", attempt="k=2,3,5,10,20."
        )
    wrong = [
        value for value in values if isinstance(value, bool) or not isinstance(value, int | float)
    ]
    if not path or not values or wrong:
        raise Mistake(
            "A sweep needs the name of a requirement and the numbers to try.",
            found="" if path else "No name was given.",
            attempt="k=2,3,5,10,20.",
        )
    return path.removeprefix("require."), tuple(
        dict.fromkeys(value for value in values if value is not None)
    )


def _number(word: str) -> int | float | None:
    try:
        return int(word)
    except ValueError:
        try:
            return float(word)
        except ValueError:
            return None


def candidates(
    policy: Policy, path: str, values: Values, solvers: Sequence[str]
) -> dict[str, list[Policy]]:
    """Per solver a policy for each value; every problem of all of them at once."""
    table = policy_as_table(policy)
    strange = [name for name in solvers if name not in SOLVERS]
    problems = [
        Problem(where="solver", found=with_question(f'There is no solver "{n}".', n, SOLVERS))
        for n in strange
    ]
    if path not in numeric_paths(policy):
        options = ", ".join(numeric_paths(policy))
        said = with_question(
            f'The policy requires no number called "{path}".', path, numeric_paths(policy)
        )
        problems.append(Problem(where="over", found=said, attempt=f"one of {options}."))
    if problems:
        raise PolicyError(problems, name="The sweep")
    out: dict[str, list[Policy]] = {}
    for solver in solvers or (policy.solve.solver,):
        for value in values:
            made = _changed(table, path, value, solver)
            try:
                out.setdefault(solver, []).append(
                    policy_from_table(made, folder=policy.folder, name=policy.name)
                )
            except PolicyError as error:
                problems += [_told(problem, solver, path, value) for problem in error.problems]
    if problems:
        raise PolicyError(_once(problems), name="The sweep")
    return out


def _told(problem: Problem, solver: str, path: str, value: int | float) -> Problem:
    return Problem(
        where=f"{problem.where}, with {path} = {value:g} and {solver}",
        found=problem.found,
        attempt=problem.attempt,
    )


def _once(problems: Sequence[Problem]) -> list[Problem]:
    """A problem of every value is reported for the first of them."""
    return list(
        {
            (problem.where.partition(", with ")[0], problem.found): problem
            for problem in problems[::-1]
        }.values()
    )[::-1]


def numeric_paths(policy: Policy) -> tuple[str, ...]:
    """Every number of the policy's requirements, by its path, and those that can be named alone."""
    return tuple(
        dict.fromkeys((*_always(), *_paths(policy_as_table(policy).get("require", {}), ())))
    )


def _always() -> tuple[str, ...]:
    """Requirements that can be asked for with a number alone, also where the policy has none
    yet."""
    alone = (ParameterKind.WHOLE, ParameterKind.NUMBER)
    values = [key for key in model_keys() if MODELS[key].form is RequirementForm.VALUE]
    return (*(key for key in values if MODELS[key].parameter.kind in alone), "max_suppression")


def _paths(table: object, above: tuple[str, ...]) -> Iterator[str]:
    if isinstance(table, Mapping):
        for key, value in table.items():
            yield from _paths(value, (*above, str(key)))
    elif isinstance(table, list | tuple) and all(isinstance(item, Mapping) for item in table):
        for number, item in enumerate(table, start=1):
            yield from _paths(item, above if len(table) == 1 else (*above, str(number)))
    elif isinstance(table, int | float) and not isinstance(table, bool):
        yield ".".join(above)


def _changed(
    table: Mapping[str, object], path: str, value: int | float, solver: str
) -> dict[str, object]:
    out: dict[str, Any] = deepcopy(dict(table))
    place: Any = out.setdefault("require", {})
    *above, last = path.split(".")
    for key in above:
        if isinstance(place, list):
            place = place[int(key) - 1] if key.isdigit() and len(place) > 1 else place[0][key]
        else:
            place = place[key]
    if isinstance(place, list):
        place = place[0]
    place[last] = value
    out["solve"] = section_with_solver(out.get("solve", {}), solver)
    return out
