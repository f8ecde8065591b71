"""The certain content of a field, by its name: "surname", "date_of_birth", "Telefon".

A cell with only "Lee" in it is then a name. A cell that is far too long for what its field is
called holds prose, and is read like any other text."""

from __future__ import annotations

import re

from ..kinds import ReferenceKind

_NAMES = {
    ReferenceKind.NAME: (
        "name firstname lastname surname familyname givenname middlename maidenname "
        "fullname forename forenames "
        "patientname patient physician doctor doctorname nurse provider providername "
        "referringphysician author "
        "contactname nextofkin mothername fathername vorname nachname familienname nom "
        "prenom nomdefamille nombre "
        "apellido apellidos cognome"
    ),
    ReferenceKind.USER_NAME: "username login userid",
    ReferenceKind.EMAIL: "email emailaddress mail correo courriel",
    ReferenceKind.PHONE: (
        "phone phonenumber telephone tel mobile mobilephone cell cellphone fax homephone "
        "workphone telefon"
    ),
    ReferenceKind.STREET: (
        "street address streetaddress addressline addressline1 addressline2 strasse rue "
        "direccion adresse"
    ),
    ReferenceKind.TOWN: "city town ville ort wohnort ciudad",
    ReferenceKind.POSTCODE: "zip zipcode postcode postalcode plz codepostal",
    ReferenceKind.DATE: (
        "dob dateofbirth birthdate birthday geburtsdatum datedenaissance deathdate "
        "dateofdeath admissiondate "
        "dischargedate visitdate"
    ),
    ReferenceKind.NATIONAL_NUMBER: "ssn socialsecuritynumber nationalid nhsnumber nino taxid",
    ReferenceKind.RECORD_NUMBER: "mrn medicalrecordnumber recordnumber chartnumber patientid patientnumber caseid",
    ReferenceKind.LICENCE: "licence license licencenumber licensenumber driverslicense passport passportnumber npi",
    ReferenceKind.ACCOUNT: "account accountnumber",
    ReferenceKind.FINANCIAL_NUMBER: "iban creditcard cardnumber",
    ReferenceKind.IP: "ip ipaddress",
    ReferenceKind.URL: "url website homepage",
    ReferenceKind.PLATE: "plate platenumber licenceplate licenseplate",
}
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}


_MOST_WORDS = 12
"""A cell of more words is prose, whatever its field is called: "patient" may head a column of
notes."""


def kind_of_cell(name: str, value: str) -> ReferenceKind | None:
    """The kind of a whole cell of a field of this name, if that is certain.

    Example:
        >>> kind_of_cell("surname", "Lee"), kind_of_cell("patient", "The patient came in " * 4)
        (<ReferenceKind.NAME: 'name'>, None)
    """
    return kind_of_field(name) if len(value.split()) <= _MOST_WORDS else None


def kind_of_field(name: str) -> ReferenceKind | None:
    """The kind of a field of this name, if that is certain.

    Example:
        >>> kind_of_field("Date of Birth"), kind_of_field("note")
        (<ReferenceKind.DATE: 'date'>, None)
    """
    return _KINDS.get(re.sub(r"[\W_]+", "", name).lower())
