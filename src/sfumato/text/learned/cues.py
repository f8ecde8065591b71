"""Words that indicate the kind of their neighbours: titles, months, words of hospitals, of numbers,
of offices."""

from __future__ import annotations

from typing import Final

TITLES: Final = frozenset(
    "mr mrs ms miss mx dr doctor prof professor sir lady lord dame madam rev reverend fr "
    "father sister judge justice "
    "capt captain col colonel lt lieutenant sgt sergeant cpl corporal maj major gen "
    "general herr frau monsieur madame "
    "mme mlle m señor señora sr sra don doña".split()
)
"""A name is likely to follow."""

CUES: Final[dict[str, frozenset[str]]] = {
    "title": TITLES,
    "month": frozenset(
        "january february march april may june july august september october november "
        "december jan feb mar apr jun jul "
        "aug sep sept oct nov dec".split()
    ),
    "weekday": frozenset(
        "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu "
        "thur thurs fri sat sun".split()
    ),
    "hospital": frozenset(
        "hospital hospitals clinic clinics infirmary medical health healthcare hospice "
        "sanatorium centre center "
        "rehabilitation nursing surgery practice pharmacy laboratory labs klinik hôpital".split()
    ),
    "office": frozenset(
        "court ministry department office agency council committee commission tribunal "
        "government police prosecutor "
        "authority board institute university college school academy bank church prison "
        "service union association "
        "society federation party army inspectorate bureau secretariat parliament assembly "
        "chamber".split()
    ),
    "firm": frozenset(
        "inc corp corporation co company ltd limited llc llp plc gmbh ag sa spa bv nv "
        "group holdings partners sons "
        "industries enterprises solutions systems technologies consulting".split()
    ),
    "street": frozenset(
        "street st road rd avenue ave lane ln drive dr boulevard blvd court ct place pl "
        "way highway hwy parkway pkwy "
        "terrace square sq crescent close row apt apartment suite unit floor flat box".split()
    ),
    "number": frozenset(
        "mrn no nr number id ssn account acct record chart case file policy member "
        "insurance plan licence license "
        "passport plate vin serial device ref reference application certificate "
        "beneficiary dea npi ch".split()
    ),
    "contact": frozenset(
        "phone tel telephone fax cell mobile pager call ext extension email e mail www http".split()
    ),
    "time": frozenset(
        "born dob birth date dated admitted discharged seen visit since until between "
        "before after on in during am pm "
        "o'clock morning evening year years month months week weeks day days hour hours".split()
    ),
    "age": frozenset("aged age yo y/o year-old yr yrs old".split()),
    "credential": frozenset(
        "md do rn np pa phd dds lpn cna facp esq qc jd pharmd dpm lcsw".split()
    ),
    "unit": frozenset(
        "mg mcg ml kg g l mmol meq units unit mm cm percent tablet tablets capsule daily "
        "bid tid qid mmhg bpm lb lbs "
        "oz iu dl".split()
    ),
    "money": frozenset(
        "eur euros usd dollars gbp pounds francs kroner liras roubles zlotys dem frf trl sek".split()
    ),
    "place": frozenset(
        "in at from near to of north south east west city town village county district province".split()
    ),
    "kin": frozenset(
        "mother father wife husband son daughter brother sister uncle aunt nephew niece "
        "cousin grandmother grandfather "
        "partner fiancé fiancée child children parents".split()
    ),
    "named": frozenset(
        "named called name patient pt client dear re signed sincerely by for with attn cc".split()
    ),
}
"""Kind of cue → the words."""

COURT: Final = frozenset(
    "court applicant applicants judgment article convention proceedings appeal appealed "
    "government commission "
    "defendant plaintiff prosecutor complaint hearing lawyer tribunal convicted sentenced "
    "protocol chamber "
    "application admissible lodged domestic remedies detention".split()
)
"""Words of decisions of courts."""

CLINIC: Final = frozenset(
    "patient patients pt mg diagnosis diagnosed treatment history symptoms pain disease "
    "medication medications exam "
    "blood chronic therapy clinical physical surgery denies dose management doctor "
    "hypertension diabetes dx hx "
    "tx".split()
)
"""Words of notes and letters from clinics."""
