"""One instance of each model that looks inside bins, at the table as a whole or at labels, for the
contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from random_tables import FIELDS, VALUES

from sfumato.bins import Bins, Pairing
from sfumato.hierarchies import Hierarchy
from sfumato.protection import (
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    ConfidenceGain,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    IntervalWidth,
    MaximumRisk,
    Model,
    NonUniqueness,
    NullMap,
    PopulationUniqueness,
    PSensitiveKAnonymity,
    RecursiveCLDiversity,
    SafeHarbor,
    TCloseness,
    VarianceDiversity,
    WrongMap,
)

SHARES = dict(zip(VALUES, (0.5, 0.25, 0.25), strict=True))
TREE = Hierarchy.from_rows([(VALUES[0], "u", "*"), (VALUES[1], "u", "*"), (VALUES[2], "v", "*")])
ABOUT = {"fields": FIELDS, "sensitive": "value"}
AGAINST = ABOUT | {"reference": SHARES}

Make = Callable[[Bins, Mapping[str, Hierarchy]], Model]
PLAIN: dict[str, Model] = {
    "non-uniqueness": NonUniqueness(fields=FIELDS, sensitive=("value",)),
    "non-uniqueness of no field": NonUniqueness(fields=(), sensitive=("value",)),
    "distinct l": DistinctLDiversity(l=2, **ABOUT),
    "distinct l over fewer fields": DistinctLDiversity(l=3, fields=("b",), sensitive="value"),
    "entropy l": EntropyLDiversity(l=1.5, **ABOUT),
    "recursive (c,l)": RecursiveCLDiversity(c=1.5, l=2, **ABOUT),
    "recursive (c,3)": RecursiveCLDiversity(c=3, l=3, **ABOUT),
    "t-closeness": TCloseness(t=0.4, **AGAINST),
    "t-closeness, ordered": TCloseness(t=0.4, distance="ordered", order=VALUES, **AGAINST),
    "t-closeness, hierarchical": TCloseness(
        t=0.4, distance="hierarchical", hierarchy=TREE, **AGAINST
    ),
    "interval width": IntervalWidth(width=2, share=0.7, **ABOUT),
    "interval width of single values": IntervalWidth(width=1, share=0.5, **ABOUT),
    "variance diversity": VarianceDiversity(deviation=2, **ABOUT),
    "p-sensitive k": PSensitiveKAnonymity(p=2, k=3, fields=FIELDS, sensitive=("value",)),
    "(alpha,k)": AlphaKAnonymity(alpha=0.6, k=2, **ABOUT),
    "(alpha,k) of one value": AlphaKAnonymity(alpha=0.4, k=2, values=VALUES[:1], **ABOUT),
    "delta-disclosure": DeltaDisclosure(delta=1.1, **AGAINST),
    "delta-disclosure, absent ignored": DeltaDisclosure(delta=1.1, absent="ignored", **AGAINST),
    "beta-likeness": BetaLikeness(beta=1, **AGAINST),
    "beta-likeness, basic": BetaLikeness(beta=0.6, enhanced=False, **AGAINST),
    "confidence gain": ConfidenceGain(gain=0.4, **AGAINST),
    "confidence gain with a fact": ConfidenceGain(gain=0.6, facts=1, **AGAINST),
    "confidence gain with two facts": ConfidenceGain(gain=0.6, facts=2, **AGAINST),
    "average risk": AverageRisk(threshold=0.5, fields=FIELDS),
    "average risk over fewer fields": AverageRisk(threshold=0.3, fields=("a",)),
    "maximum risk": MaximumRisk(threshold=0.5, fields=FIELDS),
    "population uniqueness": PopulationUniqueness(
        threshold=0.1, fields=FIELDS, sampling_fraction=0.1
    ),
    "population uniqueness, Zayatz": PopulationUniqueness(
        threshold=0.1, fields=FIELDS, population_size=50, estimator="zayatz"
    ),
    "Safe Harbor": SafeHarbor(fields=FIELDS, zips=("a",), ages=("value",)),
}
"""Those that need nothing else."""


def _moved_on(people: Bins) -> Pairing:
    """Each of these people's rows has the tuple of the next."""
    each = [found for found, size in people.sizes().items() for _ in range(size)]
    own = [(place - 1) % len(each) for place in range(len(each))]
    return Pairing.of(people.fields, subjects=each, released=each, own=own)


ABOUT_VALUES: dict[str, Make] = {
    name: lambda people, bounds, it=model: it for name, model in PLAIN.items()
} | {
    "delta-presence": lambda people, bounds: DeltaPresence(
        min=0, max=0.5, fields=FIELDS, population=people, hierarchies=bounds
    ),
    "delta-presence from both sides": lambda people, bounds: DeltaPresence(
        min=0.1, max=0.9, fields=FIELDS, population=people, hierarchies=bounds
    ),
    "null-map": lambda people, bounds: NullMap(fields=FIELDS, subjects=people, hierarchies=bounds),
    "wrong-map": lambda people, bounds: WrongMap(
        fields=FIELDS, pairing=_moved_on(people), hierarchies=bounds
    ),
}
