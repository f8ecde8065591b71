"""Guidance for a number of a policy: the attacks that it defends against, and those that it does
not. It is printed beside the contacts that an intruder needs in the candidates of a sweep (Sweeney
2000, section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.bins import Bins


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberGuidance:
    """The attacks that a requirement defends against, and those that it does not."""

    defends: str
    leaves_open: str


GUIDANCE = {
    "k": NumberGuidance(
        defends="against finding a person: an intruder who knows the quasi-identifiers contacts "
        "several people before the right one",
        leaves_open="all people of a bin may have the same sensitive value: ask for l or t too",
    ),
    "anonymity": NumberGuidance(
        defends="against finding a person: the level A sets the bin size between r1 and r2, so that "
        "it grows with the table",
        leaves_open="all people of a bin may have the same sensitive value: ask for l or t too",
    ),
    "l_diversity": NumberGuidance(
        defends="against certainty about a sensitive value of somebody whose bin is known",
        leaves_open="one of the values may be much likelier than the others: ask for t",
    ),
    "t_closeness": NumberGuidance(
        defends="against learning more of a sensitive value than the whole table discloses",
        leaves_open="small differences between bins, and values that are close in meaning",
    ),
    "k_map": NumberGuidance(
        defends="against finding a person in the population that the table is a sample of",
        leaves_open="an intruder who knows that somebody is in the table",
    ),
}


def guidance_for(over: str) -> NumberGuidance | None:
    """The guidance for a swept number, as `k`, `t_closeness.t` or `anonymity.level`.

    Example:
        >>> guidance_for("t_closeness.t") is GUIDANCE["t_closeness"], guidance_for("loss")
        (True, None)
    """
    return GUIDANCE.get(over.split(".")[0])


def expected_contacts(bins: Bins) -> float:
    """How many people an intruder contacts on average until the right one answers: half of the bin
    and one half, over the rows.

    Example:
        >>> expected_contacts(Bins.of(("zip",), {("02138",): 3, ("02139",): 1}))
        1.75
    """
    return float((bins.counts * (bins.counts + 1) / 2).sum() / max(bins.rows, 1))
