"""What pages show: typeset contracts, answers and page images."""
