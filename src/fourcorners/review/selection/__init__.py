"""Select contracts by conditions over findings."""
