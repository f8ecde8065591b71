"""Text fields of tables: scrubbed while they are released, with what the tables know of each person as cues."""
