"""Claims: a question, the value that somebody expects and a margin; and how a noisy number judges
them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from sqlglot import exp

from sfumato.errors import NotAdmitted

from ..noise.statistics import QUANTILE
from ..sql.admission import AGGREGATES
from ..sql.questions import Question

CODE: Final = "claim"
CONFIDENCE: Final = 0.95
LEAST_CONFIDENCE, MOST_CONFIDENCE = 0.5, 0.999
_ONE_NUMBER: Final = (
    "SELECT AVG(field) FROM table, or AVG(...) FILTER (WHERE ...) - AVG(...) FILTER (WHERE ...) for "
    "the difference of two groups."
)

_NOT_ONE: Final = ("group", "having", "order", "limit", "offset", "distinct")
"""Parts of a query with which it may have no row, or several."""


class ClaimAgreement(StrEnum):
    """How the real table compares with a claim."""

    AGREES = "agrees"
    DIFFERS = "differs"
    CANNOT_SAY = "cannot say"


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationClaim:
    """A statement about one number of the real table: it is within `margin` of `value`.

    Without a `value`, the gate computes it from the synthetic copy of the table. `confidence` is how
    often the interval of the noisy number holds the real one.

    Example:
        >>> claim = ValidationClaim(sql="SELECT AVG(age) FROM people", value=40.0, margin=2.0)
        >>> [claim.judge(*ends).value for ends in ((39.0, 41.5), (43.0, 45.0), (41.0, 44.0))]
        ['agrees', 'differs', 'cannot say']
    """

    sql: str
    margin: float
    value: float | None = None
    confidence: float = CONFIDENCE
    epsilon: float | None = None
    """The cost that somebody chose for it, in place of the usual one."""

    def judge(self, low: float, high: float) -> ClaimAgreement:
        """The real number is between `low` and `high`: agrees where all of that is within the margin,
        differs where none of it is."""
        if self.value is None:
            return ClaimAgreement.CANNOT_SAY
        least, most = self.value - self.margin, self.value + self.margin
        if least <= low and high <= most:
            return ClaimAgreement.AGREES
        return ClaimAgreement.DIFFERS if high < least or most < low else ClaimAgreement.CANNOT_SAY


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """The gate's answer to a claim: the agreement, and the noisy number that it follows from, which
    is between `low` and `high` as often as `confidence` says.

    `epsilon` is what it cost, `left` how many noisy answers of the usual size remain. `copy` is the
    digest of the synthetic release that `value` was computed from, where it was."""

    query: str
    agreement: ClaimAgreement
    value: float
    margin: float
    number: float
    low: float
    high: float
    confidence: float
    epsilon: float
    left: int
    remembered: bool
    cuts: tuple[str, ...] = ()
    as_of: str = ""
    copy: str = ""

    def in_words(self) -> str:
        """One sentence for a person.

        Example:
            >>> given = Validation(query="q-1", agreement=ClaimAgreement.AGREES, value=40, margin=2, number=40.3,
            ...     low=39.4, high=41.2, confidence=0.95, epsilon=0.1, left=3, remembered=False)
            >>> given.in_words()
            'The real table agrees: 40.3, between 39.4 and 41.2 (95 %), is within 2 of 40.'
        """
        ends = f"{self.number:.6g}, between {self.low:.6g} and {self.high:.6g}"
        ends += f" ({100 * self.confidence:g} %)"
        match self.agreement:
            case ClaimAgreement.AGREES:
                return (
                    f"The real table agrees: {ends}, is within {self.margin:g} of {self.value:.6g}."
                )
            case ClaimAgreement.DIFFERS:
                return (
                    f"The real table differs: {ends}, is further than {self.margin:g} from "
                    f"{self.value:.6g}."
                )
        return (
            f"The gate cannot say: {ends}, is partly within {self.margin:g} of {self.value:.6g}. "
            "More epsilon or a wider margin may decide it."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationForecast:
    """What a claim would cost, and whether that would decide it; nothing of the real table is read.

    `half_width` is half the width of the interval that is to be expected, and None where the gate
    cannot know it: an average needs a synthetic copy. `decides` is whether such an interval usually
    decides a claim that is off by half a margin or less, or by two margins or more.
    `epsilon_needed` is the least epsilon that does, and `margin_decided` the least margin that
    `epsilon` decides."""

    query: str
    epsilon: float
    rho: float
    left: int
    most: float
    """The largest epsilon that the asker may choose."""
    value: float | None = None
    half_width: float | None = None
    decides: bool | None = None
    epsilon_needed: float | None = None
    margin_decided: float | None = None
    copy: str = ""


def check_claim(claim: ValidationClaim) -> None:
    """Whether margin, value and confidence are numbers that a claim can have."""
    if not (math.isfinite(claim.margin) and claim.margin > 0):
        raise NotAdmitted("The margin is no number above 0.", code=CODE, attempt="margin 0.5.")
    if claim.value is not None and not math.isfinite(claim.value):
        raise NotAdmitted("The value is no finite number.", code=CODE)
    if not LEAST_CONFIDENCE <= claim.confidence <= MOST_CONFIDENCE:
        raise NotAdmitted(
            f"A confidence of {claim.confidence:g} was chosen.",
            code=CODE,
            attempt=f"one between {LEAST_CONFIDENCE:g} and {MOST_CONFIDENCE:g}.",
        )


def check_one_number(questions: Iterable[Question], claim: ValidationClaim) -> Question:
    """The question of a claim: it has one number, whatever the data is."""
    asked = [*questions]
    question = asked[0]
    after = question.after
    one = len(asked) == 1 and len(question.columns) == 1 and question.numbers == (0,)
    if not one or any(after.args.get(part) for part in _NOT_ONE) or after.find(exp.Window):
        raise NotAdmitted(
            "A claim is about one number, without groups.", code=CODE, attempt=_ONE_NUMBER
        )
    quantiles = [each for each in question.aggregates if each.function == QUANTILE]
    if quantiles and (len(question.aggregates) > 1 or not _is_bare(question)):
        raise NotAdmitted("A percentile is validated by itself, without arithmetic.", code=CODE)
    if quantiles and claim.confidence > CONFIDENCE:
        raise NotAdmitted(
            "The interval of a percentile has a confidence of 95 %.",
            code=CODE,
            attempt=f"confidence {CONFIDENCE:g}.",
        )
    return question


def _is_bare(question: Question) -> bool:
    """Whether its column is an aggregate and nothing else."""
    return type(question.after.expressions[0].unalias()) in AGGREGATES
