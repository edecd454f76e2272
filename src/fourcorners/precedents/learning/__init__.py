"""Learning an adapter from a firm's ratings."""
