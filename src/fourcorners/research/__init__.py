"""Ask a contract anything: the archivist, the interrogator and the researcher with its tools.

PAKTON (2025), section 3: the archivist turns what a person says into a question, the interrogator
asks the researcher until an answer is complete, and the researcher looks in the contracts. Without
a language model the same report is built by rules from the contracts' own words.
"""
