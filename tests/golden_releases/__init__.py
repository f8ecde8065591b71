"""Golden releases: whole runs of the command line with recorded results, to prove that a change
changed nothing."""
