"""Realistic surrogates: one-to-one even when the words run out, never an original."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import MissingExtra, PolicyError
from sfumato.releases.identifiers import Key, SurrogateReplacer
from sfumato.releases.identifiers.surrogate import KINDS, load_lexicon

KEY = Key(bytes(range(32)))
LOOKS = {
    "name": r"[\w' -]+ [\w'-]+",
    "first-name": r"[\w'-]+",
    "last-name": r"[\w'-]+",
    "city": r"[A-Z][\w' ]+",
    "street": r"\d{1,4} [\w'-]+ \w+",
    "company": r"[\w', -]+",
    "email": r"[a-z]+\.[a-z]+\d*@example\.org",
    "phone": r"[5789]9\d-[2-9]\d\d-\d{4}",
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_looks_like_it_and_is_given_once(kind):
    values = [f"value {n}" for n in range(3000)]
    made = SurrogateReplacer(KEY, domain="x", kind=kind).replace(values)
    assert len(set(made)) == len(values)
    assert all(re.fullmatch(LOOKS[kind], new) for new in made)
    assert made == SurrogateReplacer(KEY, domain="x", kind=kind).replace(values)
    assert made != SurrogateReplacer(None, domain="x", kind=kind).replace(values)


def test_hyphened_names_come_when_the_single_ones_are_used_up():
    names = load_lexicon().last
    made = SurrogateReplacer(KEY, domain="x", kind="last-name").replace(
        [f"value {n}" for n in range(5000)]
    )
    single = [new for new in made if "-" not in new]
    assert set(single) <= set(names)
    assert len(single) > 0.95 * len(names)
    assert max(new.count("-") for new in made) == 1


@given(st.integers(min_value=1, max_value=400))
def test_no_original_of_the_batch_comes_out_whatever_its_case(count):
    values = [name.upper() for name in load_lexicon().first[:count]]
    made = SurrogateReplacer(KEY, domain="x", kind="first-name").replace(values)
    assert not {new.upper() for new in made} & set(values)
    assert len(set(made)) == count


def test_originals_of_other_batches_are_avoided_when_they_are_known():
    originals = load_lexicon().first
    maker = SurrogateReplacer(
        KEY, domain="x", kind="first-name", avoid={name.casefold() for name in originals}
    )
    made = [maker.replace([name])[0] for name in originals]
    assert not set(made) & set(originals)
    assert maker.redrawn < 10  # single names are not even tried


@pytest.mark.parametrize(
    ("kind", "found"), [("", "a surrogate needs a kind"), ("planet", "'planet' is no kind")]
)
def test_an_unknown_kind_is_refused_with_the_known_ones(kind, found):
    with pytest.raises(PolicyError, match=found) as caught:
        SurrogateReplacer(KEY, domain="born", kind=kind)
    assert "fields.born.replace.kind" in str(caught.value)
    assert "first-name" in str(caught.value)


def test_without_faker_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "faker", None)
    with pytest.raises(MissingExtra, match=r"sfumato\[surrogates\]"):
        SurrogateReplacer(KEY, domain="x", kind="name")
    with pytest.raises(PolicyError):
        SurrogateReplacer(KEY, domain="x", kind="planet")


def test_the_words_version_is_said():
    assert re.search(
        r"\(city, words of faker [\d.]+\)",
        SurrogateReplacer(KEY, domain="x", kind="city").describe(),
    )
