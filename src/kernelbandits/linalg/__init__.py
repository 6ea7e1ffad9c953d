"""Linear algebra on arrays: the growing factor, panels, aligned memory, limits of memory."""
