"""Columns of the Avazu competition file."""

from __future__ import annotations

FEATURES = (
    *("hour", "C1", "banner_pos"),
    *("site_id", "site_domain", "site_category", "app_id", "app_domain", "app_category"),
    *("device_id", "device_ip", "device_model", "device_type", "device_conn_type"),
    *("C14", "C15", "C16", "C17", "C18", "C19", "C20", "C21"),
)
"""Features of an impression. `id` numbers the rows and `click` is the outcome: neither is a feature."""

COLUMNS = ("id", "click", *FEATURES)

N_ARMS = 10
"""One arm for each last digit."""
