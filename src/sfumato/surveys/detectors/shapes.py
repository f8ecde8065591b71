"""The kinds that remain without other evidence: empty, constant, yes or no, a few categories,
numbers, unknown."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.engines import FieldKind

from ..evidence import Evidence, percent
from ..lexicons.word_list import word_list
from ..name_words import plain_word
from ..records import FieldLikeness, LooksLike

FLAGS = word_list(
    "yes no y n true false t f 0 1 ja nein oui non si no j o s on off positive negative "
    "pos neg unknown u na n/a"
)
FEW = 10
"""A field with at most this many values, each in several rows, may be released as a category."""


@dataclass(frozen=True, slots=True)
class ValueShape:
    """The last resort: by counts only, and never very sure. `Empty` and `constant` are certain."""

    looks_like: LooksLike = LooksLike.UNKNOWN

    def detect(self, evidence: Evidence) -> FieldLikeness | None:
        profile = evidence.profile
        if not evidence.present:
            return FieldLikeness(LooksLike.EMPTY, 0.5, ("no row has a value",))
        if profile.distinct == 1 and evidence.present > 1 and not profile.nulls:
            return FieldLikeness(LooksLike.CONSTANT, 0.5, ("every row has the same value",))
        different = f"{profile.distinct} different values in {evidence.present} rows"
        few = (
            profile.distinct <= FEW and profile.unique == 0 and profile.nulls != 1
        )  # A lone null stands out too.
        if few and _is_flag(evidence):
            return FieldLikeness(LooksLike.FLAG, 0.39, ("its values mean yes or no",))
        if few and profile.distinct < evidence.present / 4:
            return FieldLikeness(LooksLike.CATEGORY, 0.2, (different, "and each in several rows"))
        if evidence.all_numbers and profile.info.kind is not FieldKind.BOOLEAN:
            return FieldLikeness(LooksLike.NUMBER, 0.2, ("all values are numbers", different))
        alone = f"{percent(evidence.unique_share)} of rows have a unique value"
        return FieldLikeness(
            LooksLike.UNKNOWN, 0.1, ("its meaning is unknown", f"{different}, {alone}")
        )


def _is_flag(evidence: Evidence) -> bool:
    if evidence.profile.info.kind is FieldKind.BOOLEAN:
        return True
    return (
        evidence.profile.distinct <= 4
        and evidence.share(lambda text: plain_word(text) in FLAGS) == 1
    )


SHAPES = (ValueShape(),)
