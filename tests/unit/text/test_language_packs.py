"""Language packs: what they find in their language, and that they are silent in English."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.packed_languages import PackedLanguages
from sfumato.text.documents import Document
from sfumato.text.language_packs import LANGUAGE_PACKS, packs_for
from sfumato.text.languages import READ

AROUND = "La paciente acude a la consulta por dolor en el pie desde hace dos días. "
"""So that the text reads as Spanish."""


def found(text):
    whole = AROUND + text
    return {
        (str(bid.kind), whole[bid.start : bid.end])
        for bid in PackedLanguages().bid(Document(whole))
        if bid.kind is not None
    }


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("Nombre: Encarnación.", "name", "Encarnación"),
        ("Apellidos: Villalobos de la Cruz.", "name", "Villalobos de la Cruz"),
        ("La vio la Dra. Begoña Iturriaga ayer.", "name", "Begoña Iturriaga"),
        ("Vive con su marido Eusebio.", "name", "Eusebio"),
        ("Domicilio: C/ Laguna Verde, 27, 3º izda.", "street", "C/ Laguna Verde, 27, 3º izda"),
        ("Vive en la avenida de los Poblados nº 114.", "street", "avenida de los Poblados nº 114"),
        ("Localidad: Alcobendas.", "town", "Alcobendas"),
        ("Es natural de Sabiñánigo.", "town", "Sabiñánigo"),
        ("CP: 28108.", "postcode", "28108"),
        ("NHC: 4482913.", "record number", "4482913"),
        ("NºCol: 28 28 45671.", "record number", "28 28 45671"),
        (
            "Ingresó en el Hospital Universitario Virgen de la Arrixaca.",
            "hospital",
            "Hospital Universitario Virgen de la Arrixaca",
        ),
    ],
)
def test_spanish_references(text, kind, value):
    assert (kind, value) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "Tensión arterial 142/86 mmHg. Se pauta metformina 850 mg cada 12 horas.",
        "Fue valorada por el médico de guardia en el hospital.",
        "Su madre tiene diabetes y su hermano padece asma.",
        "Se remite al Servicio de Oncología Médica.",
    ],
)
def test_medicine_and_small_words_are_left(text):
    assert not found(text)


@pytest.mark.parametrize(
    "text",
    [
        "She moved from Los Angeles to El Paso with her son, and takes metformin 850 mg.",
        "Dr. Lang: the patient came on May 3. Domicilio: none.",
    ],
)
def test_english_is_no_business_of_a_pack(text):
    assert packs_for(Document(text)) == []
    assert not list(PackedLanguages().bid(Document(text)))


def test_a_language_with_a_pack_is_still_read_by_a_person():
    """The learned detectors know English only: no text in another language ends in pass."""
    assert not {pack.language for pack in LANGUAGE_PACKS.all().values()} & READ
