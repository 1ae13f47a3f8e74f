"""Slow and obvious twins of the fast routines: high precision, Monte Carlo, dense grids. Nothing here imports pfes."""
