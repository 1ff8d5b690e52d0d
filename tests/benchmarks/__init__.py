"""Benchmarks: ``python -m tests.benchmarks`` prints what a run costs, as ratios to things that do not change."""
