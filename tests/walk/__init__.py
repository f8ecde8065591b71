"""A new user's walk: the README's lines, pasted one by one into a fresh environment."""
