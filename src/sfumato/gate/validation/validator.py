"""The validator: judges a claim by the noisy answer to its question, or forecasts what that would
cost.

The question is asked of the keeper like any other, with noise: charged before the noise is drawn,
remembered, and refused in the keeper's words. A claim with another value, margin or spelling reads the
same noisy answer again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from sfumato.errors import Bug, NotAdmitted

from ..keeper import GateKeeper
from ..noise.noisy_query import noise_scales
from ..noise.statistics import QUANTILE, parts_of
from ..offers import NoisyOffer
from ..settings import Asker, Mode, Terms
from ..sql import Question, admit_all
from ..sql.admission import numbers_in
from ..statement_text import kept_text
from .claims import (
    CODE,
    Validation,
    ValidationClaim,
    ValidationForecast,
    check_claim,
    check_one_number,
)
from .estimates import estimate, estimate_of, is_linear, number_of
from .synthetic_copy import SyntheticCopies

VALIDATED: Final = "validated"
_DECIDING: Final = 0.35
"""Half the width of an interval by the margin, at which 8 of 10 claims are decided that are off by
half a margin or by two: with a standard deviation s of the noise, 0.5 margins are 1.96 s + 0.84 s."""
_ROUNDS: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Validator:
    """Validates claims at a gate. The keeper decides one question at a time; intervals are worked out
    and copies are read beside it, so that others are answered meanwhile."""

    keeper: GateKeeper
    copies: SyntheticCopies

    def validate(self, asker: Asker, claim: ValidationClaim) -> Validation:
        """Judge a claim. The verdict follows from the noisy answer, the value and the margin."""
        keeper = self.keeper
        with self._noted(asker, claim):
            question, offer = self._admitted(asker, claim)
            value, copy = self._value(claim, question, offer)
        answer = keeper.ask(asker, claim.sql, mode=Mode.NOISY, epsilon=self._epsilon(asker, claim))
        if answer.record.get("kind") != "noisy":
            raise Bug("a claim was judged by an answer without noise")
        record = _with_bounds(answer.record, offer.terms)
        found = estimate_of(offer.asked, record, confidence=claim.confidence)
        agreement = replace(claim, value=value).judge(found.low, found.high)
        keeper.audit.append(VALIDATED, {
            "who": asker.name, "profile": asker.profile, "asked": question.told(), "query": answer.query,
            "value": value, "margin": claim.margin, "confidence": claim.confidence,
            "agreement": agreement.value, "copy": copy,
        })  # fmt: skip
        return Validation(
            query=answer.query,
            agreement=agreement,
            value=value,
            margin=claim.margin,
            number=found.number,
            low=found.low,
            high=found.high,
            confidence=claim.confidence,
            epsilon=answer.epsilon,
            left=answer.left or 0,
            remembered=answer.remembered,
            cuts=answer.cuts,
            as_of=answer.as_of,
            copy=copy,
        )

    def forecast(self, asker: Asker, claim: ValidationClaim) -> ValidationForecast:
        """What a claim would cost and whether that would decide it, from the question, the policy,
        the terms and the synthetic copy. No real row is read for it, and nothing is charged."""
        keeper = self.keeper
        with self._noted(asker, claim):
            question, offer = self._admitted(asker, claim)
            value, copy = self._value(claim, question, offer)
            parts = self._expected(offer)
        keeper.audit.append("looked", {
            "who": asker.name, "profile": asker.profile, "asked": question.told(), "query": offer.query,
            "shapes": [],
        })  # fmt: skip
        budget, free = offer.terms.budget, offer.is_answered
        plain = ValidationForecast(
            query=offer.query,
            epsilon=0.0 if free else budget.query,
            rho=0.0 if free else float(budget.question_rho),
            left=offer.left,
            most=max(budget.query, keeper.settings.terms_of(asker.profile).budget.most),
            value=value,
            copy=copy,
        )
        if parts is None:
            return plain
        return _with_width(plain, self._width(offer, parts, claim), claim, budget.query)

    def _admitted(self, asker: Asker, claim: ValidationClaim) -> tuple[Question, NoisyOffer]:
        """The question of a claim, and how it would be answered with noise."""
        keeper = self.keeper
        if not keeper.settings.terms_of(asker.profile).validation.allowed:
            raise NotAdmitted(
                f"Recipients of profile {asker.profile!r} may not validate.",
                code="not-allowed",
                attempt="asking the steward for terms with validation.",
            )
        check_claim(claim)
        catalogue = keeper.catalogue(asker)
        if numbers_in(claim.sql, catalogue):
            raise NotAdmitted(
                "A number of another query has noise and a cost of its own.",
                code=CODE,
                attempt="AVG(...) FILTER (WHERE ...), or a claim about each number.",
            )
        question = check_one_number(admit_all(claim.sql, catalogue), claim)
        return question, keeper.noisy_offer(asker, question, epsilon=self._epsilon(asker, claim))

    def _epsilon(self, asker: Asker, claim: ValidationClaim) -> float:
        """The epsilon that somebody chose, or the usual one of the profile."""
        terms = self.keeper.settings.terms_of(asker.profile)
        return claim.epsilon or terms.validation.epsilon or terms.budget.query

    def _value(
        self, claim: ValidationClaim, question: Question, offer: NoisyOffer
    ) -> tuple[float, str]:
        """The value of a claim, and the digest of the copy that it was computed from."""
        if claim.value is not None:
            return claim.value, ""
        record = self.copies.numbers(self.keeper.holdings, offer.asked, offer.terms)
        if record is None:
            raise NotAdmitted(
                "The claim has no value, and the table has no synthetic copy at this gate.",
                code=CODE,
                attempt="the value that you found on your copy.",
            )
        value = number_of(offer.asked, _with_bounds(record, offer.terms))
        if not math.isfinite(value):
            raise NotAdmitted(
                "The question has no number on the synthetic copy.",
                code=CODE,
                attempt="stating the value, or another question.",
            )
        return value, self.copies.digest(question)

    def _expected(self, offer: NoisyOffer) -> Mapping[str, Sequence[float]] | None:
        """The counts and sums to be expected, from the synthetic copy; None where they are unknown.
        A number that is a sum of counts and sums has the same width, whatever they are."""
        asked, bounds = offer.asked, offer.terms.bounds
        if any(each.function == QUANTILE for each in asked.aggregates):
            return None
        if is_linear(asked):
            return {part.canonical(): [0.0] for part in parts_of(asked.aggregates, bounds)}
        try:
            record = self.copies.numbers(self.keeper.holdings, asked, offer.terms)
        except NotAdmitted:  # The copy lacks a field; the claim states its value.
            return None
        return None if record is None else record["numbers"]

    def _width(
        self, offer: NoisyOffer, parts: Mapping[str, Sequence[float]], claim: ValidationClaim
    ) -> Callable[[float], float]:
        """Half the width of the interval to be expected, by epsilon."""
        asked, terms = offer.asked, offer.terms
        table = self.keeper.table_of(asked).alone
        numbers = {name: np.array(each, float) for name, each in parts.items()}

        def width(epsilon: float) -> float:
            own = replace(terms, budget=terms.budget.chosen(epsilon))
            scales = noise_scales(asked, table, own, protected=True)
            found = estimate(asked, numbers, scales, bounds=own.bounds, confidence=claim.confidence)
            return found.half_width

        return width

    @contextmanager
    def _noted(self, asker: Asker, claim: ValidationClaim) -> Iterator[None]:
        """What is not admitted here is in the audit, as the keeper writes what it does not admit."""
        try:
            yield
        except NotAdmitted as refused:
            self.keeper.audit.append("not admitted", {
                "who": asker.name, "profile": asker.profile, "asked": kept_text(claim.sql),
                "code": refused.code, "reason": refused.asked,
            })  # fmt: skip
            raise


def _with_bounds(record: Mapping[str, Any], terms: Terms) -> dict[str, Any]:
    """A record with the bounds of everything that its question derives."""
    return {**record, "bounds": {**terms.bounds, **record.get("bounds", {})}}


def _with_width(
    forecast: ValidationForecast,
    width: Callable[[float], float],
    claim: ValidationClaim,
    epsilon: float,
) -> ValidationForecast:
    """A forecast with what its epsilon decides, and which one would decide the claim."""
    half = width(epsilon)
    if not math.isfinite(half):
        return replace(forecast, decides=False)
    return replace(
        forecast,
        half_width=half,
        decides=half <= _DECIDING * claim.margin,
        margin_decided=half / _DECIDING,
        epsilon_needed=_needed(width, _DECIDING * claim.margin, epsilon),
    )


def _needed(width: Callable[[float], float], wanted: float, epsilon: float) -> float | None:
    """The least epsilon whose interval is as narrow as wanted. Widths go with the root of epsilon,
    so a few rounds find it."""
    for _ in range(_ROUNDS):
        found = width(epsilon)
        if not math.isfinite(found):
            epsilon *= 4
            continue
        if abs(found / wanted - 1) < 0.01:
            return epsilon
        epsilon *= min(max((found / wanted) ** 2, 1e-3), 1e3)
    return epsilon if math.isfinite(width(epsilon)) else None
