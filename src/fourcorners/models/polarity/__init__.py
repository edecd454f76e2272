"""Whether words that answer a question of yes or no mean yes."""
