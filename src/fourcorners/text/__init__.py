"""Spans, sentences, the normalised view and evidence: pointing at words, exactly."""
