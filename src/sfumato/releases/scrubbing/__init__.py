"""Scrub for files: read, find, decide, replace, write, look again, and say what was done."""

from ..text_secret import text_secret
from .asking import Names, Stage
from .corpus import Looking, Span, find_in_corpus
from .result import ScrubbedFiles
from .reversing import reverse_files
from .scrubbing import scrub

__all__ = [
    "Looking",
    "Names",
    "ScrubbedFiles",
    "Span",
    "Stage",
    "find_in_corpus",
    "reverse_files",
    "scrub",
    "text_secret",
]
