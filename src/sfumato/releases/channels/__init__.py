"""A release with names and channels (paper 002): making it (releasing), asking it (asking), checking it (verifying)."""
