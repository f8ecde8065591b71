"""Spark: tables larger than one machine."""
