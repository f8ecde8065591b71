"""Lines of made-up clinical notes: « and » enclose a fact, ‹ and › an identity.

A slot names a list (`{drug}`), choices (`{daily|BID}`) or a range of numbers (`{52..118}`). The
lists of drugs, eponyms, instruments, sutures, scores, laboratory values and body parts share no
entry with the detectors' own words. A detector must recognise a fact by how it is written."""

from __future__ import annotations

LISTS: dict[str, tuple[str, ...]] = {
    "drug": tuple(
        "Camzyos Breztri Trelegy Anoro Stiolto Bevespi Lonhala Ohtuvayre Dorvexa Zorvanel "
        "Bremtuzole Dalfixine Kelnor Vienva Sprintec Gianvi Larissia".split()
    ),
    "name drug": tuple(
        "Yasmin Errin Jolivette Heather Estelle Natalia Lyza Aviane Nikki Syeda Zarah Tilia "
        "Loryna".split()
    ),
    "eponym": tuple(
        "Yergason Gaenslen Jobe Gerber Wartenberg Froment Roos Bryant Ely Ober Noble Cobb "
        "Patrick Speed Thessaly Wagner".split()
    ),
    "grading": tuple(
        "Schatzker Forrest Hinchey Fontaine Rutherford Nottingham Fuhrman Siewert Borrmann "
        "Kellgren Outerbridge Hurley Spetzler Wagner".split()
    ),
    "instrument": tuple(
        "Metzenbaum Babcock Allis Balfour Richardson Weitlaner Deaver Hegar Adson DeBakey "
        "Satinsky Bookwalter Frazier Hohmann Leksell Penfield Freer Castroviejo Harrington "
        "Doyen Duval Jacobs Schroeder Heaney Sims Lahey Judd Collin Simpson Barnes".split()
    ),
    "suture": tuple(
        "Vicryl Monocryl Prolene Ethibond Maxon Ethilon Stratafix Caprosyn Biosyn Polysorb "
        "Novafil Surgipro Tevdek".split()
    ),
    "rated": tuple(
        "Waterlow Lysholm Oswestry Tinetti Constant Berg Tegner Katz Lawton Zarit Ishak".split()
    ),
    "value": tuple("Cystatin Copeptin Renin Retic Osm Anti-Xa Prolactin Lymphs Eos".split()),
    "part": tuple(
        "armpit earlobe kneecap cheekbone fingertip nape forefoot hindfoot instep eyebrow".split()
    ),
    "head": tuple(
        "Counts Gross Ambulation Consults Turgor Access Position Prep Insight "
        "Affect Disposition".split()
    ),
    "first": tuple(
        "Mary Howard Priya Anneliese Tobias Grace Omar Wendell Ingrid Carmen Luis Beatrix".split()
    ),
    "last": tuple(
        "Abernathy Okafor Lindqvist Pruitt Castellanos Whitcombe Nakamura Delacroix Hartigan "
        "Vasquez Thorne Kowalczyk".split()
    ),
}
"""Words to fill slots with, by the name of the slot."""

