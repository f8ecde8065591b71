"""Abbreviations of words for what is confidential: how headers shorten them, and how far.

A header such as `karnof` or `diab` is the beginning of a word. Each word stands with the shortest
beginning that means nothing else. Codes of two to five letters, such as `ast` or `wbc`, mean other
things elsewhere, and are read in a table about health alone."""

from __future__ import annotations

from collections.abc import Mapping

from ..records import LooksLike


def _beginnings(text: str) -> tuple[tuple[str, str], ...]:
    """Words in which a stroke ends the shortest beginning."""
    pairs = (word.split("|") for word in text.split())
    return tuple((least, least + rest) for least, rest in pairs)


SHORTENED: Mapping[LooksLike, tuple[tuple[str, str], ...]] = {
    LooksLike.MEASUREMENT: _beginnings("""
        chol|esterol trig|lycerides bili|rubin album|in creat|inine gluc|ose hemog|lobin
        haemog|lobin hemat|ocrit haemat|ocrit plate|lets leuko|cytes lymph|ocytes neutr|ophils
        prothr|ombin karno|fsky phosph|atase systo|lic diast|olic potas|sium ferrit|in
        fibrin|ogen insul|in corti|sol testos|terone estro|gen oestro|gen estrad|iol
        progest|erone antibod|ies spiro|metry respir|ation temper|ature hormon|es
        """),
    LooksLike.CONDITION: _beginnings("""
        diab|etes hypert|ension depre|ssion preg|nancy disea|ses hepat|omegaly asthm|a infec|tion
        sympt|oms disab|ility obes|ity cirrh|osis metas|tasis carci|noma psych|iatric
        menop|ausal hemoph|ilia haemoph|ilia ascit|es oedem|a edem|a anemi|a allerg|ies
        comorb|idity arthri|tis epilep|sy schizo|phrenia alzh|eimer parkins|on dement|ia
        krankh|eit behind|erung malad|ie enferm|edad gravid|anza
        """),
    LooksLike.PROCEDURE: _beginnings("""
        treatm|ent hospitali|sation hospitaliz|ation chemo|therapy radioth|erapy radiat|ion surg|ery
        dialy|sis transpl|antation biops|y
        """),
    LooksLike.DRUG: _beginnings("medicat|ion prescr|iption antibio|tics antidep|ressants"),
    LooksLike.OUTCOME: _beginnings(
        "relap|se recurr|ence readm|ission remiss|ion progres|sion compli|cations decea|sed"
    ),
    LooksLike.CRIME: _beginnings(
        "paro|le prio|rs incarc|eration misdem|eanor sentenc|ing offens|es arrest|s"
    ),
    LooksLike.AMOUNT: _beginnings(
        "inco|me earn|ings salar|y einkom|men gehal|t revenu|s ingres|os delinq|uency"
    ),
    LooksLike.HABIT: _beginnings("smok|ing alco|hol cigar|ettes cannab|is marij|uana"),
    LooksLike.ASSESSMENT: _beginnings(
        "evalu|ation assessm|ent satisf|action perform|ance apprais|al"
    ),
    LooksLike.OPINION: _beginnings("ideol|ogy attit|ude opini|on prefer|ence partis|anship"),
}
"""By what a field of that name looks like: the shortest beginning of each word, and the word."""

WITHOUT_VOWELS: Mapping[str, LooksLike] = {
    "hlth": LooksLike.CONDITION,
    "dsbl": LooksLike.CONDITION,
    "prgnt": LooksLike.CONDITION,
    "trtmnt": LooksLike.PROCEDURE,
    "trmt": LooksLike.PROCEDURE,
    "hsptl": LooksLike.PROCEDURE,
    "smkr": LooksLike.HABIT,
    "smkg": LooksLike.HABIT,
    "incm": LooksLike.AMOUNT,
    "slry": LooksLike.AMOUNT,
    "wghtls": LooksLike.MEASUREMENT,
    "chlstrl": LooksLike.MEASUREMENT,
    "bldprs": LooksLike.MEASUREMENT,
}
"""Words written without their vowels, by which a header may begin."""

AMONG_HEALTH: Mapping[LooksLike, frozenset[str]] = {
    LooksLike.MEASUREMENT: frozenset(
        """
        ast alt alp ggt ldh ck cpk wbc rbc plt hgb hb hct mcv mch mchc psa crp esr inr pt ptt tsh
        bun gfr egfr ef lvef sbp dbp map hr rr fev fvc bsa bmd afp cea tg tc glu alb ca na k fe
        cu zn pb iron zinc copper lead selenium mercury protime kps gcs apgar skin waist hip stage
        grade nodes node size er pr receptor rec score index volume density dose level
        cesd mcs pcs pss phq gad bdi mmse moca hads madrs hamd panss bwt bmi glu
        """.split()
    ),
    LooksLike.CONDITION: frozenset(
        """
        mi chf cad af htn dm ckd esrd copd cva tia pvd dvt pe uti nyha symptom sign signs pain spider
        spiders liver spleen kidney lung heart brain bone prior history hx dx tumor tumour tb hf hbp
        gerd ibs asa gvhd hiv cmv ebv hpv
        """.split()
    ),
    LooksLike.PROCEDURE: frozenset(
        "trt treat treated tx rx arm op surg cabg pci ivf visit visits".split()
    ),
    LooksLike.OUTCOME: frozenset(
        "status event cens censor fustat futime surv os pfs rfs dfs".split()
    ),
}
"""Words and codes that mean this in a table about health."""

AMONG_MONEY = frozenset(
    """
    limit limits line lines term terms inquiry inquiries inq collections late due util utilized
    utilization utilisation revol revolving bal apr tradelines overlimit
    """.split()
)
"""Words that are about money in a table about money."""
