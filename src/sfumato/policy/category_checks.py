"""Whether steps on categories and rows say something that can be done: what they ask for, and what it meets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from sfumato.errors import HierarchyError, Problem

from .hierarchies import Suppression
from .records import Method, Order, Policy
from .roles import Role
from .step_records import Step

Check = Callable[[Policy, Step, str], Iterator[Problem]]


def _suppress(policy: Policy, step: Step, where: str) -> Iterator[Problem]:
    if not step.settings["values"] and not step.settings["rarer_than"]:
        yield Problem(where=where, found="Nothing says which cells are suppressed.", attempt="values, or rarer_than.")


def _encrypt(policy: Policy, step: Step, where: str) -> Iterator[Problem]:
    """One thing takes the place of an identifier, and hierarchies are of values that can be read."""
    for name in step.fields:
        field = policy.fields.get(name)
        if field is None:
            continue
        if field.replace is not None and field.replace.method is not Method.REMOVE:
            method = field.replace.method.value
            yield Problem(
                where=f"{where}.fields",
                found=f'{name} is encrypted, and its replace = "{method}" says otherwise.',
                attempt=f"leaving out the step, or replace of {name}.",
            )
        if field.hierarchy is not None and not isinstance(field.hierarchy, Suppression):
            yield Problem(
                where=f"{where}.fields",
                found=f"{name} is encrypted, and its hierarchy is of values that can be read.",
                attempt=f"leaving out the hierarchy of {name}: what is encrypted is kept or suppressed.",
            )


def _swap(policy: Policy, step: Step, where: str) -> Iterator[Problem]:
    method, window = step.settings["method"], step.settings["window"]
    if step.settings["share"] == 0.0:
        yield Problem(where=f"{where}.share", found="It is 0, so that nothing would be exchanged.")
    if method == "rank" and window == 0.0:
        yield Problem(where=f"{where}.window", found="It is 0, so that nothing would be exchanged.")
    if method != "rank" and window != step.spec.parameter("window").default:
        yield Problem(
            where=f"{where}.window",
            found=f'It is about ranks, and method = "{method}" looks at none.',
            attempt='leaving it out, or method = "rank".',
        )
    yield from _apart(step, "within", where)


def _substitute(policy: Policy, step: Step, where: str) -> Iterator[Problem]:
    for name in step.fields[:1]:
        field = policy.fields.get(name)
        if field is not None and field.hierarchy is None:
            yield Problem(
                where=f"{where}.fields",
                found=f"{name} has no hierarchy, whose levels are the classes.",
                attempt="a hierarchy for it.",
            )
    if step.settings["share"] == 0.0:
        yield Problem(where=f"{where}.share", found="It is 0, so that nothing would be replaced.")


def _pram(policy: Policy, step: Step, where: str) -> Iterator[Problem]:
    if step.settings["keep"] == 1.0:
        yield Problem(where=f"{where}.keep", found="It is 1, so that nothing would change.")
    yield from _apart(step, "within", where)


def _blank_and_impute(policy: Policy, step: Step, where: str) -> Iterator[Problem]:
    if not step.settings["share"] and not step.settings["rarer_than"]:
        yield Problem(where=where, found="Nothing says which cells are blanked.", attempt="share, or rarer_than.")
    yield from _apart(step, "like", where)


def _merge_small(policy: Policy, step: Step, where: str) -> Iterator[Problem]:
    """The label must be one that the field's hierarchy can place; an empty one would be read as null."""
    label = str(step.settings["label"])
    if not label:
        yield Problem(where=f"{where}.label", found="It is empty, and would be read as a missing value.")
        return
    for name in step.fields:
        field = policy.fields.get(name)
        try:
            if field is not None and field.hierarchy is not None:
                field.hierarchy.bind((label,))
        except HierarchyError:
            yield Problem(
                where=f"{where}.label",
                found=f'The hierarchy of {name} has no place for "{label}".',
                attempt=f"a row for it in the hierarchy, a label that it has, or merging by a level of {name}.",
            )


def _sample(policy: Policy, step: Step, where: str) -> Iterator[Problem]:
    if step.settings["share"] == 0.0:
        yield Problem(where=f"{where}.share", found="It is 0, so that no row would stay.")
    for name in step.names("weight"):
        field = policy.fields.get(name)
        if field is not None and field.role not in (Role.SENSITIVE, Role.INSENSITIVE):
            yield Problem(
                where=f"{where}.weight",
                found=f"{name} is {field.role.value}, and weights are numbers that are released or only counted with.",
                attempt='role = "insensitive".',
            )
    yield from _apart(step, "within", where, fields=step.names("weight"))


def _add_rows(policy: Policy, step: Step, where: str) -> Iterator[Problem]:
    if step.settings["share"] == 0.0:
        yield Problem(where=f"{where}.share", found="It is 0, so that no row would be added.")
    if policy.order is Order.KEEP:
        yield Problem(
            where="order",
            found="Made-up rows come after the others, so that the order of the source tells which they are.",
            attempt='order = "scramble".',
        )
    if step.settings["method"] == "each" and step.settings["k"] != step.spec.parameter("k").default:
        yield Problem(
            where=f"{where}.k",
            found='It is about like rows, and method = "each" looks for none.',
            attempt='leaving it out, or method = "together".',
        )


def _apart(step: Step, key: str, where: str, *, fields: tuple[str, ...] = ()) -> Iterator[Problem]:
    """What changes cannot say which rows are alike."""
    both = [name for name in step.names(key) if name in (*step.fields, *fields)]
    if both:
        yield Problem(
            where=f"{where}.{key}",
            found=f"{', '.join(both)} is changed by the step, and cannot say which rows go together.",
        )


CATEGORY_CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "suppress": _suppress,
        "encrypt": _encrypt,
        "swap": _swap,
        "substitute": _substitute,
        "pram": _pram,
        "blank_and_impute": _blank_and_impute,
        "merge_small": _merge_small,
        "sample": _sample,
        "add_rows": _add_rows,
    }
)
"""What is checked of each technique besides its fields."""
