"""How people are described: forms of address, sex, ethnicity, marital status, belief, education,
language."""

from __future__ import annotations

from .word_list import word_list

SEXES = word_list(
    """
    m|f|male|female|man|woman|men|women|boy|girl|x|u|o|unknown|other|nonbinary|non-binary|intersex|transgender
    |mann|frau|mannlich|weiblich|divers|w|d|homme|femme|masculin|feminin|h|v|hombre|mujer|masculino|femenino|varon
    |man|vrouw|maschio|femmina|uomo|donna|mand|kvinde|kvinna
    """
)

HONORIFICS = word_list("""
    mr mrs ms miss mx dr prof sir dame lord lady rev fr mr. mrs. ms. dr. prof. rev. jr sr jr. sr. ii iii iv md phd
    m.d. ph.d. esq herr frau fraulein hr fr. hr. mme mlle m. mme. monsieur madame mademoiselle sra srta don dona d.
    sr. sra. srta. dhr mevr mw dhr. mevr. signor signora sig sig. sig.ra pan pani fru hr. frk
    """)
"""Forms of address, and suffixes of a name."""

ETHNICITIES = word_list("""
    white|black|asian|hispanic|latino|latina|latinx|caucasian|african american|black or african american
    |hispanic or latino|not hispanic or latino|not hispanic|non-hispanic|non hispanic|native american
    |american indian|american indian or alaska native|alaska native|amer-indian-eskimo|pacific islander
    |native hawaiian|native hawaiian or other pacific islander|asian-pac-islander|asian or pacific islander
    |middle eastern|multiracial|mixed|mixed race|two or more races|biracial|other|unknown|white british|white irish
    |white other|black african|black caribbean|indian|pakistani|bangladeshi|chinese|arab|roma|indigenous
    |white non-hispanic|black non-hispanic|white hispanic|declined|refused
    """)

MARITAL_STATUSES = word_list("""
    single|married|divorced|widowed|separated|never married|never-married|widow|widower|partnered|civil union
    |domestic partner|domestic partnership|cohabiting|registered partnership|married-civ-spouse|married-af-spouse
    |married-spouse-absent|ledig|verheiratet|geschieden|verwitwet|celibataire|marie|mariee|divorce|divorcee|veuf
    |veuve|soltero|soltera|casado|casada|divorciado|divorciada|viudo|viuda|gehuwd|ongehuwd|gescheiden|unmarried
    |unknown|other
    """)

BELIEFS = word_list("""
    christian|catholic|roman catholic|protestant|baptist|methodist|lutheran|presbyterian|orthodox|jewish|muslim
    |islam|hindu|buddhist|sikh|atheist|agnostic|mormon|jehovahs witness|none|no religion|evangelisch|katholisch
    |democrat|democratic|republican|independent|green|libertarian|labour|conservative|liberal|unenrolled
    |other|unknown
    """)

EDUCATIONS = word_list("""
    bachelors|bachelor|masters|master|doctorate|phd|hs-grad|high school|some-college|some college|college
    |assoc-acdm|assoc-voc|associate|prof-school|preschool|primary|secondary|tertiary|university|elementary
    |graduate|postgraduate|undergraduate|1st-4th|5th-6th|7th-8th|9th|10th|11th|12th|ged|vocational|none
    """)

LANGUAGES = word_list("""
    english spanish french german dutch italian portuguese chinese mandarin cantonese japanese korean vietnamese
    tagalog arabic russian polish turkish hindi urdu bengali punjabi greek hebrew persian farsi swedish danish
    norwegian finnish czech hungarian romanian ukrainian deutsch francais espanol nederlands italiano
    """)
