"""The pages for people: plain HTML, one style sheet and small scripts that use the API. Nothing of
them is built, and no request leaves the machine that the gate is on."""

from .page_endpoints import pages

__all__ = ["pages"]
