"""What all pages and verbs of a server share: study, jobs, rules, and what the next page is to say."""

import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import cast

from fastapi import Request

from pfes.web.guard import Rules
from pfes.web.jobs import Jobs
from pfes.web.shelf import Shelf

__all__ = ["Notices", "Server", "the_server"]


class Notices:
    """Sentences for the page after the next redirect, by a name that nobody can guess; the last hundred."""

    def __init__(self) -> None:
        self._said: OrderedDict[str, str] = OrderedDict()

    def say(self, text: str) -> str:
        """Keep a sentence; its name."""
        name = secrets.token_urlsafe(9)
        self._said[name] = text
        while len(self._said) > 100:
            self._said.popitem(last=False)
        return name

    def hear(self, name: str) -> str:
        """The sentence of that name, empty if there is none."""
        return self._said.get(name, "")


@dataclass
class Server:
    """One server and what it holds."""

    shelf: Shelf
    rules: Rules
    jobs: Jobs = field(default_factory=Jobs)
    notices: Notices = field(default_factory=Notices)


def the_server(request: Request) -> Server:
    """The server that a request has come to."""
    return cast(Server, request.app.state.server)
