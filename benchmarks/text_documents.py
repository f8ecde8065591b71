"""Made-up letters and notes to read: the same from every seed, of any length, with people in every
paragraph."""

from __future__ import annotations

import random
import re

from sfumato.text.lexicons import first_names, last_names, towns

FIRST = (
    "Dear Dr. Lang: Virginia Townsend, 617-473-1214, was seen at St. John's Hospital on 3 May 2001. "
    "She lives at 12 Oak Avenue, Boston, Massachusetts 02151, and came from France."
)
"""Read once before anything is measured, so that lexicons and weights are there."""
_SLOT = re.compile(r"\{(\w+)\}")
_HEADS = (
    "{hospital}\n{house} {street}\n{town}, MA {zip}\nTel: {phone}\n\n{date}\n\nDear Dr. {last}:\n\n"
    "RE: {first} {last}, DOB {slashed}, MRN {number}\n\n",
    "DISCHARGE SUMMARY\nPatient: {first} {last}\nMRN: {number}\nAdmitted: {slashed}\n"
    "Attending: {first} {last}, M.D.\n\n",
    "From: {first} {last} <{email}>\nDate: {date}\nSubject: your patient\n\n",
)
_SENTENCES = [
    " ".join(sentence.split())
    for sentence in """
Thank you for referring {first} {last}, a {age} year old woman who presented to {hospital} on {date} with chest
pain.

She lives in {town} with her daughter {first} and works as a teacher.

On examination the blood pressure was 142/86 mmHg, the pulse 78 and regular, and the lungs were clear to
auscultation.

There was no evidence of Hodgkin lymphoma or of Parkinson disease, and the remainder of the examination was
unremarkable.

We started metformin 500 mg twice daily and asked the patient to return in six weeks for repeat laboratory
tests.

His mother, {first} {last}, can be reached at {phone} in the evening.

The biopsy that was taken in {month} showed moderate inflammation without atypia, and no further treatment was
thought necessary.

Mr. {last} was seen again on {slashed} because of dizziness, which had begun after the dose was raised from 5 to
10 mg.

The family history is notable for diabetes in the father and for breast cancer in a maternal aunt, who died at
the age of 61.

I discussed the risks and benefits of the operation at length, and all questions were answered to the patient's
satisfaction.

The insurance number is {number}, and the bill went to {house} {street}, {town}, MA {zip}.

Laboratory values were within normal limits apart from a sodium of 131 mmol/L, which will be checked again next
week.

He denies fever, chills, night sweats and weight loss, and he sleeps well with two pillows.

I will see {first} in clinic in three months, or earlier if the symptoms should come back.
""".split("\n\n")
]
_CLOSINGS = (
    "\n\nSincerely,\n\n{first} {last}, M.D.\n{email}\n",
    "\n\nDictated by: {first} {last}\n",
    "\n\nKind regards,\n{first}\n",
)
_MONTHS = (
    "January February March April May June July August September October November December".split()
)
_STREETS = "Main Street,Oak Avenue,Elm Road,Washington Street,Lake Drive,Park Lane,Hill Road".split(
    ","
)
_HOUSES = "General Hospital,Memorial Hospital,Medical Center,Community Hospital".split(",")


class Letters:
    """Writes letters and notes of about two thousand characters."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.first = sorted(
            name.title()
            for name, value in first_names().items()
            if value[1] >= "3" and name.isascii() and name.isalpha()
        )
        self.last = sorted(
            name.title()
            for name, value in last_names().items()
            if value >= "2" and name.isascii() and name.isalpha()
        )
        self.towns = sorted(
            name.title()
            for name, value in towns().items()
            if value.startswith("US") and name.isascii() and name.isalpha()
        )

    def letter(self) -> str:
        body = "\n\n".join(
            " ".join(self.dice.choices(_SENTENCES, k=self.dice.randint(3, 6)))
            for _ in range(self.dice.randint(2, 4))
        )
        return self._filled(self.dice.choice(_HEADS) + body + self.dice.choice(_CLOSINGS))

    def _filled(self, template: str) -> str:
        return _SLOT.sub(lambda slot: self._value(slot[1]), template)

    def _value(self, slot: str) -> str:
        dice = self.dice
        first, last, town = dice.choice(self.first), dice.choice(self.last), dice.choice(self.towns)
        day, month, year = dice.randint(1, 28), dice.randint(1, 12), dice.randint(1985, 2024)
        return {
            "first": first,
            "last": last,
            "town": town,
            "age": str(dice.randint(20, 88)),
            "zip": f"0{dice.randint(1001, 2791)}",
            "phone": f"617-{dice.randint(200, 999)}-{dice.randint(1000, 9999)}",
            "number": f"{dice.randint(10**6, 10**7)}",
            "date": f"{_MONTHS[month - 1]} {day}, {year}",
            "slashed": f"{month:02}/{day:02}/{year}",
            "month": _MONTHS[month - 1],
            "email": f"{first}.{last}@example.org".lower(),
            "house": str(dice.randint(1, 400)),
            "street": dice.choice(_STREETS),
            "hospital": f"{town} {dice.choice(_HOUSES)}",
        }[slot]


def letters(count: int, *, seed: int = 1) -> list[str]:
    """So many letters."""
    writer = Letters(seed)
    return [writer.letter() for _ in range(count)]


def of_length(characters: int, *, seed: int = 2) -> str:
    """One document of so many characters: letters, one behind the other."""
    writer, parts, size = Letters(seed), list[str](), 0
    while size < characters:
        parts.append(writer.letter())
        size += len(parts[-1]) + 2
    return "\n\n".join(parts)[:characters]
