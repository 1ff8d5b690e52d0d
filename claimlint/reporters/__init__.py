"""Reporters: from a report to text. Each is a function from a report to a string or to styled lines."""
