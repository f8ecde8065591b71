"""Random policies for random tables, as dictionaries and as TOML. Imports nothing of Sfumato."""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from typing import Any

from .cells import Cell
from .ladders import CATEGORIES, DIVISIONS
from .tables import DIAGNOSES, GRADES, STATES, Table

Policy = dict[str, Any]

SOLVERS = (
    "anytime", "anytime", "optimal", "datafly2", "given", "datafly", "mu_argus", "k_similar", "local",
    "microaggregation", "best",
)  # fmt: skip
LOCAL = ("mu_argus", "k_similar", "local", "microaggregation")
REPLACEMENTS = ("remove", "remove", "mask", "hash", "lookup", "made-up", "surrogate", "number")
NUMERIC = ("small", "integer", "decimal", "real", "wide", "huge")
assert all(state.lower() in DIVISIONS for state in STATES)
assert all(code[:3].upper() in CATEGORIES for code in DIAGNOSES)


def as_toml(policy: Policy) -> str:
    """A policy as the text of its file; hierarchies of `rows` are files beside it."""
    tops = [
        f"{key} = {_value(value)}" for key, value in policy.items() if not isinstance(value, dict)
    ]
    sections = [
        f"[{key}]\n" + "\n".join(f"{_key(name)} = {_value(inner)}" for name, inner in value.items())
        for key, value in policy.items()
        if isinstance(value, dict)
    ]
    return "\n".join(tops) + "\n\n" + "\n\n".join(sections) + "\n"


