"""Headers of fields that hold names of people, in several languages, in lower case without
accents."""

from __future__ import annotations

from .word_list import word_list


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(sorted(word_list(text), key=lambda phrase: (-len(phrase), phrase)))


PERSON_NAME_HEADERS = _phrases("""
    first name|last name|full name|middle name|given name|given names|family name|maiden name|patient name|birth name
    |legal name|preferred name|surname|surnames|forename|forenames|fname|lname|mname|mother name|father name|spouse name
    |next of kin|nickname|initials|maiden|known as|ballot name|name first|name last|mothers name|fathers name
    |christian name
    |vorname|vornamen|nachname|familienname|zuname|rufname|geburtsname|madchenname|maedchenname|ehename|kunstlername
    |prenom|prenoms|nom de famille|nom de naissance|nom usuel|nom d usage|nom usage|nom patronymique|patronyme
    |nom jeune fille|nom de jeune fille|nom complet|nom prenom|nom et prenom
    |nombres|apellido|apellidos|primer apellido|segundo apellido|nombre completo|nombre de pila|primer nombre
    |sobrenome|sobrenomes|nome completo|nome proprio|primeiro nome|ultimo nome|nome mae|nome da mae|nome pai|nome do pai
    |nome social|nome de guerra|cognome|cognomi|nome e cognome|nominativo|nome cognome
    |voornaam|voornamen|achternaam|tussenvoegsel|roepnaam|geslachtsnaam|meisjesnaam
    |fornavn|etternavn|efternavn|mellomnavn|mellemnavn|fornamn|efternamn|tilltalsnamn|etunimi|sukunimi
    |imie|imiona|nazwisko|jmeno|prijmeni|priezvisko|keresztnev|vezeteknev|csaladnev|utonev|prenume|nume de familie
    |soyad|soyadi|ad soyad|adi soyadi|isim|nama lengkap|ho ten|ho va ten
    |имя|фамилия|отчество|фио|прізвище|ім я|імя|име|презиме|ονομα|επωνυμο|ονοματεπωνυμο
    |姓名|名字|姓氏|姓|氏名|名前|苗字|フリカナ|ふりかな|이름|성명|الاسم|اسم|שם|שם משפחה
    """)
"""Headers of a person's name, whatever the values."""

NAME_WORDS = word_list(
    "name names nm nom noms nome nomes nombre naam navn namn nama nume nev ime nimi"
)
"""Words for a name, of whatever."""

NAME_PARTS = word_list("first last middle given family maiden alias aka")
"""Words for a part of a name where the header has nothing else but the owner of the name."""

PEOPLE_WORDS = word_list("""
    patient person physician doctor provider contact guardian mother father spouse employee customer client author
    candidate candidato candidata candidat kandidat officer teacher student pupil applicant respondent participant
    member owner holder user victim suspect defendant offender inmate passenger driver child son daughter husband wife
    parent partner nurse surgeon manager supervisor worker staff voter resident tenant donor beneficiary insured
    subscriber attorney lawyer judge witness player athlete coach professor instructor caregiver relative emergency kin
    contestant competitor nominee winner actor actress performer singer musician composer artist painter senator deputy
    governor minister mayor president prisoner soldier veteran pilot
    patiente elu elue maire eleve salarie assure mari femme pere mere enfant medecin titulaire agent
    mitarbeiter kunde kundin schuler versicherter arzt mutter vater kind ehemann ehefrau
    paciente cliente empleado empleada alumno alumna madre padre hijo medico funcionario aluno socio eleitor mae pai
    urna social paziente dipendente figlio medewerker klant leerling moeder vader eigenaar pasient kunde ansatt
    """)

OTHER_NAME_WORDS = word_list("""
    drug hospital product test file company facility clinic plan item brand city state county country street place
    school department event column domain host procedure diagnosis disease medication unit ward program project species
    gene organization organisation firm business store shop course class subject team club league office agency bank
    insurer payer vendor supplier brand model series title category type code station road village district region area
    municipality municipio partido party coligacao eleicao election ue uf empresa escola rua bairro cidade estado pais
    cargo ocupacao curso setor orgao commune departement region pays ville quartier ecole entreprise societe profession
    categorie canton circonscription schule firma ort stadt land gemeinde kreis abteilung strasse produkt verein
    ciudad provincia calle colegio producto azienda citta comune scuola bedrijf gemeente straat land afdeling field
    variable dataset table device ship vessel boat animal pet breed song movie film book app website job occupation
    """)
"""With one of these, a word for a name is the name of something else."""
