"""Measurements of the decision service."""
