"""The figures of each paper that `sfumato demo paper` computes, a file for each paper."""
