"""In which language a text is written: English passes, everything else is left to a person."""

import pytest

from sfumato.datasets.clinical_notes import make_clinical_notes
from sfumato.text.languages import languages_of, unread

OTHERS = {
    "German": "Der Patient stellte sich mit Schmerzen im rechten Knie vor.",
    "French": "Le patient se plaint de douleurs depuis trois jours.",
    "Spanish": "Paciente de 45 años con dolor torácico. Refiere disnea.",
    "Italian": "La paziente è stata ricoverata per dolore toracico.",
    "Portuguese": "A paciente não apresenta febre desde ontem.",
    "Dutch": "De patiënte werd opgenomen wegens pijn op de borst.",
    "Polish": "Pacjentka była w szpitalu i nie jest już chora.",
    "Swedish": "Patienten har inte haft feber och mår bra.",
    "Turkish": "Hasta göğüs ağrısı nedeniyle başvurdu ve tedavi edildi.",
    "Swahili": "Mgonjwa alilalamika maumivu ya kichwa kwa siku tatu.",
    "Cyrillic script": "Пациентка поступила с болью в груди.",
    "Chinese or Japanese script": "患者张伟于2020年入院。",
    "Arabic script": "وصل المريض إلى المستشفى أمس",
}
ENGLISH = (
    "Knee pain.",
    "He has no allergies.",
    "Pt c/o sob, hx htn, dm2, cad s/p cabg. nkda. ros neg.",
    "BP 120/80, HR 72, RR 16. Lungs CTA b/l. Abd soft ntnd.",
    "Emily Carter was seen in Los Angeles on July 14th, 2023 (MRN: 987654321).",
    "Maria de la Cruz van der Berg came with her son and feels better.",
    "Micronase 2.5 mg Tab PO QAM #30.  Bactrim 400/80 Tab PO BID #30. Take with food.",
)


@pytest.mark.parametrize("language", OTHERS)
def test_another_language_is_told(language):
    assert list(unread(languages_of([OTHERS[language]]))) == [language]


@pytest.mark.parametrize("text", ENGLISH)
def test_english_is_english(text):
    assert unread(languages_of([text])) == {}


def test_notes_without_a_whole_sentence_are_english():
    notes = [note.text for note in make_clinical_notes(60, identities=True)]
    assert [note for note in notes if unread(languages_of([note]))] == []


def test_one_passage_of_another_language_is_enough():
    letter = "Thank you for referring her. She is well and will come again in three months.\n\n"
    found = languages_of([letter + OTHERS["German"]])
    assert found["English"] >= 1
    assert unread(found) == {"German": 1}


def test_cells_of_a_word_or_two_are_read_together():
    cells = ["Schmerzen", "seit gestern", "Husten", "keine Besserung", "wegen Fieber", "links"]
    assert unread(languages_of(cells))
    assert unread(languages_of(["pain", "since monday", "cough", "no change", "fever"])) == {}


def test_a_language_that_no_list_has_is_not_taken_for_english():
    welsh = "daeth claf gyda phoen yn ei frest ers tridiau bellach ac mae yn wael"
    assert unread(languages_of([welsh]))


def test_numbers_alone_speak_for_no_language():
    assert languages_of(["12.5 / 17.0", "2024-01-05", ""]) == {}
