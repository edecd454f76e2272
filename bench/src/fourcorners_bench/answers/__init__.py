"""Questions to contracts: loading, running, scoring, judging and voting."""
