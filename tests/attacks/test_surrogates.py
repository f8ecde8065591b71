"""Who has only the scrubbed letters tries to get the names back.

The attacker knows the method and the code, every name in the collection and how often each occurs,
and lacks the secret. Surrogates of one person's letters agree with each other and with nobody
else's, so that counting them over the collection must help no more than guessing; what counting
tells within one person's letters is said as a limit."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from datetime import date, timedelta
from itertools import islice

import pytest

from sfumato.errors import Mistake, SfumatoError
from sfumato.keys import KeyedDraws
from sfumato.text.bids import Bid
from sfumato.text.documents import Document
from sfumato.text.kinds import ReferenceKind
from sfumato.text.lexicons import folded, last_names, towns
from sfumato.text.replacement import How, replace_findings
from sfumato.text.scrubber import keyed_days
from sfumato.text.surrogates import DateStyle, RealValues, ReplacementMethod, Style, Trait
from sfumato.text.surrogates.places import Atlas

SECRET = hashlib.sha256(b"of the holder").digest()
GUESS = hashlib.sha256(b"of the attacker").digest()
SURNAMES = [name.capitalize() for name, how in sorted(last_names().items()) if how == "5"][:40]
PATIENTS = 120
DOCTOR = "Brugge"


def letters():
    """One letter for each patient: names are as unequal as in life, and one doctor signs them
    all."""
    chance = random.Random(1996)
    weights = [1 / (rank + 1) for rank in range(len(SURNAMES))]
    for number in range(PATIENTS):
        name = chance.choices(SURNAMES, weights)[0]
        yield (
            str(number),
            name,
            f"Dear Dr. {DOCTOR}: I saw Ms. {name}. {name} is well. Yours, Dr. {DOCTOR}",
        )


def marked(person, text, names):
    places = [
        (name, start)
        for name in names
        for start in range(len(text))
        if text.startswith(name, start)
    ]
    bids = [
        Bid(start, start + len(name), ReferenceKind.NAME, 0.9, "known") for name, start in places
    ]
    return Document(text, person=person), bids


LETTERS = list(letters())
REAL = RealValues((ReferenceKind.NAME, name) for name in (*SURNAMES, DOCTOR))


def scrubbed(*, scope=None, secret=SECRET, style=None):
    """For each letter: the patient's name, its surrogate, and the doctor's surrogate."""
    out = []
    for person, name, text in LETTERS:
        document, bids = marked(scope or person, text, {name, DOCTOR})
        [new] = replace_findings([document], [bids], secret=secret, style=style, real=REAL)
        given = {each.original: each.surrogate for each in new.replacements}
        out.append((name, given[name], given[DOCTOR]))
    return out


def right_by_rank(pairs):
    """The attacker lines up names and surrogates by how often they occur, and believes it."""
    real = [name for name, _ in Counter(name for name, _ in pairs).most_common()]
    made = [name for name, _ in Counter(new for _, new in pairs).most_common()]
    believed = dict(zip(made, real, strict=False))
    return sum(believed.get(new) == name for name, new in pairs)


def right_by_guessing(pairs):
    """What the attacker has without any letter: the commonest name, for everybody."""
    return Counter(name for name, _ in pairs).most_common(1)[0][1]


def test_baseline_one_surrogate_for_a_name_everywhere_is_undone_by_counting():
    """As a tool would do that has one table of names for the whole collection."""
    pairs = [(name, new) for name, new, _ in scrubbed(scope="everybody")]
    assert right_by_rank(pairs) > 1.5 * right_by_guessing(pairs)


def test_counting_over_the_collection_tells_no_more_than_guessing():
    pairs = [(name, new) for name, new, _ in scrubbed()]
    assert right_by_rank(pairs) <= right_by_guessing(pairs)


def test_the_doctor_of_all_letters_does_not_tie_them_together():
    """In each patient's letters the doctor has another name; some agree by chance, as any two names
    may."""
    [(_, most)] = Counter(doctor for _, _, doctor in scrubbed()).most_common(1)
    assert most <= 5


def test_without_the_secret_a_dictionary_finds_no_one():
    """The attacker scrubs every known name under a secret of their own and looks the surrogates
    up."""
    made = {(number, new) for number, (_, new, _) in enumerate(scrubbed())}
    guessed = {(number, new) for number, (_, new, _) in enumerate(scrubbed(secret=GUESS))}
    assert (
        len(made & guessed) <= 3
    )  # By chance one of some 2,700 names agrees for 120 patients in 1 of 20 runs.


def test_a_surrogate_is_no_patient_of_the_collection():
    names = {name for name, _, _ in scrubbed()}
    assert not names & {new for _, new, _ in scrubbed()}


def test_without_initials_kept_the_first_letter_tells_nothing():
    pairs = [(name, new) for name, new, _ in scrubbed(style=Style(keep=frozenset()))]
    by_chance = sum(
        share * Counter(new[0] for _, new in pairs)[letter] / PATIENTS
        for letter, share in Counter(name[0] for name, _ in pairs).items()
    )
    agree = sum(name[0] == new[0] for name, new in pairs)
    assert agree <= by_chance + 4 * max(by_chance, 1) ** 0.5


def test_known_limit_initials_kept_narrow_the_names_down():
    """Not protected, and documented: whoever keeps initials gives some bits of each name away."""
    pairs = [
        (name, new) for name, new, _ in scrubbed(style=Style(keep=frozenset({Trait.INITIALS})))
    ]
    assert all(name[0] == new[0] for name, new in pairs)


def test_known_limit_within_a_patients_letters_the_commonest_name_is_the_patients():
    """Not protected, and documented: counting tells who is spoken of most, though not what they are
    called."""
    person, name, text = LETTERS[0]
    texts = [text + f" {name} rests. {name} eats." for _ in range(3)]
    together = [marked(person, each, {name, DOCTOR}) for each in texts]
    done = replace_findings(
        [one for one, _ in together], [bids for _, bids in together], secret=SECRET, real=REAL
    )
    every = [each for new in done for each in new.replacements]
    [(commonest, _)] = Counter(each.surrogate for each in every).most_common(1)
    assert {each.original for each in every if each.surrogate == commonest} == {name}


def test_known_limit_masks_tell_lengths_and_tags_tell_nothing_of_them():
    document, bids = marked("1", "Dr. Featherstonehaugh came.", {"Featherstonehaugh"})
    [mask] = replace_findings(
        [document], [bids], secret=SECRET, style=Style(method=ReplacementMethod.MASK)
    )
    [tag] = replace_findings(
        [document], [bids], secret=SECRET, style=Style(method=ReplacementMethod.TAG)
    )
    assert len(mask.text) == len(document.text)
    assert tag.text == "Dr. [NAME 1] came."


def test_known_limit_one_known_date_betrays_one_persons_shift_and_no_other():
    """Not protected, and documented: the shift is one number for all of a person's dates."""
    days, day = keyed_days(SECRET), date(1994, 2, 2)

    def moved(person):
        document = Document("1994-02-02", person=person)
        [new] = replace_findings(
            [document], [[Bid(0, 10, ReferenceKind.DATE, 0.9, "x")]], secret=SECRET, days=days
        )
        return date.fromisoformat(new.text) - day

    assert moved("7") == timedelta(days("7"))
    assert len({moved(str(person)) for person in range(100)}) > 80


