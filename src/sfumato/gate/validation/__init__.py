"""Validation: whether a number that was seen on a synthetic copy holds in the real table.

A claim is a question, the value that was seen and a margin. The gate answers the question with noise,
as it answers any other, and compares. The verdict is computed from the noisy answer alone, so that
its protection is that of the noisy answer."""
