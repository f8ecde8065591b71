"""Views: each recipient profile reads its own release of a source, judged with those of the
others; of a live source as views, or of one state as a folder."""

from .profile_releases import ProfileReleases, release_profiles
from .refresh import ProfileView, RefreshedViews, refresh_views

__all__ = [
    "ProfileReleases",
    "ProfileView",
    "RefreshedViews",
    "refresh_views",
    "release_profiles",
]
