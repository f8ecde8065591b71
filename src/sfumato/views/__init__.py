"""Views: each recipient profile reads its own release of a live source, and never the source."""

from .refresh import ProfileView, RefreshedViews, refresh_views

__all__ = ["ProfileView", "RefreshedViews", "refresh_views"]
