"""The rules: one module per aggregate of a passport or part of a draft, one rule a function."""
