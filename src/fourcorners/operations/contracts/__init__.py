"""What one may ask of contracts: dates, obligations, versions, drafting, precedents."""
