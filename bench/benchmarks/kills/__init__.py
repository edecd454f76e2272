"""Kill -9 at many moments of commands and of a server: is anything lost, doubled or left behind?"""
