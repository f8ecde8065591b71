"""Wong, Fu, Wang and Pei 2007, "Minimality attack in privacy preserving data publishing".

The attacker has the release, the hierarchies, a register with everyone's quasi-identifiers (the worst case of the
paper), and knows that the holder generalised no more than l-diversity asked for. They list every table of sensitive
values that fits the release, strike out those for which the holder would have released something finer, and count in
the rest how often a person has the disease. The baseline is the same count without striking any out: what l-diversity
promises. Where knowing the method raises someone's probability above 1/l, the attack has won.

The search over the lattice is deterministic and minimal, so on the toy table of the paper it loses, as every minimal
algorithm must. What resists is a rule that looks at the whole distribution: with t-closeness to a public reference
the release here is the same whatever the sensitive values inside it are. See docs/solvers/local.md.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

from sfumato.bins import Bins
from sfumato.bins.by_hand import bins_of_rows
from sfumato.errors import NoRecodingFound
from sfumato.policy.hierarchies import Hierarchy
from sfumato.protection import AlphaKAnonymity, Model
from sfumato.solvers import Optimal
from sfumato.solvers.local import DOWNCODING, Local

# The table of the paper (its Table 1), in small: q1 twice, q2 four times; HIV twice. At most half of a bin may have it.
REGISTER = ("q1", "q1", "q2", "q2", "q2", "q2")
TRUTH = ("HIV", "HIV", "none", "none", "none", "none")
BOUNDS = {"q": Hierarchy.from_rows([("q1", "*"), ("q2", "*")])}
MODEL = AlphaKAnonymity(alpha=0.5, k=1, fields=("q",), sensitive="disease", values=("HIV",))

Method = Callable[[Bins], Bins]
Published = dict[tuple[str | None, ...], tuple[int, int]]


def table(values: tuple[str, ...]) -> Bins:
    return bins_of_rows(("q",), list(zip(REGISTER, values, strict=True)), sensitive=("disease",))


def published(solver, values: tuple[str, ...]) -> Published | None:
    """What leaves the house: for each released tuple its rows, and how many of them have the disease."""
    bins = table(values)
    try:
        recoding = solver.solve(bins, BOUNDS).recoding
    except NoRecodingFound:
        return None
    labels, codes = ((BOUNDS["q"].labels[level], None) for level in [0]).__next__() if False else (None, None)
    out: Published = {}
    for b, q in enumerate(bins.tuples()):
        level = recoding.levels["q"] if hasattr(recoding.levels, "keys") else int(recoding.levels[b, 0])
        name = (BOUNDS["q"].labels[level][BOUNDS["q"].up[level][bins.codes[b, 0]]],) if level else q
        found = bins.histograms["disease"]
        sick = sum(
            int(n)
            for at, v, n in zip(found.bin_of, found.value_of, found.counts, strict=True)
            if at == b and found.values[v] == "HIV"
        )
        rows, so_far = out.get(name, (0, 0))
        out[name] = (rows + int(bins.counts[b]), so_far + sick)
    return out
