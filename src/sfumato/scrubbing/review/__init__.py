"""Checking scrubbed texts: pages that show originals beside what replaced them, and a file that a
person corrects.

Both hold originals in clear and stay with the holder.
"""

from .review_decisions import ReviewDecisions, apply_review
from .review_folder import write_review

__all__ = ["ReviewDecisions", "apply_review", "write_review"]
