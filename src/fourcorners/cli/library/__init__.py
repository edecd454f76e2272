"""Commands on a library as a whole."""
