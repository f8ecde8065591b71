"""Who has only the release tries to get the identifiers back.

The attacker knows the method, the code, the domain's name and a list of everyone who may be in the
table, and lacks the key. Against a plain hash that is enough; under a key they must do no better
than guessing."""

from __future__ import annotations

import hashlib
import hmac
import random
import traceback
from collections import Counter

import pytest

from sfumato.errors import SfumatoError
from sfumato.policy.records import DateShift
from sfumato.releases.dates import offset
from sfumato.releases.identifiers import (
    HashReplacer,
    Key,
    LookupReplacer,
    MadeUpReplacer,
    SurrogateReplacer,
)

EVERYONE = [
    f"{area:03}-{group:02}-{serial:04}"
    for area in (1, 2)
    for group in (7, 8)
    for serial in range(2500)
]
IN_TABLE = random.Random(1997).sample(EVERYONE, 500)


def dictionary(replace) -> dict[str, str]:
    """What the attacker prepares: every possible identifier by what they believe it becomes."""
    return dict(zip(replace(EVERYONE), EVERYONE, strict=True))


def inverted(released: list[str], prepared: dict[str, str]) -> int:
    """How many of the released pseudonyms lead the attacker to the right person."""
    return sum(prepared.get(new) == old for old, new in zip(IN_TABLE, released, strict=True))


def plain(values):
    return [hashlib.sha256(value.encode()).hexdigest() for value in values]


def test_baseline_a_plain_hash_is_undone_by_hashing_everyone():
    """One machine hashes all 10^9 Social Security numbers in minutes; here are ten thousand of
    them."""
    assert inverted(plain(IN_TABLE), dictionary(plain)) == len(IN_TABLE)


def test_baseline_a_short_key_is_undone_by_trying_all_keys():
    """A key of one byte, which Sfumato refuses: one known person is enough to find it."""

    def hashed(key: int, values: list[str]) -> list[str]:
        return [hmac.digest(bytes([key]), value.encode(), "sha256").hex() for value in values]

    released = hashed(0x5A, IN_TABLE)
    [key] = [key for key in range(256) if hashed(key, IN_TABLE[:1]) == released[:1]]
    assert inverted(released, dictionary(lambda values: hashed(key, values))) == len(IN_TABLE)
    with pytest.raises(SfumatoError):
        Key(bytes([key]))


METHODS = {
    "hash": lambda key: HashReplacer(key, domain="ssn"),
    "made-up": lambda key: MadeUpReplacer(key, domain="ssn"),
    "surrogate": lambda key: SurrogateReplacer(key, domain="ssn", kind="name"),
    "lookup": lambda key: LookupReplacer(None, domain="ssn"),
}


@pytest.mark.parametrize("method", METHODS)
def test_without_the_key_a_dictionary_finds_no_one(method):
    released = METHODS[method](Key.generate()).replace(IN_TABLE)
    guesses = [plain, METHODS[method](Key(bytes(range(32)))).replace, METHODS[method](None).replace]
    for guess in guesses:
        # Names are few, so that a guess may meet one by chance: with 10,000 guesses and 500 of
        # 690,000 names in use 0.0007 right ones are expected, and 2 would be seen once in millions
        # of runs.
        assert inverted(released, dictionary(guess)) <= 1


@pytest.mark.parametrize("method", METHODS)
def test_order_tells_nothing(method):
    """The attacker knows exactly who is in the table, and lines both sides up in their order."""
    released = METHODS[method](Key.generate()).replace(IN_TABLE)
    by_rank = dict(zip(sorted(IN_TABLE), sorted(released), strict=True))
    right = sum(by_rank[old] == new for old, new in zip(IN_TABLE, released, strict=True))
    assert right <= 12  # one is expected by chance, more than 12 once in 10^10 runs


def test_known_people_tell_nothing_about_the_others():
    """The attacker knows half of the people with their made-up numbers, and learns from them, place
    by place, what digit usually becomes what."""
    released = MadeUpReplacer(Key.generate(), domain="ssn").replace(IN_TABLE)
    pairs = list(zip(IN_TABLE, released, strict=True))
    seen: dict[tuple[int, str], Counter[str]] = {}
    for old, new in pairs[:250]:
        for at, (was, now) in enumerate(zip(old, new, strict=True)):
            seen.setdefault((at, was), Counter())[now] += 1
    usual = {place: counts.most_common(1)[0][0] for place, counts in seen.items()}
    guessed = [
        "".join(usual.get((at, was), "0") for at, was in enumerate(old)) for old, _ in pairs[250:]
    ]
    assert sum(guess == new for guess, (_, new) in zip(guessed, pairs[250:], strict=True)) <= 1


def test_the_same_person_cannot_be_followed_into_another_domain_or_release():
    key = Key.generate()
    for method in (HashReplacer, MadeUpReplacer):
        here, there = (
            set(method(key, domain=name).replace(IN_TABLE)) for name in ("patient", "employee")
        )
        later = set(method(None, domain="patient").replace(IN_TABLE))
        assert len(here & there) <= 1
        assert len(here & later) <= 1


def test_known_limit_frequency_still_tells_who_is_common():
    """Not protected, and documented: one-to-one replacement keeps how often each value occurs.

    Whoever knows that one patient comes far more often than any other finds that patient's
    pseudonym."""
    visits = [IN_TABLE[0]] * 40 + IN_TABLE[1:20]
    given = dict(
        zip(IN_TABLE, HashReplacer(Key.generate(), domain="ssn").replace(IN_TABLE), strict=True)
    )
    [(commonest, _)] = Counter(given[value] for value in visits).most_common(1)
    assert commonest == given[IN_TABLE[0]]


def test_known_limit_one_known_date_betrays_a_persons_shift():
    """Not protected, and documented: who knows one true date of a person knows how far all of
    theirs moved."""
    key, shift = Key.generate(), DateShift(days=365, per="person")
    moves = [offset(key, person, shift=shift) for person in IN_TABLE]
    assert len(set(moves)) > 300  # but it tells nothing about anyone else


def test_no_secret_and_no_value_is_in_anything_shown(tmp_path):
    secret = bytes(range(100, 140))
    key = Key(secret)
    digits = "0123456789\N{SUPERSCRIPT TWO}"  # eleven, where ten are made
    tried = []
    for action in (
        lambda: MadeUpReplacer(key, domain="bed").replace(
            [f"{n}{digit}#" for n in range(10) for digit in digits]
        ),
        lambda: SurrogateReplacer(key, domain="name", kind="planet"),
        lambda: HashReplacer(key, domain="name", digits=3),
        lambda: LookupReplacer(tmp_path / "no" / "file", domain="name").replace(["Ada"]),
        lambda: key.__reduce_ex__(4),
        lambda: Key(secret[:16]),
    ):
        with pytest.raises(SfumatoError) as caught:
            action()
        error = caught.value
        tried += [*traceback.format_exception_only(error), repr(error), repr(vars(error))]
    made = [make(key) for make in METHODS.values()]
    shown = "\n".join(
        [*tried, repr(key), str(key), repr(made), *(replacer.describe() for replacer in made)]
    )
    for form in (secret.hex()[:10], repr(secret)[2:12], "Ada", "#"):
        assert form not in shown
