"""The commands: thin, they put the rooms together and show what comes out."""
