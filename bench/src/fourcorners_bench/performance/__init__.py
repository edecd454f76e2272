"""Speed, cost of a contract, loading of models, growth."""
