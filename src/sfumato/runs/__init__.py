"""The life of a run: interrupts, who owns what it leaves on disk, and targets that one run at a time may write."""