def _key(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return (
            "{ "
            + ", ".join(f"{_key(key)} = {_value(inner)}" for key, inner in value.items())
            + " }"
        )
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def random_hierarchy(kind: str, values: list[str], draw: random.Random) -> Any:
    """One that fits the values, of any builder; None for none."""
    options: list[Any] = [None, {"suppress": True}, {"suppress": "hidden"}]
    if not values:
        return draw.choice(options)
    if kind in ("word", "code", "unique", "mark", "boolean"):
        longest = max(map(len, values))
        keep = sorted(
            draw.sample(range(1, max(longest, 2)), min(2, max(longest, 2) - 1)), reverse=True
        )
        options += [{"prefix": keep}] * 2 + [{"prefix": {"keep": keep, "fill": ""}}]
        if kind == "code":
            options += [{"prefix": {"keep": [3], "length": 5}}]
    if kind in ("word", "hostile", "grade", "constant", "small"):
        options += [_tree(values, draw), _rows(values, draw), _ordered(values, draw)] * 2
    if kind in ("date", "moment"):
        steps = draw.choice(
            (
                ["month", "year", "10 years"],
                ["year", "5 years", "20 years"],
                ["quarter", "year"],
                ["day"],
            )
        )
        options = [None, {"dates": steps}, {"dates": steps}, {"dates": steps}]
    if kind in ("small", "integer", "decimal", "real"):
        options += [_numbers(values, draw) for _ in range(4)]
    if kind == "state":
        options += [{"us_states": True}] * 3
    if kind == "diagnosis":
        options += [{"icd": "10"}] * 3
    return draw.choice(options)


def _tree(values: list[str], draw: random.Random) -> Any:
    members = draw.sample(values, len(values))
    cut, name = draw.randint(0, len(members)), iter(f"group {n}" for n in range(9))
    left, right = members[:cut], members[cut:]
    tree: dict[str, Any] = {}
    if left:
        tree[next(name)] = left
    if len(right) > 1 and draw.random() < 0.6:
        half = len(right) // 2
        tree[next(name)] = {next(name): right[:half], next(name): right[half:]}
    elif right:
        tree[next(name)] = right
    return {"tree": tree} | ({"top": "World"} if draw.random() < 0.3 else {})


def _rows(values: list[str], draw: random.Random) -> Any:
    groups = [f"g{draw.randint(1, 3)}" for _ in values]
    return {"rows": {value: (group, "*") for value, group in zip(values, groups, strict=True)}}


def _ordered(values: list[str], draw: random.Random) -> Any:
    order = [grade for grade in GRADES if grade in values] + [
        value for value in values if value not in GRADES
    ]
    return {"ordered": order, "widths": [2, 4]}


def _numbers(values: list[str], draw: random.Random) -> Any:
    numbers = [Fraction(value) for value in values]
    whole = all(number.denominator == 1 for number in numbers)
    kind = draw.choice(("widths", "widths", "coded", "quantiles", "ranges"))
    if kind == "quantiles":
        return {"numbers": {"quantiles": [4, 2]}}
    if kind == "ranges":
        middle = math.floor(sorted(numbers)[len(numbers) // 2])
        ranges = [
            {"name": "low", "below": middle - 2},
            {"name": "middle", "below": middle + 3},
            {"name": "high"},
        ]
        groups = [{"not high": ["low", "middle"], "is high": ["high"]}]
        return {"numbers": {"ranges": ranges} | ({"groups": groups} if draw.random() < 0.5 else {})}
    widths = (
        draw.choice(([5, 10, 20], [10, 50], [2, 4]))
        if whole
        else draw.choice(([0.5, 5], [2.5, 10], [1, 10]))
    )
    return {"numbers": {"widths": widths} | ({"bottom": 0, "top": 80} if kind == "coded" else {})}


def random_policy(table: Table, texts: list[dict[str, Cell]], draw: random.Random) -> Policy:
    """Roles, hierarchies, a recipient, requirements that one bin of everybody would keep, and a
    solver."""
    solver = draw.choice(SOLVERS)
    fields: dict[str, Any] = {}
    open_fields = [column for column in table.columns if column.kind not in ("identifier", "mark")]
    quasi = draw.sample(open_fields, draw.randint(1, min(4, len(open_fields))))
    if solver == "microaggregation":
        quasi = [
            column
            for column in quasi
            if column.kind in ("small", "integer") and None not in column.cells
        ]
        solver = "microaggregation" if quasi else "anytime"
        quasi = quasi or [open_fields[0]]
    for column in table.columns:
        values = list(
            dict.fromkeys(row[column.name] for row in texts if row[column.name] is not None)
        )
        if column.kind == "identifier":
            method = draw.choice(REPLACEMENTS)
            replace = {"method": "surrogate", "kind": "name"} if method == "surrogate" else method
            fields[column.name] = {"role": "direct", "replace": replace}
        elif column in quasi:
            hierarchy = (
                None
                if solver == "microaggregation"
                else random_hierarchy(column.kind, values, draw)
            )
            while (
                solver == "mu_argus"
                and hierarchy
                and (hierarchy.get("suppress") == "hidden" or "top" in hierarchy)
            ):
                hierarchy = random_hierarchy(column.kind, values, draw)
            fields[column.name] = {"role": "quasi"} | (
                {"hierarchy": hierarchy} if hierarchy else {}
            )
            if solver == "mu_argus":
                fields[column.name]["rank"] = draw.choice((1, 1, 2, 3))
        else:
            sensitive = column.kind != "mark" and draw.random() < 0.6
            fields[column.name] = {"role": "sensitive" if sensitive else "insensitive"}
    names = [column.name for column in quasi]
    _follow(fields, names, draw)
    policy: Policy = {"fields": fields}
    policy["require"] = _require(table, texts, policy, names, solver, draw)
    policy["solve"] = _solve(texts, policy, names, solver, draw)
    _recipient(policy, names, draw)
    if draw.random() < 0.3:
        policy["order"] = draw.choice(("keep", "sorted"))
    if draw.random() < 0.15 and solver not in LOCAL:
        policy["household"] = draw.choice(table.columns).name
    if draw.random() < 0.15 and "quasi_identifiers" not in policy["require"]:
        policy["nulls"] = "matches-anything"
    _newer_parts(policy, names, draw)
    return policy


def _newer_parts(policy: Policy, quasi: list[str], draw: random.Random) -> None:
    """The greedy solver, bounded knowledge, fields that are kept, bounded in their levels or open.
    Drawn last, so that a seed makes the same table as before."""
    fields, require = policy["fields"], policy["require"]
    ends = [fields[name].get("hierarchy") or {} for name in quasi]
    blanks = not any(end.get("suppress") == "hidden" or "top" in end for end in ends)
    plain = not {"reading", "quasi_identifiers"} & set(require)
    if policy["solve"]["solver"] == "anytime" and blanks and plain and draw.random() < 0.4:
        policy["solve"] = {"solver": "greedy", "seed": policy["solve"]["seed"]}
    if len(quasi) > 1 and "k" in require and plain and draw.random() < 0.2:
        require["bounded_knowledge"] = {"k": require["k"], "m": 1, "register": quasi[:1]}
        if policy["solve"]["solver"] in ("greedy", "anytime", "best"):
            del require["k"]
    if draw.random() < 0.15:
        policy["keep"] = [draw.choice(quasi)]
    bounded = [name for name in quasi if "tree" in (fields[name].get("hierarchy") or {})]
    if bounded and draw.random() < 0.3:
        fields[draw.choice(bounded)][draw.choice(("finest", "coarsest"))] = 1
    others = [name for name, spec in fields.items() if spec["role"] == "insensitive"]
    if others and draw.random() < 0.1:
        fields[draw.choice(others)]["open"] = True


def _follow(fields: Policy, quasi: list[str], draw: random.Random) -> None:
    for spec in fields.values():
        if spec["role"] == "insensitive" and draw.random() < 0.15:
            spec["follows"] = draw.choice(quasi)


def _recipient(policy: Policy, quasi: list[str], draw: random.Random) -> None:
    roll = draw.random()
    if roll < 0.25:
        policy["release_to"] = draw.choice(("public", "contracted-researcher", "in-house"))
    elif (
        roll < 0.45
        and len(quasi) > 1
        and policy["solve"]["solver"] not in ("datafly", "microaggregation")
    ):
        policy["release_to"] = "lab"
        hidden = draw.choice(quasi)
        policy["recipient"] = {"lab": {"linking": {hidden: 0.0}, "distortion": {quasi[0]: 0.7}}}


def _solve(
    texts: list[dict[str, Cell]], policy: Policy, quasi: list[str], solver: str, draw: random.Random
) -> dict[str, Any]:
    solve: dict[str, Any] = {"solver": solver, "seed": draw.randint(0, 99)}
    if solver in ("anytime", "optimal"):
        solve["objective"] = draw.choice(
            (
                "loss",
                "loss",
                "ncp",
                "precision",
                "discernibility",
                "average-bin-size",
                "non-uniform-entropy",
                "entropy",
            )
        )
    if solver == "local":
        looked_up = {"k_map", "delta_presence"} & set(policy["require"])
        solve["labels"] = "tree" if looked_up else draw.choice(("tree", "ranges"))
    if solver == "given":
        solve["levels"] = {name: 1 for name in quasi}
    return solve


def _share(rows: int, wanted: int) -> int:
    return max(1, min(wanted, rows))


def _require(
    table: Table,
    texts: list[dict[str, Cell]],
    policy: Policy,
    quasi: list[str],
    solver: str,
    draw: random.Random,
) -> dict[str, Any]:
    """Most of what can be asked, within what the whole table as one bin would keep."""
    sensitive = [name for name, spec in policy["fields"].items() if spec["role"] == "sensitive"]
    k = draw.choice((2, 2, 3, 5))
    asked: dict[str, Any] = {"k": k}
    if solver == "datafly" and draw.random() < 0.4:
        asked = {"anonymity": {"level": 0.3, "r2": 6, "loss": 0.2}}
    if solver == "mu_argus":
        asked = {"combinations": {"k": k, "sizes": [1, 2][: len(quasi)]}}
    asked["max_suppression"] = (
        draw.choice((0, 0.05, 0.2, 0.5, 1)) if solver != "given" else draw.choice((0.5, 1))
    )
    if draw.random() < 0.75:
        for _ in range(draw.choice((1, 1, 2))):
            key, value = _one_requirement(table, texts, quasi, sensitive, k, draw)
            if key and not (solver == "microaggregation" and key in ("k_map", "delta_presence")):
                asked[key] = value
    if solver in ("anytime", "optimal", "datafly2") and draw.random() < 0.1:
        asked["reading"] = "wildcard"
    if draw.random() < 0.1 and len(quasi) > 1 and solver in ("anytime", "optimal") and "k" in asked:
        asked["quasi_identifiers"] = [quasi[:-1], quasi[1:]]
    return asked


def _one_requirement(
    table: Table,
    texts: list[dict[str, Cell]],
    quasi: list[str],
    sensitive: list[str],
    k: int,
    draw: random.Random,
) -> tuple[str, Any]:
    about_bins = {
        "bin_sizes": {name: k for name in quasi[:2]},
        "combinations": {"k": 2, "sizes": [1, 2][: len(quasi)]},
        "key_combinations": [{"fields": quasi[:2], "k": k + 1}],
        "average_risk": 0.5,
        "maximum_risk": 0.34,
    }
    weights = [
        column.name
        for column in table.columns
        if column.kind == "small" and None not in column.cells
    ]
    if weights:
        about_bins["k_map"] = {"k": 4, "weight": draw.choice(weights)}
    about_bins["k_map"] = draw.choice(
        (about_bins.get("k_map"), {"k": 5, "population": "population.csv"})
    ) or {
        "k": 4,
        "population": "population.csv",
    }
    about_bins["delta_presence"] = {"population": "population.csv", "max": 0.5}
    if not sensitive or draw.random() < 0.35:
        return draw.choice(list(about_bins.items()))
    name = draw.choice(sensitive)
    counts = [row[name] for row in texts]
    distinct, largest = (
        len(set(counts)),
        max(counts.count(value) for value in set(counts)) / len(counts),
    )
    if distinct < 2:
        return "", None
    numeric = table.column(name).kind in NUMERIC
    about_values: dict[str, Any] = {
        "non_uniqueness": {"fields": [name]},
        "l_diversity": draw.choice(
            (
                {"l": min(3, distinct), "fields": [name]},
                {"l": 1.2, "kind": "entropy", "fields": [name]},
                {"l": 2, "kind": "recursive", "c": 30.0, "fields": [name]},
            )
        ),
        "t_closeness": {"t": 0.4, "distance": "ordered" if numeric else "equal", "fields": [name]},
        "p_sensitive": {"p": 2, "k": k, "fields": [name]},
        "alpha_k": {"alpha": round(min(1.0, largest + 0.1), 2), "k": k, "fields": [name]},
        "delta_disclosure": {
            "delta": 2.0,
            "absent": draw.choice(("ignored", "fails")),
            "fields": [name],
        },
        "beta_likeness": {
            "beta": 2.0,
            "kind": draw.choice(("enhanced", "basic")),
            "fields": [name],
        },
        "confidence_gain": {"gain": 0.6, "facts": draw.choice((0, 1)), "fields": [name]},
    }
    if numeric:
        about_values["value_spread"] = {"width": 2, "share": 0.9, "fields": [name]}
    return draw.choice(list(about_values.items()))
