"""Who may do what: accounts, sessions, tokens, passwords, and sign-in through a provider."""
