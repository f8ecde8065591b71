"""What a field is certain to hold, told from its name alone: "surname", "date_of_birth", "Telefon".

Used where no fields were chosen as text, so that a cell with only "Lee" in it is a name.
"""

from __future__ import annotations

import re

from ..kinds import Kind

_NAMES = {
    Kind.NAME: (
        "name firstname lastname surname familyname givenname middlename maidenname fullname forename forenames "
        "patientname patient physician doctor doctorname nurse provider providername referringphysician author "
        "contactname nextofkin mothername fathername vorname nachname familienname nom prenom nomdefamille nombre "
        "apellido apellidos cognome"
    ),
    Kind.USER_NAME: "username login userid",
    Kind.EMAIL: "email emailaddress mail correo courriel",
    Kind.PHONE: "phone phonenumber telephone tel mobile mobilephone cell cellphone fax homephone workphone telefon",
    Kind.STREET: "street address streetaddress addressline addressline1 addressline2 strasse rue direccion adresse",
    Kind.TOWN: "city town ville ort wohnort ciudad",
    Kind.POSTCODE: "zip zipcode postcode postalcode plz codepostal",
    Kind.DATE: (
        "dob dateofbirth birthdate birthday geburtsdatum datedenaissance deathdate dateofdeath admissiondate "
        "dischargedate visitdate"
    ),
    Kind.NATIONAL_NUMBER: "ssn socialsecuritynumber nationalid nhsnumber nino taxid",
    Kind.RECORD_NUMBER: "mrn medicalrecordnumber recordnumber chartnumber patientid patientnumber caseid",
    Kind.LICENCE: "licence license licencenumber licensenumber driverslicense passport passportnumber npi",
    Kind.ACCOUNT: "account accountnumber",
    Kind.FINANCIAL_NUMBER: "iban creditcard cardnumber",
    Kind.IP: "ip ipaddress",
    Kind.URL: "url website homepage",
    Kind.PLATE: "plate platenumber licenceplate licenseplate",
}
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}


def kind_of_field(name: str) -> Kind | None:
    """What a field of this name holds, if that is certain.

    Example:
        >>> kind_of_field("Date of Birth"), kind_of_field("note")
        (<Kind.DATE: 'date'>, None)
    """
    return _KINDS.get(re.sub(r"[\W_]+", "", name).lower())
