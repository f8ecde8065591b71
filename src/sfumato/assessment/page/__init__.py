"""The assessment page: verdicts, the Five Safes, risk, usefulness, attacks, and the method, for a review board."""

from .facts import AssessmentFacts, Judgement, Question
from .page import render_assessment

__all__ = ["AssessmentFacts", "Judgement", "Question", "render_assessment"]
