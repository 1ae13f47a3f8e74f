"""What the library says, in the words of the page: errors speak of Python's arguments, a page has boxes to tick."""

from pfes.wording import reworded

__all__ = ["on_the_page"]

# patterns, and what pages say instead
SPELLINGS = {
    r"try correct=True if": "tick “replace what is known” if",
    r"\(correct=True\)": "(tick “replace what is known”)",
    r"\(replicates=True\)": "(tick “second measurements”)",
    r"correct=True": "“replace what is known”",
    r"replicates=True": "“second measurements”",
    r"try reject\(\d+, .*?\) if": "set its data aside, on its own page, if",
    r"told by failed='why'": "recorded as failed",
    r"by infeasible='why'": "as impossible",
    r"by abandoned='why'": "as given up",
    r"see pending\(\)": "see the trials that are pending",
    r"try ask\(\)": "ask for some first",
    r"try tell or add": "record some results first",
    r"or an empty one for data from before": "or none at all, for data from before",
    r"open_study to go on with it, exist_ok=True, or another name=": "another name",
    r"delimiter=\.\.\.": "delimiter",
    r"; `pfes extend` keeps them": "; “Reserve for longer” keeps them",
}


def on_the_page(message: str) -> str:
    """A message of the library in the words of the page."""
    return reworded(message, SPELLINGS)
