"""The gate over HTTP: an API for programs and for the pages. Every way in declares who may use
it."""
