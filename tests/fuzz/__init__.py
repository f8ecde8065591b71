"""Random tables under random policies, released through the command line and recounted by code of
their own."""
