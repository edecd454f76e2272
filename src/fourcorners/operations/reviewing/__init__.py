"""What one may do with reviews: start them, read, mark and count findings, export."""
