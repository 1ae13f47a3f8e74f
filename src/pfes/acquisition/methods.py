"""The methods by name. A new one is a file of its own and a line here."""

from pfes.acquisition import (
    distance,
    ehvi,
    epal,
    jes,
    mesmo,
    pal,
    parego,
    pareto_uncertainty,
    pesmo,
    pf2es,
    pfes,
    pfev,
    plain,
    smsego,
    sur,
    worth,
)
from pfes.acquisition.method import Method
from pfes.errors import InvalidInput

__all__ = ["METHODS", "method_named"]

METHODS = {
    method.name: method
    for method in (
        worth.METHOD,
        pfes.METHOD,
        ehvi.METHOD,
        parego.METHOD,
        smsego.METHOD,
        smsego.GPARETO,
        sur.METHOD,
        pal.METHOD,
        epal.METHOD,
        mesmo.METHOD,
        jes.METHOD,
        pf2es.METHOD,
        pfev.METHOD,
        pesmo.METHOD,
        distance.METHOD,
        pareto_uncertainty.METHOD,
        plain.SOBOL,
        plain.RANDOM,
    )
}


def method_named(name: str) -> Method:
    """The method of that name."""
    if name not in METHODS:
        raise InvalidInput(f"method: got {name!r}, wanted one of {', '.join(METHODS)}")
    return METHODS[name]