def test_a_dates_weekday_does_not_betray_the_shift():
    """A weekday left as it was would tell the shift but for whole weeks."""
    document = Document("Wednesday, February 2, 1994", person="7")
    [new] = replace_findings(
        [document],
        [[Bid(0, 27, ReferenceKind.DATE, 0.9, "x")]],
        secret=SECRET,
        days=lambda person: 3,
    )
    assert new.text == "Saturday, February 5, 1994"


def test_no_value_is_in_anything_shown():
    document, bids = marked("7", "Ms. Featherstonehaugh came on 3 May.", {"Featherstonehaugh"})
    [new] = replace_findings([document], [bids], secret=SECRET)
    shown = [
        repr(new),
        repr(new.replacements[0]),
        repr(REAL),
        repr(document),
        str(new.count(How.SURROGATE)),
    ]
    dated = Bid(30, 35, ReferenceKind.DATE, 0.9, "x")
    for action in (
        lambda: replace_findings(
            [document], [[*bids, Bid(5, 9, ReferenceKind.NAME, 0.9, "x")]], secret=SECRET
        ),
        lambda: replace_findings([document], [[dated]], secret=SECRET),
        lambda: replace_findings([document], [[dated]], secret=SECRET, days=lambda person: 0),
        lambda: replace_findings([document, Document("x", person="8")], [bids, []], secret=SECRET),
        lambda: replace_findings([document], [bids], secret=b"short"),
        lambda: replace_findings(
            [document], [[Bid(30, 99, ReferenceKind.DATE, 0.9, "x")]], secret=SECRET
        ),
    ):
        with pytest.raises(SfumatoError) as caught:
            action()
        shown += [str(caught.value), repr(caught.value), repr(vars(caught.value))]
    surrogate = new.replacements[0].surrogate
    assert not any(
        secret in text
        for text in shown
        for secret in ("Featherstone", "3 May", surrogate, SECRET.hex()[:8])
    )


def test_dates_that_are_not_moved_are_refused():
    document = Document("On 3 May 2001.", person="7")
    with pytest.raises(Mistake, match="not moved"):
        replace_findings([document], [[Bid(3, 13, ReferenceKind.DATE, 0.9, "x")]], secret=SECRET)
    style = Style(dates=DateStyle.MONTH)
    [new] = replace_findings(
        [document], [[Bid(3, 13, ReferenceKind.DATE, 0.9, "x")]], secret=SECRET, style=style
    )
    assert new.text == "On May 2001."


NAMES_OF_ONE_TOWN = (
    "Cologne Köln Colonia Keulen",
    "Warsaw Warszawa Warschau Varsovia Varsavia",
    "Lisbon Lisboa Lissabon Lisbona",
    "Athens Athina Athen Atene Atenas",
    "Copenhagen København Kopenhagen Copenhague",
    "Florence Firenze Florenz Florencia",
    "Geneva Genève Genf Ginevra Ginebra",
    "Bucharest București Bukarest Bucarest",
    "Cairo Kairo Cairu Caire",
)


@pytest.mark.parametrize("names", NAMES_OF_ONE_TOWN)
def test_a_towns_surrogate_is_not_the_town_in_another_language(names):
    """Whoever reads several languages looks for the town itself among the surrogates."""
    first, *others = names.split()
    same = {folded(name) for name in (first, *others)}
    entry = towns()[folded(first)]
    for number in range(40):
        atlas = Atlas(KeyedDraws(hashlib.sha256(bytes([number])).digest()))
        for new in islice(atlas.towns(first), 3):
            assert folded(new) not in same
            assert towns().get(folded(new)) != entry


def test_the_attack_on_towns_finds_the_town_among_those_of_one_size():
    """A pool of the same country and size, as it once was, has the town under its other names."""
    for names in NAMES_OF_ONE_TOWN:
        first, *others = map(folded, names.split())
        assert any(towns().get(name) == towns()[first] for name in others)
