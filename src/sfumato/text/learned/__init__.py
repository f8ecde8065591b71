"""Learned detectors: a linear-chain conditional random field over words, read from a small file of
weights."""
