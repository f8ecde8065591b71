"""Made-up values for slots of templates, each with its label: names, places, dates, numbers, and
the medicine to keep.

A value is a list of pieces `(text, label)`; a piece without a label stays. Most slots are rules of
values.txt. Names and places come from the lexicons of the package and from Faker's lists of many
countries, so that what is learned is how references stand in a text, not a list."""

from __future__ import annotations

import random
import re
import string
from collections import defaultdict
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from zlib import crc32

from faker import Faker

from sfumato.text import lexicons

Piece = tuple[str, str | None]
Rules = dict[str, list[tuple[float, str]]]
LOCALES = (
    "en_US en_GB en_IN en_CA en_AU de_DE fr_FR es_ES es_MX it_IT pl_PL tr_TR nl_NL sv_SE "
    "da_DK no_NO fi_FI pt_BR cs_CZ "
    "hr_HR ro_RO hu_HU en_NG vi_VN id_ID".split()
)
SCRIPTS = (
    "ru_RU uk_UA bg_BG el_GR ar_SA fa_IR he_IL hi_IN bn_BD ne_NP ta_IN th_TH ka_GE hy_AM zh_CN "
    "zh_TW ja_JP ko_KR".split()
)
"""Faker's lists of names in other scripts."""
HELD_LOCALES = "pt_PT es_AR nl_BE sk_SK sl_SI et_EE lt_LT lv_LV en_IE en_NZ fr_CA".split()
"""Faker's lists that no training draws from."""
_LARGE = 500
"""Lists from this length on are parted: each fifth entry, by its letters, is kept from training."""
_ACCENTED = (
    "de_DE",
    "fr_FR",
    "pl_PL",
    "tr_TR",
    "cs_CZ",
    "sv_SE",
)  # towns; it_IT's differ from run to run
_WEIGHT = re.compile(r"([\d.]+)\*")
_SLOT = re.compile(r"\{([^}]+)\}")


def read_rules(file: Path) -> Rules:
    """Name → its choices with their weights, in the order of the file."""
    rules: Rules = defaultdict(list)
    for line in file.read_text(encoding="utf-8").splitlines():
        name, _, choices = line.partition(": ")
        for choice in choices.split(" | ") if not line.startswith("#") else ():
            weight = _WEIGHT.match(choice)
            bare = choice[weight.end() :] if weight else choice
            rules[name].append(
                (
                    float(weight[1]) if weight else 1.0,
                    bare.replace("\\n", "\n").replace("\\t", "\t"),
                )
            )
    return rules


@cache
def _value_rules() -> Rules:
    return read_rules(Path(__file__).parent / "values.txt")


@cache
def _fakers() -> dict[str, Faker]:
    return {locale: Faker(locale) for locale in (*LOCALES, *SCRIPTS, *HELD_LOCALES)}


@cache
def _pools() -> dict[str, list[str]]:
    """Lists to draw from, the frequent and the rare apart."""
    first, last, towns = lexicons.first_names(), lexicons.last_names(), lexicons.towns()
    out = {
        "first": [name for name, value in first.items() if value[-1] >= "3"],
        "rare first": [name for name, value in first.items() if value[-1] < "3"],
        "last": [name for name, value in last.items() if value >= "3"],
        "rare last": [name for name, value in last.items() if value < "3"],
        "us town": [name for name, value in towns.items() if value.startswith("US")],
        "big town": [name for name, value in towns.items() if value[-1] >= "6"],
        "region": [
            name
            for name, where in lexicons.regions().items()
            if where == "US" and "county" not in name
        ],
        "far region": [name for name, where in lexicons.regions().items() if where != "US"],
        "county": [name for name in lexicons.regions() if "county" in name],
        "drug": [name for name in lexicons.drugs() if name.isalpha() and len(name) < 16],
        "word": [
            word for word, grade in lexicons.words().items() if grade in "234" and len(word) > 3
        ],
    }
    whole = {
        "nick": lexicons.nicknames(), "town": towns, "country": lexicons.countries(),
        "condition": lexicons.conditions(), "medical": lexicons.medical_words(),
        "demonym": lexicons.demonyms(), "faith": lexicons.faiths_and_peoples(),
        "job": lexicons.professions(), "known": lexicons.organisations(), "hospital": lexicons.hospitals(),
        "club": lexicons.clubs(), "eponym": lexicons.eponyms(), "zip": lexicons.zip_codes(),
        "code": [code.lower() for code in lexicons.region_codes()],
    }  # fmt: skip
    return {
        name: sorted(word for word in words if word.isascii())
        for name, words in {**out, **whole}.items()
    }


@cache
def _part(pool: str, *, held_out: bool | None) -> list[str]:
    """A list, or those of its entries that are kept from training (`True`), or the others
    (`False`)."""
    drawn = _pools()[pool]
    if held_out is None or len(drawn) < _LARGE:
        return drawn
    return [entry for entry in drawn if (crc32(entry.encode()) % 5 == 0) == held_out]


