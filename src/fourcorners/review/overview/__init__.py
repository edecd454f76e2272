"""What a review comes to as a whole: its numbers, and which contracts belong together."""
