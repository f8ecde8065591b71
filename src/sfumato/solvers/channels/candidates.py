"""Output channels by enumeration, as Garfinkel et al. 2007 makes them (section 7): all there are,
or some by its rule set."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from .rules import MOST_INPUTS, Members, Rules


def enumerated(rules: Rules, count: int, *, seed: int) -> tuple[tuple[Members, ...], bool]:
    """At most `count` output channels and that of all inputs, first; and whether these are all that
    rules allow.

    Each has a risky and another input channel (rule 1). It has at most eight, or as many as the
    holder's rules allow (rule 2), and few rather than many (rule 3). Risky input channels take
    turns, so that all of them are in some. The first of a larger number are those of a smaller
    one."""
    inputs = len(rules.sizes)
    everything: Members = tuple(range(inputs))
    if sum(comb(inputs, size) for size in range(2, rules.most + 1)) <= count:
        sizes = range(2, rules.most + 1)
        every = (members for size in sizes for members in combinations(range(inputs), size))
        worth = [
            members
            for members in every
            if rules.risky[list(members)].any() and rules.allows(members)
        ]
        return (everything, *(members for members in worth if members != everything)), True
    return (everything, *_by_turns(rules, count - 1, seed=seed)), False


def _by_turns(rules: Rules, count: int, *, seed: int) -> list[Members]:
    random = np.random.default_rng(seed)
    turns = random.permutation(np.flatnonzero(rules.risky))
    largest = max(2, min(rules.most, MOST_INPUTS))
    chances = 0.5 ** np.arange(largest - 1)
    found: dict[Members, None] = {}
    for attempt in range(20 * count):
        if len(found) >= count:
            break
        size = 2 + int(random.choice(len(chances), p=chances / chances.sum()))
        members = _grown(rules, int(turns[attempt % len(turns)]), size, random)
        if members is not None and len(members) <= largest:
            found.setdefault(members)
    return list(found)


def _grown(rules: Rules, first: int, size: int, random: np.random.Generator) -> Members | None:
    """A set of that size around a risky input channel, one that is not risky first, with what rules
    ask for added."""
    chosen = [first]
    for wanted in (~rules.risky, *[np.ones(len(rules.sizes), bool)] * (size - 2)):
        fits = rules.together[chosen].all(axis=0) & wanted
        fits[chosen] = False
        choices = np.flatnonzero(fits)
        if len(choices):
            chosen.append(int(random.choice(choices)))
    return rules.closed(tuple(chosen)) if len(chosen) > 1 else None