class Values:
    """Draws values; one seed, one series. `held_out` says from which names and places (`None` from
    all)."""

    def __init__(self, seed: int, *, held_out: bool | None = None) -> None:
        self.dice = random.Random(seed)
        self.held_out = held_out
        self.locales = HELD_LOCALES if held_out else LOCALES
        for locale, faker in _fakers().items():
            faker.seed_instance(f"{seed}{locale}")
        self.begin()

    def __call__(self, slot: str) -> list[Piece]:
        maker = getattr(self, "_" + slot, None)
        made = maker() if maker else self.text(slot)
        return made if isinstance(made, list) else [(made, LABEL_OF.get(slot))]

    def text(self, slot: str) -> str:
        """A slot's value as one text: drawn from a list, from a rule, or made by a method."""
        if ":" in slot:
            how, _, what = slot.partition(":")
            return self.full(int(what)) if how == "full" else self.draw(what, titled=how == "a")
        rules = _value_rules()
        for mark in ("", "=", "%"):
            if slot + mark in rules:
                weights, choices = zip(*rules[slot + mark], strict=True)
                choice = self.dice.choices(choices, weights)[0]
                made = (
                    choice
                    if mark == ""
                    else self.formed(choice)
                    if mark == "="
                    else self.timed(choice)
                )
                return " ".join(
                    _SLOT.sub(lambda found: self.text(found[1]), made).split(" ")
                ).replace("  ", " ")
        made = getattr(self, "_" + slot, getattr(self, slot, None))()
        return "".join(piece for piece, _ in made) if isinstance(made, list) else made

    # ---------------------------------------------------------------- drawing

    def draw(self, pool: str, *, titled: bool = True) -> str:
        drawn = self.dice.choice(_part(pool, held_out=self.held_out))
        return drawn.title().replace("'S", "'s") if titled else drawn

    def chance(self, share: float) -> bool:
        return self.dice.random() < share

    def formed(self, pattern: str) -> str:
        """A pattern with any digit for 0 and any capital for A, outside of slots."""
        signs = {"0": string.digits, "A": string.ascii_uppercase}
        parts = re.split(r"(\{[^}]+\})", pattern)
        return "".join(
            part
            if part.startswith("{")
            else "".join(self.dice.choice(signs.get(sign, sign)) for sign in part)
            for part in parts
        )

    def timed(self, pattern: str) -> str:
        when = datetime(1930, 1, 1) + timedelta(
            self.dice.randint(0, 35_000), self.dice.randint(0, 86_399)
        )
        day = when.day
        ending = "th" if 4 <= day <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
        for code, value in (
            ("%e", day),
            ("%n", when.month),
            ("%s", ending),
            ("%h", when.hour % 12 or 12),
        ):
            pattern = pattern.replace(code, str(value))
        return when.strftime(pattern)

    def faker(self) -> Faker:
        return _fakers()[self.dice.choice(self.locales)]

    # ---------------------------------------------------------------- people

    def begin(self) -> None:
        """A new text: three people whom it mentions more than once, now and then in other
        letters."""
        self.cast = [(self.given(), self.surname()) for _ in range(3)]
        if self.chance(0.02):
            faker = _fakers()[self.dice.choice(SCRIPTS)]
            self.cast[0] = (faker.first_name(), faker.last_name())

    def whom(self) -> tuple[str, str]:
        """One of the people of this text, the first of them most often, or somebody new."""
        return self.dice.choices([*self.cast, (self.given(), self.surname())], [4, 2, 1, 4])[0]

    def given(self) -> str:
        roll = self.dice.random()
        if roll < 0.65:
            return self.draw("first" if roll < 0.5 else "rare first")
        return self.faker().first_name()

    def surname(self) -> str:
        roll = self.dice.random()
        if roll < 0.65:
            name = self.draw("last" if roll < 0.4 else "rare last")
        elif roll < 0.93:
            name = self.faker().last_name()
        else:  # nobody's name: the context must tell
            name = (self.draw("rare last")[:3] + self.draw("rare last")[-4:]).title()
        if self.chance(0.04):
            name = (
                self.dice.choice(("Mc", "O'", "Mac", "de ", "van ", "von ", "Al-", "El-", "di "))
                + name
            )
        return f"{name}-{self.draw('last')}" if self.chance(0.04) else name

    def full(self, form: int) -> str:
        """A name in one of the forms in which people are written."""
        first, last = self.whom()
        middle = self.dice.choice(string.ascii_uppercase)
        return {
            1: f"{first} {middle}. {last}",
            2: f"{first} {self.given()} {last}",
            3: f"{last}, {first}",
            4: f"{last}, {first} {middle}.",
            5: f"{first[0]}. {last}",
            6: f"{first} {last[0]}.",
            7: f"{first[0]}.{last[0]}.",
            8: f"{last.upper()}, {first.upper()}",
            9: f"{first.upper()} {last.upper()}",
            10: f"{first} '{self.draw('nick')}' {last}",
            11: f"{first} {last[0]}",
        }[form]

    def someone(self) -> str:
        return " ".join(self.whom())

    def _first(self) -> str:
        return self.whom()[0]

    def _last(self) -> str:
        return self.whom()[1]

    def _upperlast(self) -> str:
        return self.whom()[1].upper()

    def _nick(self) -> str:
        return self.draw("nick")

    def _doctor(self) -> list[Piece]:
        if self.chance(0.25):
            return [(self.text("fullname"), "NAME"), (self.text("credential"), None)]
        return [(f"{self.text('doctorly')} {self.text('doctorname')}", "NAME")]

    def _email(self) -> str:
        return re.sub(r"[ ']", "", f"{self.text('user')}@{self.text('host')}".lower())

    def _url(self) -> str:
        return re.sub(r"[ ']", "", self.text("url").lower())

    def _user(self) -> str:
        return re.sub(r"[ ']", "", self.text("user").lower())

    # ---------------------------------------------------------------- places and the rest

    def _town(self) -> str:
        name = self.draw(self.dice.choices(["us town", "big town", "town"], [5, 4, 2])[0])
        return _fakers()[self.dice.choice(_ACCENTED)].city() if self.chance(0.06) else name

    def _country(self) -> str:
        name = self.draw("country", titled=False)
        return name.upper() if len(name) < 4 else name.title()

    def _code(self) -> str:
        return self.draw("code").upper()

    def _postcode(self) -> str:
        if self.chance(0.6):
            return self.draw("zip") + (self.formed("-0000") if self.chance(0.12) else "")
        return self.text("foreigncode")

    def _address(self) -> list[Piece]:
        cut = self.dice.choice((", ", ", ", "\n", " "))
        street, town = (self.text("street"), "STREET"), (self._town(), "TOWN")
        code: Piece = (self._postcode(), "POSTCODE")
        out = {
            0: [
                street,
                (cut, None),
                town,
                (self.dice.choice((", ", " ")), None),
                (self._code(), "REGION"),
                (" ", None),
                code,
            ],
            1: [
                street,
                (cut, None),
                town,
                (", ", None),
                (self.text("region"), "REGION"),
                (" ", None),
                code,
            ],
            2: [street, (cut, None), code, (" ", None), town],
            3: [street, (cut, None), town],
        }[self.dice.choices(range(4), [12, 3, 3, 2])[0]]
        return (
            [*out, (self.dice.choice((", ", "\n")), None), (self._country(), "COUNTRY")]
            if self.chance(0.2)
            else out
        )

    def _where(self) -> list[Piece]:
        """A place as a sentence has it."""
        region = (self._code() if self.chance(0.5) else self.text("region"), "REGION")
        return {
            0: [(self._town(), "TOWN")],
            1: [(self._town(), "TOWN"), (", ", None), region],
            2: [(self.text("region"), "REGION")],
            3: [(self._country(), "COUNTRY")],
        }[self.dice.choices(range(4), [11, 5, 2, 2])[0]]

    def _house(self) -> str:
        return str(self.dice.randint(1, 9999 if self.chance(0.5) else 200))

    def _known(self) -> str:
        name = self.draw("known", titled=False)
        return name.upper() if len(name) < 5 else name.title()

    def _job(self) -> str:
        return self.draw("job", titled=False)

    def _years(self) -> str:
        return str(self.dice.randint(90, 104) if self.chance(0.2) else self.dice.randint(1, 89))

    def _phone(self) -> str:
        return self.faker().phone_number() if self.chance(0.15) else self.text("phone")

    def _ip(self) -> str:
        return ".".join(str(self.dice.randint(1, 254)) for _ in range(4))

    def _eponym(self) -> str:
        name = self.draw("eponym", titled=False)
        follows = lexicons.eponyms()[name].split() or ["disease"]
        return f"{name.title()}{self.dice.choice(('', chr(39) + 's'))} {self.dice.choice(follows)}"


_LABELLED = {
    "NAME": "first last nick initial initials name fullname shortname titled title doctor user alias "
    "handle origin upperlast wordname eponymous",
    "TOWN": "town",
    "REGION": "region code",
    "COUNTRY": "country",
    "POSTCODE": "postcode",
    "STREET": "street streetname flat house",
    "HOSPITAL": "hospital",
    "ORGANISATION": "org school party unit",
    "TEAM": "team",
    "PROFESSION": "job office rank",
    "DEMOGRAPHIC": "demonym faith race nationality language orientation faithname",
    "DATE": "date birth year month weekday lifespan decade stamp",
    "TIME": "time hour",
    "AGE": "age years sexage",
    "PHONE": "phone",
    "EMAIL": "email",
    "URL": "url ip",
    "NUMBER": "number mrn nhs ssn card iban plate device",
    "QUANTITY": "quantity count ordinal",
    "OTHER": "work award event degree",
}
LABEL_OF = {slot: label for label, slots in _LABELLED.items() for slot in slots.split()}
"""Slot → the label of its whole value; slots not named here stay."""
