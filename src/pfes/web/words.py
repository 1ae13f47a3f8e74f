"""What the library says, in the words of the page: errors speak of Python's arguments, a page has boxes to tick."""

__all__ = ["on_the_page"]

SPELLINGS = {
    "try correct=True if": "tick “replace what is known” if",
    "(correct=True)": "(tick “replace what is known”)",
    "(replicates=True)": "(tick “second measurements”)",
    "correct=True": "“replace what is known”",
    "replicates=True": "“second measurements”",
    "told by failed='why'": "recorded as failed",
    "by infeasible='why'": "as impossible",
    "by abandoned='why'": "as given up",
    "see pending()": "see the trials that are pending",
    "try ask()": "ask for some first",
    "try tell or add": "record some results first",
    "or an empty one for data from before": "or none at all, for data from before",
    "open_study to go on with it, exist_ok=True, or another name=": "another name",
    "delimiter=...": "delimiter",
    "; `pfes extend` keeps them": "; “Reserve for longer” keeps them",
}


def on_the_page(message: str) -> str:
    """A message of the library in the words of the page."""
    for python, page in SPELLINGS.items():
        message = message.replace(python, page)
    return " ".join(message.split())
