"""What is decided on: a holding, what was shown of it, and in which shapes more may be."""
