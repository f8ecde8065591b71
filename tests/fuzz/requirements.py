"""Requirements of a policy, judged from their definitions on released rows. Imports nothing of
Sfumato."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from .cells import Cell, Row

Bins = Mapping[tuple[Cell, ...], Sequence[Row]]
SLACK = 1e-9


def bins_of(rows: Sequence[Row], fields: Sequence[str]) -> dict[tuple[Cell, ...], list[Row]]:
    """Rows that share their cells of some fields."""
    out: dict[tuple[Cell, ...], list[Row]] = defaultdict(list)
    for row in rows:
        out[tuple(row[name] for name in fields)].append(row)
    return out


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def size_below(
    rows: Sequence[Row], fields: Sequence[str], k: int, *, matches: frozenset[Cell] = frozenset()
) -> int:
    """How many tuples are shared by fewer than k rows; cells in `matches` could be any value."""
    sizes = Counter(tuple(row[name] for name in fields) for row in rows)
    if not matches:
        return sum(size < k for size in sizes.values())
    return sum(
        sum(size for other, size in sizes.items() if _alike(one, other, matches)) < k
        for one in sizes
    )


def _alike(one: tuple[Cell, ...], other: tuple[Cell, ...], matches: frozenset[Cell]) -> bool:
    return all(a == b or a in matches or b in matches for a, b in zip(one, other, strict=True))


def about_values(key: str, asked: Any) -> Callable[[Counter[Cell], Counter[Cell]], bool] | None:
    """Whether a bin keeps a rule about one sensitive field, given its values and those of the
    source."""
    rules: dict[str, Callable[..., bool]] = {
        "non_uniqueness": lambda held, whole: len(held) > 1,
        "l_diversity": lambda held, whole: _diverse(asked, held),
        "t_closeness": lambda held, whole: _distance(asked, held, whole) <= asked["t"] + SLACK,
        "p_sensitive": lambda held, whole: len(held) >= asked["p"] and held.total() >= asked["k"],
        "alpha_k": lambda held, whole: _alpha(asked, held),
        "value_spread": lambda held, whole: _spread(asked, held),
        "delta_disclosure": lambda held, whole: _delta(asked, held, whole),
        "beta_likeness": lambda held, whole: _beta(asked, held, whole),
        "confidence_gain": lambda held, whole: _gain(asked, held, whole),
    }
    return rules.get(key)


def _diverse(asked: Any, held: Counter[Cell]) -> bool:
    kind, rows = asked.get("kind", "distinct"), held.total()
    if kind == "distinct":
        return len(held) >= asked["l"]
    if kind == "entropy":
        entropy = -sum(n / rows * math.log(n / rows) for n in held.values())
        return entropy >= math.log(asked["l"]) - SLACK
    counts = sorted(held.values(), reverse=True)
    return counts[0] < asked["c"] * sum(counts[int(asked["l"]) - 1 :]) + SLACK


def _distance(asked: Any, held: Counter[Cell], whole: Counter[Cell]) -> float:
    if set(held) - set(whole):
        return math.inf
    gaps = {value: held[value] / held.total() - whole[value] / whole.total() for value in whole}
    if asked.get("distance", "equal") == "equal":
        return sum(map(abs, gaps.values())) / 2
    order = sorted(
        whole, key=lambda value: (value is None, 0 if value is None else Fraction(value))
    )
    running = itertools.accumulate(gaps[value] for value in order)
    return sum(map(abs, running)) / max(len(order) - 1, 1)


def _alpha(asked: Any, held: Counter[Cell]) -> bool:
    limited = asked.get("values") or list(held)
    return held.total() >= asked["k"] and all(
        held[value] <= asked["alpha"] * held.total() + SLACK for value in limited
    )


def _spread(asked: Any, held: Counter[Cell]) -> bool:
    """By trying the interval that starts at each number."""
    numbers = [Fraction(value) for value in held.elements() if value is not None]
    width, most = Fraction(str(asked["width"])), asked["share"] * held.total() + SLACK
    nulls = held.total() - len(numbers)
    return nulls <= most and all(
        sum(0 <= other - one < width for other in numbers) <= most for one in set(numbers)
    )


def _delta(asked: Any, held: Counter[Cell], whole: Counter[Cell]) -> bool:
    if asked.get("absent", "fails") == "fails" and set(whole) - set(held):
        return False
    ratios = (held[value] / held.total() / (whole[value] / whole.total()) for value in held)
    return all(abs(math.log2(ratio)) < asked["delta"] + SLACK for ratio in ratios)


def _beta(asked: Any, held: Counter[Cell], whole: Counter[Cell]) -> bool:
    for value, count in held.items():
        before, now = whole[value] / whole.total(), count / held.total()
        cap = (
            asked["beta"]
            if asked.get("kind", "enhanced") == "basic"
            else min(asked["beta"], -math.log(before))
        )
        if (now - before) / before > cap + SLACK:
            return False
    return True


def _gain(asked: Any, held: Counter[Cell], whole: Counter[Cell]) -> bool:
    for value, count in held.items():
        before, left = whole[value] / whole.total(), held.total() - asked.get("facts", 0)
        belief = count / left if left > count else 1.0
        if before < 1 and (belief - before) / (1 - before) > asked["gain"] + SLACK:
            return False
    return True


def broken(
    require: Mapping[str, Any],
    rows: Sequence[Row],
    source: Sequence[Row],
    *,
    known: Sequence[str],
    sensitive: Sequence[str],
    matches: frozenset[Cell] = frozenset(),
    combinations: Sequence[Sequence[str]] = (),
) -> Iterator[str]:
    """The requirements that the released rows break. `combinations` are the sets of fields that it
    is asked of."""
    if not rows:
        return
    yield from _counts_broken(require, rows, known=known, matches=matches)
    for fields in combinations:
        if bad := combination_below(
            rows, fields, require["combinations"]["k"], matches=matches - {None}
        ):
            yield f"combinations: {bad} tuples of {len(fields)} fields occur less often"
    bins = bins_of(rows, known)
    for key in ("non_uniqueness", "l_diversity", "t_closeness", "p_sensitive", "alpha_k", "delta_disclosure",
                "value_spread", "beta_likeness", "confidence_gain"):  # fmt: skip
        for asked in as_list(require[key]) if key in require else ():
            keeps = about_values(key, asked if isinstance(asked, dict) else {})
            assert keeps is not None
            for name in (asked.get("fields") if isinstance(asked, dict) else None) or sensitive:
                whole = Counter(row[name] for row in source)
                bad = sum(
                    not keeps(Counter(row[name] for row in held), whole) for held in bins.values()
                )
                if bad:
                    yield f"{key}: {bad} of {len(bins)} bins break it"


def _counts_broken(
    require: Mapping[str, Any],
    rows: Sequence[Row],
    *,
    known: Sequence[str],
    matches: frozenset[Cell],
) -> Iterator[str]:
    if "k" in require:
        for fields in require.get("quasi_identifiers") or [known]:
            if bad := size_below(
                rows, [n for n in fields if n in known], require["k"], matches=matches
            ):
                yield f"k: {bad} tuples are shared by fewer rows"
    for asked in require.get("key_combinations", ()):
        if bad := size_below(
            rows, [n for n in asked["fields"] if n in known], asked["k"], matches=matches
        ):
            yield f"key_combinations: {bad} tuples are shared by fewer rows"
    for name, size in require.get("bin_sizes", {}).items():
        if name in known and (bad := size_below(rows, [name], size)):
            yield f"bin_sizes: {bad} values occur less often"
    bins = bins_of(rows, known)
    if "average_risk" in require and len(bins) / len(rows) > require["average_risk"] + SLACK:
        yield "average_risk: it is higher"
    if (
        "maximum_risk" in require
        and 1 / min(map(len, bins.values())) > require["maximum_risk"] + SLACK
    ):
        yield "maximum_risk: it is higher"


def combination_below(
    rows: Sequence[Row], fields: Sequence[str], k: int, *, matches: frozenset[Cell]
) -> int:
    """How many combinations occur under k times; one with a cell that could be anything is not
    looked at."""
    counts = Counter(tuple(row[name] for name in fields) for row in rows)
    return sum(count < k for cells, count in counts.items() if not matches & set(cells))
