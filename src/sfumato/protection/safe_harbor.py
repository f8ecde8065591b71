"""HIPAA's Safe Harbor as a rule set about labels: 45 CFR 164.514(b)(2) (Garfinkel 2016, section
3.7.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.errors import Problem
from sfumato.parts import ParameterKind, Shape, parameter
from sfumato.policy import ROWS, LooksAt, Method, Policy, RequirementForm, Role, scrubbed_fields
from sfumato.wording import counted

from .declaration import ModelContext, ModelDeclaration
from .histograms import inside
from .model import Model, verdict_of
from .safe_harbor_labels import SafeHarborKind, forbidden
from .verdict import Verdict

_DERIVED = (Method.HASH, Method.MADE_UP, Method.SURROGATE)
_RELEASED = (Role.QUASI, Role.SENSITIVE, Role.INSENSITIVE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SafeHarborRequirement:
    """HIPAA's Safe Harbor: which released fields are ZIPs, dates, dates of birth and ages, the last
    as of a year."""

    zips: tuple[str, ...] = parameter(
        "released fields that are ZIPs", default=(), kind=ParameterKind.FIELDS
    )
    dates: tuple[str, ...] = parameter(
        "released fields that are dates", default=(), kind=ParameterKind.FIELDS
    )
    births: tuple[str, ...] = parameter(
        "released fields that are dates of birth", default=(), kind=ParameterKind.FIELDS
    )
    ages: tuple[str, ...] = parameter(
        "released fields that are ages", default=(), kind=ParameterKind.FIELDS
    )
    as_of: int | None = parameter(
        "year in which a year of birth must not reveal an age over 89",
        default=None,
        least=1900,
        most=9999,
        example="2026",
    )

    @property
    def declared(self) -> tuple[str, ...]:
        """Every field that is declared to be something."""
        return (*self.zips, *self.dates, *self.births, *self.ages)

    def conflicts(self, given: frozenset[str]) -> Iterator[tuple[str, str, str]]:
        if self.births and "as_of" not in given:
            yield (
                "as_of",
                "A year of birth reveals an age over 89 as of some year.",
                "as_of = 2026.",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class SafeHarbor:
    """No bin shows a date finer than a year, an age over 89, a ZIP finer than Safe Harbor allows,
    or another of its 18 identifiers.

    The holder declares which released fields are `zips`, `dates`, `ages` and `births`: dates of
    birth, whose year must not disclose an age over 89 in the year `as_of`. In declared fields,
    every label that is not recognised as coarse enough fails. In the other fields of the bins only
    unmistakable labels fail: a date, an SSN, a telephone number, an e-mail, web or IP address or a
    ZIP+4. `others` are released fields that hold any other of the 18 identifiers; with one of them
    every bin fails. Declared fields outside the bins are judged from histograms. While fields are
    `undecided`, because nobody has declared their content, no verdict is a pass.

    Assumes: the holder's declarations are true and complete; direct identifiers were removed; no
    free text is released. Does not protect: a person who is unique by what may be released, such as
    year of birth, sex and three digits of a ZIP; see `KAnonymity`. The rule also asks that the
    holder knows of no other way to identify someone. Reference: 45 CFR 164.514(b)(2), United States
    2000; Garfinkel 2016, section 3.7.2; docs/protection/safe-harbor.md.

    Example:
        >>> bins = Bins.of(("zip", "age"), {("021**", "34"): 7, ("02138", "34"): 9, ("021**", "93"): 8})
        >>> SafeHarbor(fields=("zip", "age"), zips=("zip",), ages=("age",)).failing(bins).tolist()
        [False, True, True]
    """

    fields: tuple[str, ...]
    zips: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    births: tuple[str, ...] = ()
    ages: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    as_of: int | None = None
    undecided: tuple[str, ...] = ()

    name: ClassVar[str] = "Safe Harbor"
    monotone_generalisation: ClassVar[bool] = False
    monotone_suppression: ClassVar[bool] = True
    bin_monotone: ClassVar[bool] = False
    reads_labels: ClassVar[bool] = True

    @property
    def needs(self) -> tuple[str, ...]:
        declared = (*self.zips, *self.dates, *self.births, *self.ages)
        return tuple(name for name in declared if name not in self.fields)

    def part(self, name: str) -> SafeHarborKind:
        """The declared content of a field."""
        kinds = (
            (self.zips, SafeHarborKind.ZIP),
            (self.dates, SafeHarborKind.DATE),
            (self.births, SafeHarborKind.BIRTH),
            (self.ages, SafeHarborKind.AGE),
        )
        return next((part for names, part in kinds if name in names), SafeHarborKind.UNDECLARED)

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        if self.others:
            return np.ones(len(bins), bool)
        out = np.zeros(len(bins), bool)
        for column, (name, labels) in enumerate(zip(bins.fields, bins.labels, strict=True)):
            out |= forbidden(labels, self.part(name), self.as_of)[bins.codes[:, column]]
        for name in self.needs:
            histogram = inside(bins, name)
            found = forbidden(histogram.values, self.part(name), self.as_of)[histogram.value_of]
            out[histogram.bin_of[found]] = True
        return out

    def judge(self, bins: Bins) -> Verdict:
        looked_at = len({*bins.fields, *self.needs})
        others = f"; {', '.join(self.others)} may not be released at all" if self.others else ""
        verdict = verdict_of(
            self,
            bins,
            requirement="HIPAA Safe Harbor, as far as labels show it",
            fields=self.fields,
            smallest=bins.smallest,
            measured=f"labels of {counted(looked_at, 'field')} were looked at{others}",
        )
        if verdict.outcome != "pass" or not self.undecided:
            return verdict
        names = ", ".join(self.undecided)
        reason = f"cannot tell: nobody has decided what is in {names}; {verdict.reason}"
        return replace(verdict, outcome="review", reason=reason)


def _build(asked: SafeHarborRequirement, context: ModelContext) -> Iterator[Model]:
    yield SafeHarbor(
        fields=context.known,
        zips=asked.zips,
        dates=asked.dates,
        births=asked.births,
        ages=asked.ages,
        as_of=asked.as_of,
        undecided=context.policy.open_fields,
    )


def _said_once(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    declared = policy.require.one("safe_harbor").declared
    for name in sorted({name for name in declared if declared.count(name) > 1}):
        yield Problem(where="require.safe_harbor", found=f"{name} is named as two things.")


def _no_code(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """No code is made from an identifier (45 CFR 164.514(c))."""
    for name, decided in policy.fields.items():
        if (
            name not in unclear
            and decided.replace is not None
            and decided.replace.method in _DERIVED
        ):
            yield Problem(
                where="require.safe_harbor",
                found=f"{name} is replaced by a code that is made from it, which Safe Harbor "
                "does not allow.",
                attempt=f'replace = "remove", "number" or "lookup" for {name}.',
            )
    for name in (
        name for step in policy.steps if step.declaration.encrypts for name in step.fields
    ):
        if name in policy.fields and policy.fields[name].role is Role.DIRECT:
            yield Problem(
                where="require.safe_harbor",
                found=f"{name} is encrypted: a code that is made from it, which Safe Harbor does "
                "not allow.",
                attempt=f"leaving out the step for {name}.",
            )


def _no_text(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    texts = scrubbed_fields(policy.fields)
    if texts:
        said = f"Safe Harbor allows no free text whose content is unknown: {', '.join(texts)}."
        yield Problem(
            where="require.safe_harbor", found=said, attempt='replace = "remove" for the text.'
        )


DECLARATION = ModelDeclaration(
    key="safe_harbor",
    doc="HIPAA's Safe Harbor, as far as labels show it",
    record=SafeHarborRequirement,
    form=RequirementForm.FLAG,
    looks_at=LooksAt.LABELS,
    roles={"zips": _RELEASED, "dates": _RELEASED, "births": _RELEASED, "ages": _RELEASED},
    shapes=(ROWS - {Shape.SEVERAL_TABLES}) | {Shape.SEVERAL_ROWS, Shape.GATE},
    checks=(_said_once, _no_code, _no_text),
    build=_build,
    models=(SafeHarbor,),
    place=340,
)
