"""Scrub: find personal references in letters, notes and text fields, and replace them.

The room is handed strings and knows no table.
"""

from .baselines import SearchWithCues, StraightSearch
from .bids import Bid, TextDetector
from .certainty import without_uncertain
from .competition import winners
from .decision import Decision, Purpose
from .documents import Document, Word, words_in
from .finder import THRESHOLD, find, read_ahead
from .hidden import as_seen, visible
from .kinds import ReferenceKind
from .name_propagation import SURE, KnownNames, spread
from .name_spelling import name_spellings, spelling_pattern
from .own_patterns import OwnDetector, own_detectors
from .repeat_mask import RepeatValues, is_telling, sweep
from .replacement import (
    Days,
    How,
    ReplacedDocument,
    TextReplacement,
    replace_findings,
    scope_of,
    values_of,
)
from .reversal import ReversalEntry, digest_of, read_mapping, restored, way_of, write_mapping
from .scrubber import (
    DE_IDENTIFIED,
    NEARLY,
    PersonFindings,
    ScrubbedDocument,
    as_decided,
    find_together,
    keyed_days,
)
from .unusualness import Unusualness, judged, score, words_left
from .word_reading import reading

__all__ = [
    "SearchWithCues",
    "StraightSearch",
    "DE_IDENTIFIED",
    "NEARLY",
    "SURE",
    "THRESHOLD",
    "Bid",
    "Days",
    "Decision",
    "Document",
    "How",
    "KnownNames",
    "OwnDetector",
    "PersonFindings",
    "Purpose",
    "ReferenceKind",
    "RepeatValues",
    "ReplacedDocument",
    "ReversalEntry",
    "ScrubbedDocument",
    "TextDetector",
    "TextReplacement",
    "Unusualness",
    "Word",
    "as_decided",
    "as_seen",
    "digest_of",
    "find",
    "find_together",
    "is_telling",
    "judged",
    "keyed_days",
    "name_spellings",
    "own_detectors",
    "read_ahead",
    "read_mapping",
    "reading",
    "replace_findings",
    "restored",
    "scope_of",
    "score",
    "spelling_pattern",
    "spread",
    "sweep",
    "values_of",
    "visible",
    "way_of",
    "winners",
    "without_uncertain",
    "words_in",
    "words_left",
    "write_mapping",
]
