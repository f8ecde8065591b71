"""Made-up values: repeated under the key, one-to-one, of the same shape, never the original."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import PolicyError
from sfumato.releases.identifiers import Key, MadeUpReplacer
from sfumato.releases.identifiers.keyed_words import Draws, GivenWords, WordSpace

KEY, OTHER = Key(bytes(range(32))), Key(bytes(range(1, 33)))
VALUES = st.lists(st.text(max_size=12), unique=True, max_size=25)
SSNS = st.lists(st.from_regex(r"\A[0-8][0-9]{2}-[0-9]{2}-[0-9]{4}\Z"), unique=True, max_size=25)


def roomy(values: list[str]) -> list[str]:
    """Those whose shape has many words, so that none of these tests fails for lack of words."""
    return [value for value in values if sum(c.isalnum() for c in value) >= 5]


@given(VALUES)
def test_one_to_one_and_never_the_original(values):
    values = roomy(values)
    made = MadeUpReplacer(KEY, domain="name", avoid={v.casefold() for v in values}).replace(values)
    assert len(set(made)) == len(values)
    assert not set(made) & set(values)


@given(VALUES, st.integers(min_value=1, max_value=9))
def test_batches_and_passes_do_not_matter(values, size):
    values = roomy(values)
    whole, parted = (MadeUpReplacer(KEY, domain="name") for _ in range(2))
    made = whole.replace(values)
    assert whole.replace(values) == made
    assert [
        new for at in range(0, len(values), size) for new in parted.replace(values[at : at + size])
    ] == made
    assert whole.redrawn == parted.redrawn


@given(SSNS)
def test_other_keys_and_domains_give_other_values(values):
    ways = ((KEY, "a"), (KEY, "b"), (OTHER, "a"), (None, "a"), (None, "a"))
    made = {tuple(MadeUpReplacer(key, domain=domain).replace(values)) for key, domain in ways}
    assert len(made) == (len(ways) if values else 1)


def test_each_shape_as_a_person_sees_it():
    values = [
        "123-45-6789",
        "(617) 555-0123",
        "4111 1111 1111 1111",
        "ada@acme.com",
        "AB-12 c",
        "0007",
        "--",
    ]
    assert MadeUpReplacer(KEY, domain="id").replace(values) == [
        "925-23-1292",
        "(799) 879-9340",
        "9111 1561 2363 5902",
        "kvpekptnjbbi@example.org",
        "BX-83 w",
        "0226",
        "rtmbqutk",
    ]


@pytest.mark.long("a cross of shapes; each third cell stays", every=3)
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("form", ["{}", "{:04}", "P-{}", "{}/a"])
@pytest.mark.parametrize(
    "numbers", [range(10), range(1, 10), range(120), range(1, 2500), range(1000, 10_000)]
)
def test_numbers_that_fill_their_shape_are_exchanged_for_each_other(numbers, form, known):
    values = [form.format(n) for n in numbers]
    for secret in range(5):
        key = Key(bytes(range(secret, secret + 32)))
        made = MadeUpReplacer(key, domain="id", avoid=set(values) if known else ()).replace(values)
        assert len(set(made)) == len(values)
        assert all(
            new != old and len(new) == len(old) for new, old in zip(made, values, strict=True)
        )


def test_small_shapes_are_repeated_whatever_else_is_in_the_release():
    few, many = [str(n) for n in range(5, 50)], [str(n) for n in range(9000)]
    one, other = (MadeUpReplacer(KEY, domain="id", avoid=set(values)) for values in (few, many))
    in_one, in_other = (
        dict(zip(few, one.replace(few), strict=True)),
        dict(zip(many, other.replace(many), strict=True)),
    )
    assert in_one.items() <= in_other.items()
    assert one.redrawn == other.redrawn == 0


def test_originals_are_avoided_where_there_is_room():
    values = [
        str(n) for n in range(100_000, 200_000, 10)
    ]  # a ninetieth of all numbers with six digits
    maker = MadeUpReplacer(KEY, domain="id", avoid=set(values))
    assert not set(maker.replace(values)) & set(values)
    assert maker.redrawn > 100
    assert f"{maker.redrawn:,} drawn again" in maker.describe()


def test_too_small_a_shape_is_said_with_numbers():
    ascii_only = [f"#{n:02}" for n in range(100)]
    values = ["another shape", *ascii_only, *(f"#{n}\N{SUPERSCRIPT TWO}" for n in range(10))]
    with pytest.raises(
        PolicyError, match=r"fields\.bed\.replace.*allows 100 different.*\(101 of all"
    ) as caught:
        MadeUpReplacer(KEY, domain="bed").replace(values)
    assert "#" not in str(caught.value)


def test_a_very_long_value_is_replaced_throughout():
    [made] = MadeUpReplacer(KEY, domain="text").replace(["a" * 2000])
    assert len(made) == 2000
    assert max(made.count(letter) for letter in set(made)) < 150


def test_what_is_said_tells_whether_a_later_release_can_repeat_it():
    assert "the holder's key" in MadeUpReplacer(KEY, domain="id").describe()
    assert "kept nowhere" in MadeUpReplacer(None, domain="id").describe()


@given(st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 3000)), max_size=200))
def test_given_words_are_what_a_dictionary_would_say(claims):
    given_words, plain = GivenWords(), {}
    for word, value in claims:
        holder = plain.setdefault(word, value)
        assert given_words.claim(str(word), str(value)) == (holder == value)
    assert len(given_words) == len(plain)


def test_given_words_survive_growing():
    given_words = GivenWords()
    assert all(given_words.claim(str(n), str(-n)) for n in range(20_000))
    assert all(given_words.claim(str(n), str(-n)) for n in range(20_000))
    assert not any(given_words.claim(str(n), "another") for n in range(20_000))


def test_a_space_is_filled_to_the_last_word():
    space = WordSpace((tuple("abcdefghij"), tuple("0123456789")))
    draws = Draws(KEY, domain="bed")
    words = {draws.take(f"value {n}", (space,)) for n in range(100)}
    assert len(words) == 100
    with pytest.raises(PolicyError):
        draws.take("one more", (space,))
