"""Risk questions, rules, severity and positions."""
