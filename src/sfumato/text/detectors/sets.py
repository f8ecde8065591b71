"""Which detectors look, by a word: rules, rules and the conditional random field, or the transformer as well."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from functools import cache
from importlib.resources import files

from ..bids import Detector


class Detectors(StrEnum):
    """A set of detectors. Each has those of the one before."""

    RULES = "rules"
    CRF = "crf"
    """Rules and the conditional random field: what is used unless told."""
    TRANSFORMER = "transformer"
    """Needs the extra `transformer`; slower."""


@cache
def detectors(which: Detectors = Detectors.CRF) -> tuple[Detector, ...]:
    """The detectors of a set; the learned ones read their weights when they are first used.

    Example:
        >>> [len(detectors(which)) - len(detectors(Detectors.RULES)) for which in (Detectors.RULES, Detectors.CRF)]
        [0, 1]
    """
    from . import RULES
    from .learned_references import LearnedReferences

    rules = tuple(each for each in RULES if not isinstance(each, LearnedReferences))
    if which is Detectors.RULES:
        return rules
    if which is Detectors.CRF:
        return (*rules, LearnedReferences())
    from .transformed_references import TransformedReferences, needs_transformer

    needs_transformer()
    return (*rules, LearnedReferences(), TransformedReferences())


def weights_of(which: Detectors = Detectors.CRF) -> dict[str, str]:
    """The digests of the learned weights that a set uses, so that a manifest can say which they were."""
    used = {
        Detectors.RULES: (),
        Detectors.CRF: ("crf.npz", "deciding.json"),
        Detectors.TRANSFORMER: ("crf.npz", "deciding-with-transformer.json", "minilm.zip"),
    }[which]
    learned = files("sfumato.text") / "learned"
    return {name: hashlib.sha256((learned / name).read_bytes()).hexdigest() for name in used}
