"""Compiled arithmetic of one frontier and many candidates.

    lanes          candidates side by side; which cells a candidate needs
    truncation     Theorem 1: sums over cells               tails          the same far above the frontier
    drops          the marginal of one objective
    marginal       Theorem 2 and relatives                  marginal_far   the same far above the frontier
    matched        the moment-matched bound                 matched_far    the same far above the frontier
    noisy          one objective measured with noise, near and far; mixture, mixture_moments, mixture_far: its integrals
    slices         correlated objectives: a profile of F along one of them; nearest, rays: its pieces
    profiles       sums over such a profile
    beams          the same roughly, quickly and for any number of objectives
    noise          how much of a measurement is signal

Every kernel has the form near(frontier, mean (N, L), std (N, L), *settings, out (N, columns)) -> how many candidates it
left marked for its far(...), which takes the same arguments. See evaluate.py for how they are called.
"""
