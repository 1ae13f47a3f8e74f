"""Requests that are not let in, and what a browser shows of that: a page that needs no other file."""

from html import escape

__all__ = ["Refused", "refusal_page"]

FRAME = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>pfes: {title}</title></head>
<body style="font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1.25rem">
<main><h1 style="font-size: 1.6rem">{title} ({status})</h1><p>{why}</p>
{way}</main></body></html>
"""
TOKEN = """<form method="get" action="/"><p><label>Token <input type="password" name="token" autocomplete="off"></label>
<button>Enter</button></p></form>"""
BACK = '<p><a href="{to}">Back</a></p>'
TITLES = {401: "Not let in", 403: "Not allowed", 411: "Not understood", 413: "Too large", 421: "Wrong address"}

# addresses that only take forms -> where the forms are
FORMS = {"/record/preview": "/record", "/record/import": "/record", "/record/data": "/record", "/begin": "/begin"}


class Refused(Exception):
    """A request that is not let in: the status, and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


def refusal_page(refused: Refused, path: str) -> str:
    """What a browser shows: who lacks the token may give it, all others are told what is wrong and led back."""
    way = TOKEN if refused.status == 401 else BACK.format(to=FORMS.get(path, "/"))
    if refused.status == 421:  # a link would lead to the same name
        way = ""
    title = TITLES.get(refused.status, "Refused")
    return FRAME.format(
        title=title, status=refused.status, why=escape(refused.why[:1].upper() + refused.why[1:]), way=way
    )
