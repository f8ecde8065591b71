"""Exports of a register, checked by the field's own validators in an environment of their own."""
