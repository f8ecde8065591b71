"""What a release says of the texts that were scrubbed. Counts and names of fields only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from sfumato.protection import Verdict
from sfumato.wording import counted

from .replace_pass import OWN_NAME
from .scrubbed_texts import ScrubbedField
from .treatment_words import SCRUBBED


def text_verdicts(done: Sequence[ScrubbedField], *, called: Sequence[str]) -> tuple[Verdict, ...]:
    """Text can be recounted but not judged: at best a person who has read some of it agrees."""
    return tuple(
        Verdict(
            outcome="review",
            model=SCRUBBED,
            requirement=f"purpose: {each.look.scrub.purpose.value}",
            fields=(name,),
            bins=0,
            rows=each.texts,
            smallest=0,
            bins_below=0,
            rows_below=each.unusual,
            reason=f"{each.texts:,} different texts are de-identified, not anonymous: "
            f"{_reason(each)}",
        )
        for each, name in zip(done, called, strict=True)
    )


def _reason(done: ScrubbedField) -> str:
    references = sum(number for (kind, _), number in done.counts.items() if kind != OWN_NAME)
    found = f"{references:,} references were found, others may have been missed"
    return f"{found}, and {done.unusual:,} are unusual here" if done.unusual else found


def found_words(done: ScrubbedField) -> str:
    """How many references of each kind were found, for the list of what was done to fields."""
    numbers = Counter[str]()
    for (kind, _), number in done.counts.items():
        if kind != OWN_NAME:
            numbers[kind] += number
    return (
        f"; found: {', '.join(f'{kind} {n:,}' for kind, n in sorted(numbers.items())) or 'nothing'}"
    )


def text_facts(done: Sequence[ScrubbedField], *, called: Sequence[str]) -> dict[str, Any]:
    """For the manifest: what was found, by kind, and what became of it."""
    from sfumato.text import DE_IDENTIFIED

    return {
        name: {
            "different_texts": each.texts,
            "findings": by_kind(each.counts),
            "unusual_texts": each.unusual,
            "generalised_elsewhere": sorted(
                each.look.widened | ({"age"} if each.look.ages else set())
            ),
            "words": DE_IDENTIFIED,
        }
        for each, name in zip(done, called, strict=True)
    }


def by_kind(counts: Counter[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Numbers by kind and by what became of them, in the order of the alphabet.

    Example:
        >>> by_kind(Counter({("name", "surrogate"): 2, ("age", "suppressed"): 1}))
        {'age': {'suppressed': 1}, 'name': {'surrogate': 2}}
    """
    out: dict[str, dict[str, int]] = {}
    for (kind, how), number in sorted(counts.items()):
        out.setdefault(kind, {})[how] = number
    return out


def text_warnings(
    done: Sequence[ScrubbedField], *, called: Sequence[str], coarser: Sequence[str]
) -> Iterator[str]:
    """What a person should know before the texts leave the house."""
    from sfumato.text import DE_IDENTIFIED

    if not done:
        return
    yield (
        f"{', '.join(called)}: {DE_IDENTIFIED[0].lower()}{DE_IDENTIFIED[1:]} No requirement "
        "looks at it; read some."
    )
    if coarser:
        yield (
            f"Values of {', '.join(coarser)} were looked for in the text and taken out. It "
            "may tell them in other "
            "words, as a pronoun tells a sex and a school an age."
        )
    for each, name in zip(done, called, strict=True):
        own = sum(number for (kind, _), number in each.counts.items() if kind == OWN_NAME)
        if own:
            yield (
                f"{name}: a part of a person's own name stays in {counted(own, 'place')}, "
                "as a word of medicine or the "
                "month of a date. Read these texts."
            )
        if each.unusual:
            noun = "text is" if each.unusual == 1 else "texts are"
            yield (
                f"{each.unusual:,} {noun} unusual among those of {name}, and should be read "
                "before leaving."
            )
