"""Contract cards against the lawyers' answers of CUAD."""
