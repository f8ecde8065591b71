"""The assessment page: verdicts, the Five Safes, risk, usefulness, attacks, and the method, for a
review board."""

from .facts import AssessmentFacts, Judgement, SafeQuestion
from .page import render_assessment

__all__ = ["AssessmentFacts", "Judgement", "SafeQuestion", "render_assessment"]
