"""The models again, slowly and obviously: rows in a list, dictionaries, loops. What the fast ones
are held against.

A row is (label of its bin, sensitive value). Each function says of one bin, as a list of values,
whether it passes."""

import math
from collections import Counter

FIELDS = ("q",)


def parts(rows):
    """The values of each bin, bins in order of appearance."""
    out = {}
    for label, value in rows:
        out.setdefault(label, []).append(value)
    return out


def shares_of(rows):
    counts = Counter(value for _, value in rows)
    return {value: count / len(rows) for value, count in counts.items()}


def distinct(values, least):
    return len(set(values)) >= least


def entropy(values, least):
    shares = [count / len(values) for count in Counter(values).values()]
    return -sum(share * math.log(share) for share in shares) >= math.log(least) - 1e-9


def recursive(values, c, least):
    counts = sorted(Counter(values).values(), reverse=True)
    return counts[0] < c * sum(counts[least - 1 :])


def alpha_k(values, alpha, k):
    return len(values) >= k and max(Counter(values).values()) <= alpha * len(values) + 1e-9


def equal_distance(values, reference):
    shares = {value: count / len(values) for value, count in Counter(values).items()}
    return sum(abs(shares.get(v, 0) - reference.get(v, 0)) for v in {*shares, *reference}) / 2


def ordered_distance(values, reference, order):
    shares = {value: count / len(values) for value, count in Counter(values).items()}
    domain = [value for value in order if value in reference]
    moved, out = 0.0, 0.0
    for value in domain:
        moved += shares.get(value, 0) - reference[value]
        out += abs(moved)
    return out / max(len(domain) - 1, 1)


def hierarchical_distance(values, reference, tree):
    """Li et al.'s recursion: cost(N) = height(N)/H * min(extra that comes in, extra that goes out)
    over inner nodes.

    `tree` gives each value its labels from itself to the root.
    """
    shares = {value: count / len(values) for value, count in Counter(values).items()}
    height = len(next(iter(tree.values()))) - 1
    extra = {value: shares.get(value, 0) - reference.get(value, 0) for value in tree}
    out = 0.0
    for level in range(1, height + 1):
        inner, above = {}, {}
        for value, labels in tree.items():
            inner[tuple(labels[level - 1 :])] = (
                inner.get(tuple(labels[level - 1 :]), 0) + extra[value]
            )
        for path, sum_of_extra in inner.items():
            above.setdefault(path[1:], []).append(sum_of_extra)
        for children in above.values():
            comes_in = sum(child for child in children if child > 0)
            goes_out = -sum(child for child in children if child < 0)
            out += level / height * min(comes_in, goes_out)
    return out


def disclosure(values, reference, delta):
    shares = {value: count / len(values) for value, count in Counter(values).items()}
    return all(
        v in shares and abs(math.log2(shares[v] / q)) < delta - 1e-12 for v, q in reference.items()
    )


def confidence(values, reference, gain, facts):
    """The attacker crosses out others who lack the value, one fact each, and bets on one of the
    rows that are left."""
    for value, prior in reference.items():
        others = sum(other != value for other in values)
        left = len(values) - min(facts, others)
        belief = values.count(value) / left if left else 0.0
        if prior < 1 and (belief - prior) / (1 - prior) > gain + 1e-9:
            return False
    return True


def likeness(values, reference, beta, enhanced):
    for value, count in Counter(values).items():
        share, expected = count / len(values), reference[value]
        bound = min(beta, -math.log(expected)) if enhanced else beta
        if (share - expected) / expected > bound + 1e-9:
            return False
    return True
