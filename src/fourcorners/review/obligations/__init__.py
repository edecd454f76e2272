"""Find who must do what by when, from the sentences of a contract that bind a party."""
