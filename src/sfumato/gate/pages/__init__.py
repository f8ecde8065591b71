"""The pages for people: plain HTML, one style sheet and small scripts that use the API. Nothing of
them is built, and no request is sent outside the gate's machine."""

from .page_endpoints import pages

__all__ = ["pages"]
