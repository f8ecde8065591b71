"""Views: each recipient profile reads its own release of a live source, and never the source."""

from .cohorts import people_to_hold_back
from .refresh import ProfileView, RefreshedViews, refresh_views

__all__ = ["ProfileView", "RefreshedViews", "people_to_hold_back", "refresh_views"]
