"""The parts of mutants.py: tokens, rules, rewriting, the mutated tree and its build, runs of tests, and the report."""
