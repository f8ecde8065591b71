"""The input of a decision: a protected table, the disclosure states of its audiences, and the
answer nodes at which more may be disclosed."""
