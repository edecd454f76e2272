"""What pages show: typeset contracts, answers, page images and plots."""
