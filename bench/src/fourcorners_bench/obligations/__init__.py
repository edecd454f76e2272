"""Obligations against those that were read by hand."""
