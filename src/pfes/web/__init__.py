"""The web page and the REST API: `pfes serve study.db`.

keys, guard, refusals   who is let in: one token, and rules that every request passes
shelf, server           the study that is shown; what all pages share
jobs, verbs             long work in the background
forms, tables           what browsers send, tables looked at before they are taken
words, status, faults   errors in the page's words and as numbers, and what should not happen
render, static          templates, and files that pages need
pictures                the study's pictures
pages/, api/            what is shown; the same for instruments and robots
app, running            all of it as one application, and the server that runs it

It needs the extra `web`, and is loaded by `pfes serve` alone.
"""

from pfes.web.app import create_app
from pfes.web.guard import Rules
from pfes.web.keys import Keys
from pfes.web.shelf import Shelf

__all__ = ["Keys", "Rules", "Shelf", "create_app"]
