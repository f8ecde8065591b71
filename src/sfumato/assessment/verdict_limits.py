"""The limits at which a verdict turns amber or red, and their origin. They are customs, not laws of
nature."""

from __future__ import annotations

from sfumato.report import percent

PUBLIC = 0.09
"""European Medicines Agency (Policy 0070, 2016) and Health Canada (2019): the highest chance for
what is published."""
CONTRACT = 0.2
"""Five people at the least: the custom for data under contract (El Emam 2013 lists the
precedents)."""
HIGHEST = 1 / 3
"""Fewer than three people: the least that any of these precedents allows."""
ALONE = (0.01, 0.05)
"""The share of the population that is unique: amber above the first, red above the second."""
LEARNED_BY = 0.5
"""A value is inferred where the release raises the confidence in it by this much."""
LEARNED = (0.01, 0.10)
"""The share of people of whom a value is inferred: amber above the first, red above the second."""
FOUND = (0.05, 0.20)
"""The share of people whom the policy's m known values single out (the notion: de Montjoye et al.
2013): amber above the first, red above the second."""
ADVANTAGE = 0.10
"""An attack that succeeds by this much more often than on people who are not in the release is a
red one."""

RULES: tuple[tuple[str, str, str], ...] = (
    (
        "Highest chance to find a person",
        f"above {percent(PUBLIC)} where the release is for the public or the recipient is "
        f"unknown, above {percent(CONTRACT)} for others (EMA Policy 0070; Health Canada "
        "2019; El Emam 2013)",
        "above 1 in 3",
    ),
    (
        "People unique in the population",
        f"above {percent(ALONE[0])} of it, by the upper end of the interval; against a "
        "table of everyone, of the "
        "released rows",
        f"above {percent(ALONE[1])}",
    ),
    (
        "A value learned without finding the person",
        f"for over {percent(LEARNED[0])} of people the confidence in a value rises by "
        f"{percent(LEARNED_BY)} or more, "
        "or for anyone it becomes certain",
        f"for over {percent(LEARNED[1])} of people",
    ),
    (
        "People whom m known values single out",
        f"above {percent(FOUND[0])} over the known and the insensitive fields; above "
        f"{percent(FOUND[1])} over everything released",
        f"above {percent(FOUND[1])} over the known fields, all released ones where rows are linked",
    ),
    (
        "Rows that point to one person only",
        "one, compared with the source; or all rows, or compared with a population some, "
        "fit nobody",
        "one, compared with a population",
    ),
    (
        "Attacks",
        "one does better than its baseline, by their 95 % intervals, over all attempts or "
        "over its claims; or one "
        "could not be judged, or none was run",
        "a claim follows from the release with certainty, however few do; or what the "
        "release adds is surely above "
        f"{percent(ADVANTAGE)}, for an attack on a value against a control group",
    ),
)
"""The measures, with the limits of amber and red."""
