"""Which contracts have what: conditions over findings."""
