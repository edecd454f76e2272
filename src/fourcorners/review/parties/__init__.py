"""Who acts in a sentence, and whom a room of contracts is read for."""