LINES: dict[str, tuple[str, ...]] = {
    "vitals": (
        "On arrival «BP {92..178}/{51..98}», «HR {52..118}», «RR {12..26}», «SpO2 {90..99}% on RA».",
        "VS: «T {97..101}.{0..9}», «P {58..120}», «R {12..24}», «{98..170}/{54..99}», «sat {91..99}%»",
        "«Pulse {58..120}», «Resp {12..24}», «Temp {36..39}.{0..9}», «weight {48..119}.{1..9} kg».",
        "Fingersticks: «BG {70..320}» before lunch and «BG {70..320}» at bedtime.",
        "«MAP {60..95}», «CVP {4..14}», «FiO2 {30..60}», «PEEP {5..12}».",
        "Home readings: «BG {70..180}», «BP {110..160}/{60..95}»; «BMI {19..41}.{0..9}».",
    ),
    "dose": (
        "Start «{drug} {5|10|20|40} mg PO {daily|BID|TID|QHS}».",
        "Given «{drug} {25|50|100} mcg IV q{4|6|8}h PRN» with relief.",
        "Home list: «{drug} {500|850} mg twice a day», «{drug} {1|2} tabs po qam».",
        "«{drug} {2|3} puffs» as needed; «Insulin {8..30} units» at night.",
        "Bolus «NS {250|500|1000} mL», then «{60..150} mL/hr».",
        "Discharged on «{drug} {0.1|0.25|0.5} mg weekly».",
    ),
    "drug as name": (
        "Takes «{name drug} 0.35 mg daily» for contraception.",
        "Refilled «{name drug}» #28 tablets.",
        "She stopped «{name drug}» because of side effects.",
        "Currently on «{name drug}» for birth control.",
        "Continue «{name drug} 1 tab PO daily».",
    ),
    "stage": (
        "Pathologic stage «pT{1|2|3}{a|b|c} pN{0|1} cM0».",
        "Staged as «cT{1..4}N{0..2}M{0|1}», «stage {IIA|IIB|IIIA|IIIC|IV}».",
        "After treatment «ypT{1..3} ypN{0|1a|2}» was reported.",
        "«FIGO {IA1|IB|IIB|IIIC}», «grade {1..3}», margins clear.",
        "«AJCC stage {IA|IB|IIA}», «Grade {2|3}» tumor, «T{1..3}N{0..2}Mx».",
    ),
    "score": (
        "«GCS {13..15} (E4 V5 M6)», «NIHSS {1..18}», «mRS {0..4}».",
        "«ASA {I|II|III}», «ECOG {0..3}», «KPS {60|70|80|90}».",
        "«PHQ-9 {3..20}», «GAD-7 {3..18}», «MMSE {20..30}/30».",
        "«{rated} score {20..80}», «{rated} {20..80}/100», pain «{2..9}/10».",
        "«{rated} index {20..80}» today; «CHA2DS2-VASc {1..6}», «EF {30..65}%».",
    ),
    "obstetric": (
        "«G{3..6}P{1..2}» at «{35..40}w{1..6}d», «GBS negative».",
        "«G{2..5} P{1..2}{0..1}{0..2}{1..3}», «cervix {3..9}/{50..90}/-{1..2}», «FHT {120..150}s».",
        "She is «gravida {2..6} para {1..2}» with «EBL {150..600} mL».",
        "«Gravida {2..5}, Para {1..2}, Ab {0..2}». «Fundal height {28..38} cm».",
        "«G{2..4}P1001» in labor, «Apgars {7|8} and 9».",
    ),
    "acuity": (
        "«VA OD 20/{20|30|40|60}», «OS 20/{20|25|70}».",
        "Vision «20/{25|40} OD», «20/{30|50} OS»; «IOP {11..20}/{11..20}».",
        "«IOP OD {11..22}», «OS {11..22}». «CF at {2..5} ft» on the left.",
        "«MRx OD -{1..4}.{25|50|75} -0.75 x {10..180}».",
        "«VA sc 20/{30|80}-{1|2}», «J{1..5}» at near.",
    ),
    "lab": (
        "«Na {130..145}», «K {3..5}.{1..9}», «Cl {98..108}», «BUN {8..40}», «Cr {0..2}.{1..9}».",
        "«WBC {4..15}.{0..9}», «Hgb {8..15}.{0..9}», «Hct {28..45}.{0..9}», «Plt {120..400}».",
        "«INR {1..4}.{0..9}», «TSH {1..6}.{10..99}», «PSA {1..9}.{0..9}», «CA 19-9 {10..80}».",
        "«{value} {20..300}», «{value} {2..9}.{0..9}», «AST {15..90}», «ALT {15..90}».",
        "Receptors: «ER+», «PR+», «HER2 {negative|positive}»; «Ki-67 {5..40}%».",
        "ABG: «pH 7.{21..49}», «pCO2 {30..60}», «pO2 {60..110}»; «ANA 1:{80|160|320}».",
    ),
    "section": (
        "«CC:» chest pain for two days.",
        "«Meds:» none at this time.",
        "«HPI:» symptoms began slowly and got worse.",
        "«PMH:» hypertension, diabetes.",
        "«{head}:» no change since the morning.",
        "«{head}:» as described, nothing further.",
        "«Gen:» well appearing. «HEENT:» clear. «Abd:» soft. «Ext:» no edema.",
        "«A/P:» continue present care. «Dispo:» home.",
    ),
    "anatomy": (
        "«Left breast» mass at «{2|4|10} o'clock»; «Right breast» normal.",
        "«Right-sided» weakness, «Left-sided» neglect.",
        "«Left {part}» swollen, «Right {part}» unremarkable.",
        "Pain over the «L {part}» and the «R {part}».",
        "«RUQ» tender, «LLL» crackles, «BLE» edema, «RLE» warm.",
        "Disc disease at «L4-L5» and «C5-C6»; «Bilateral {part}» tenderness.",
    ),
    "instrument": (
        "A «{instrument} {clamp|retractor|elevator}» was placed.",
        "Dissected with «{instrument} {scissors|forceps}» under vision.",
        "Fascia was closed with «{0|2-0|3-0|4-0} {suture}».",
        "Skin was closed with a running «{suture} suture» and «{suture} sutures».",
        "«#{10|11|15} blade», «{18|20|22}-gauge needle», «{14|16|18} Fr catheter».",
        "Two «{instrument} clamps» and a «{instrument} retractor» were removed.",
    ),
    "eponym": (
        "Positive «{eponym} sign» and negative «{eponym}'s test».",
        "«{grading} grade {II|III|IV}», «{grading} class {II|III}».",
        "«{grading} type {2|3|IV}» fracture; «{eponym} maneuver» negative.",
        "«{eponym}'s sign» positive bilaterally, «{eponym} test» equivocal.",
        "«{grading} stage {1|2|3}» disease, «{eponym} {fracture|procedure}» in the past.",
    ),
    "relation": (
        "«Mother» with breast cancer at {42..70}; «father» died of MI.",
        "«Maternal aunt» had colon cancer, «Paternal grandfather» stroke.",
        "Lives with «wife» and two «sons»; «daughter» helps.",
        "Seen with her «husband» ‹{first}›, who gives the history.",
        "His «wife» ‹{first}› called; «brother» ‹{first}› drives him.",
        "«MGM» with CVA, «PGF» with CAD, «Sister» healthy.",
    ),
    "time": (
        "«Incision {0715|0815|0920}», «closure {1042|1115|1310}».",
        "«Tourniquet up {09:12|10:05}», «down {10:33|11:20}».",
        "Morphine «given at {1430|0215|1950}»; «last dose {0600|1800}».",
        "«Intubated at {2215|0340}», «extubated at {0610|1125}».",
        "«POD #{1..6}», «HD {2..9}», «q{2|4|6}h» checks, ill «for {2..9} days».",
    ),
    "abbreviation": (
        "«BP» stable. «ECG» shows «AF» with «RVR».",
        "Taken to the «OR»; «EBL» minimal, «IV» fluids given.",
        "«RN» notified, «MD» aware, «NPO» after midnight.",
        "«PT» and «OT» to see; «DVT» prophylaxis, «PE» ruled out.",
        "«MS» exacerbation, «MI» excluded, «CT» head and «PA» film clear.",
        "«Pt» denies «SOB» and «CP»; «PR» interval long.",
    ),
}
"""Lines by the class of their facts."""

HEADERS: tuple[str, ...] = (
    "Patient: ‹{first} {last}›   MRN: ‹{400000..899999}›   DOB: ‹0{1..9}/{10..28}/19{40..89}›",
    "RE: ‹{first} {last}›, seen by Dr. ‹{last}› on ‹0{1..9}/{10..28}/2024›.",
    "Mrs. ‹{last}› was seen today. Phone ‹617-555-0{110..190}›.",
)
SIGNATURES: tuple[str, ...] = (
    "Signed: ‹{first} {last}›, MD",
    "Dr. ‹{first} {last}›",
    "cc: Dr. ‹{last}›",
)
