"""The methods by name. A new one is a file of its own, which says what it is in a `Method`, and a line here."""

from importlib import import_module

from pfes.acquisition.method import Method
from pfes.errors import InvalidInput

__all__ = ["METHODS", "method_named"]

FILES = (
    "worth",
    "pfes",
    "ehvi",
    "parego",
    "smsego",
    "sur",
    "pal",
    "epal",
    "mesmo",
    "jes",
    "pf2es",
    "pfev",
    "pesmo",
    "distance",
    "pareto_uncertainty",
    "tsemo",
    "plain",
)

METHODS: dict[str, Method] = {
    method.name: method
    for file in FILES
    for method in vars(import_module(f"pfes.acquisition.{file}")).values()
    if isinstance(method, Method)
}


def method_named(name: str) -> Method:
    """The method of that name."""
    if name not in METHODS:
        raise InvalidInput(f"method: got {name!r}, wanted one of {', '.join(METHODS)}")
    return METHODS[name]
