"""What a new schema asks for beyond SQL."""
