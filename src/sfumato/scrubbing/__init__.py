"""Scrub for files: read, find, decide, replace, write, look again, and say what was done."""

from sfumato.releases import text_secret

from .corpus import FindSettings, Span, find_in_corpus, looking_for
from .file_scrub import scrub
from .request import Names, Stage
from .result import ScrubbedFiles
from .reversal import reverse_files
from .text_scrub import ScrubbedTexts

__all__ = [
    "FindSettings",
    "Names",
    "ScrubbedFiles",
    "ScrubbedTexts",
    "Span",
    "Stage",
    "find_in_corpus",
    "looking_for",
    "reverse_files",
    "scrub",
    "text_secret",
]
