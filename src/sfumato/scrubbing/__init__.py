"""Scrub for files: read, find, decide, replace, write, check again, and report."""

from sfumato.releases import text_secret

from .comparison import WAYS, WaysCompared, compare_ways
from .corpus import FindSettings, Span, find_in_corpus, looking_for
from .file_scrub import read_known, scrub
from .request import Names, Stage
from .result import ScrubbedFiles
from .reversal import reverse_files
from .text_scrub import ScrubbedTexts

__all__ = [
    "WAYS",
    "FindSettings",
    "Names",
    "ScrubbedFiles",
    "ScrubbedTexts",
    "Span",
    "Stage",
    "WaysCompared",
    "compare_ways",
    "find_in_corpus",
    "looking_for",
    "read_known",
    "reverse_files",
    "scrub",
    "text_secret",
]
