"""Logs and what can be learned from them: reading, replaying."""
