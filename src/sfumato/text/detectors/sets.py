"""The sets of detectors: rules, rules and the conditional random field, or the transformer as
well."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from functools import cache
from importlib.resources import files

from sfumato.errors import MissingExtra

from ..bids import TextDetector
from ..learned.transformer import WEIGHTS, find_weights
from .declaration import DETECTORS, Basis, DetectorDeclaration, Detectors
from .transformed_references import needs_transformer

__all__ = ["Detectors", "detectors", "detectors_by", "usual_set", "weights_of"]


def usual_set() -> Detectors:
    """The set that is used where none is named: with the transformer where its extra is installed."""
    try:
        needs_transformer()
    except MissingExtra:
        return Detectors.CRF
    return Detectors.TRANSFORMER


def detectors(which: Detectors = Detectors.CRF) -> tuple[TextDetector, ...]:
    """The detectors of a set; the learned ones read their weights when they are first used.

    Example:
        >>> [len(detectors(which)) - len(detectors(Detectors.RULES)) for which in (Detectors.RULES, Detectors.CRF)]
        [0, 1]
    """
    sets = tuple(Detectors)
    return tuple(
        _made(each) for each in _in_order() if sets.index(each.least_set) <= sets.index(which)
    )


def detectors_by(bases: Collection[Basis]) -> tuple[TextDetector, ...]:
    """The detectors that know references by one of these bases."""
    return tuple(_made(each) for each in _in_order() if each.basis in bases)


def _in_order() -> list[DetectorDeclaration]:
    return sorted(DETECTORS.all().values(), key=lambda each: each.order)


@cache
def _made(declared: DetectorDeclaration) -> TextDetector:
    return declared.make()


def weights_of(which: Detectors = Detectors.CRF) -> dict[str, str]:
    """The digests of the learned weights that a set uses, so that a manifest can record them."""
    used = {
        Detectors.RULES: (),
        Detectors.CRF: ("crf.npz", "mask_classifier.json"),
        Detectors.TRANSFORMER: ("crf.npz", "mask_classifier_with_transformer.json"),
    }[which]
    weights = {name: files("sfumato.text") / "learned" / name for name in used}
    if which is Detectors.TRANSFORMER:
        weights[WEIGHTS] = find_weights()
    return {name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in weights.items()}
