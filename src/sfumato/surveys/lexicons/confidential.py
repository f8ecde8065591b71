"""Facts about people in confidence: verdicts, whether they live, how far they agree, results of
tests."""

from __future__ import annotations

from .word_list import word_list

_MISSING = "unknown|other|na|n/a|none|missing|refused|not applicable"

VERDICTS = word_list(f"""
    guilty|not guilty|convicted|acquitted|dismissed|plea bargain|pled guilty|nolo contendere|mistrial|charges dropped
    |probation|prison|jail|fine|community service|time served|parole|suspended sentence|felony|misdemeanor
    |infraction|arrest|arrested|citation|warning|summons|schuldig|freigesprochen|verurteilt|coupable|acquitte
    |culpable|inocente|condenado|absuelto|{_MISSING}
    """)
VITAL_STATES = word_list(f"""
    alive|dead|deceased|died|living|survived|expired|death|lebt|verstorben|vivant|decede|vivo|fallecido|muerto
    |recovered|cured|released|discharged|isolated|quarantined|hospitalized|hospitalised|in hospital|critical|stable
    |in treatment|under treatment|genesen|gueri|recuperado|{_MISSING}
    """)
AGREEMENTS = word_list(f"""
    strongly agree|agree|somewhat agree|neutral|neither agree nor disagree|disagree|somewhat disagree
    |strongly disagree|very satisfied|satisfied|somewhat satisfied|dissatisfied|very dissatisfied|unsatisfied
    |very happy|happy|pretty happy|not too happy|unhappy|very unhappy|never|rarely|seldom|sometimes|often|always
    |very often|favor|favour|oppose|strongly favor|strongly oppose|approve|disapprove|strongly approve
    |strongly disapprove|very important|important|somewhat important|not important|not at all|a little|a lot
    |very likely|likely|unlikely|very unlikely|undecided|no opinion|dont know|don't know|refused|{_MISSING}
    """)
TEST_RESULTS = word_list(f"""
    positive|negative|pos|neg|reactive|nonreactive|non-reactive|detected|not detected|inconclusive|indeterminate
    |equivocal|abnormal|normal|borderline|elevated|high|low|within normal limits|malignant|benign|positiv|negativ
    |positif|negatif|positivo|negativo|{_MISSING}
    """)
FINDINGS = word_list("""
    positive negative reactive nonreactive detected inconclusive indeterminate equivocal abnormal malignant benign
    positiv negativ positif negatif positivo negativo
    """)
"""Results of tests, at least one of which must be among the values: high and low alone are no
evidence."""
