"""The words index on Lance tables."""
