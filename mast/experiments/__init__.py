"""Experiments: plans of runs, their execution and scoring, and the paired comparison of layers."""
