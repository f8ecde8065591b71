"""Scrub: finding personal references in letters, notes and text fields, and putting others in their place.

The room is handed strings and knows no table.
"""

from .bids import Bid, TextDetector
from .competition import winners
from .documents import Document, Word
from .finder import find
from .kinds import ReferenceKind

__all__ = ["Bid", "TextDetector", "Document", "ReferenceKind", "Word", "find", "winners"]
