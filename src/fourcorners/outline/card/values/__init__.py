"""Find and judge the dates, terms and notice periods of a contract."""
