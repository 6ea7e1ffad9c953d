"""Large fits: one per arm, and from tables larger than memory, on any engine."""
