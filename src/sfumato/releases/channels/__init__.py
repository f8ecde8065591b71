"""A release with names and channels (Garfinkel et al. 2007): making it (releasing), asking it
(asking), checking it (verifying)."""
