"""The guard at the door: every request passes it, whatever it asks for, before any page or verb sees it.

In this order: is it addressed to us (a foreign page may point its own name at this machine); does it come from a page
of ours; does it have a key; may it write, and does it prove that a form or script of ours sent it; is it small enough.
"""

import json
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from pfes.web.keys import Keys
from pfes.web.refusals import Refused, refusal_page

__all__ = ["LIMIT", "READS", "REPORT_POLICY", "Guard", "Rules"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

READS = ("GET", "HEAD")
POLICED = b"content-security-policy"
LIMIT = 5_000_000  # bytes of one request

# Scripts are files of ours; no text of a user can become one. Plotly sets styles of single elements.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src-elem 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
# A report is a page of its own: it has no scripts, and in a sandbox no origin either, so that nothing in it can speak
# for whoever opened it.
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'; sandbox"
)
CHOSEN = frozenset({REPORT_POLICY.encode()})  # what an answer may have instead of the usual policy
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}


@dataclass(frozen=True)
class Rules:
    """Who may come in, and what for.

    hosts      names that requests may be addressed to, without ports
    read_only  nothing may be changed
    secure     TLS: cookies travel on nothing else
    limit      bytes of one request
    """

    keys: Keys
    hosts: frozenset[str]
    read_only: bool = False
    secure: bool = False
    limit: int = LIMIT


class Guard:
    """ASGI middleware that applies the rules."""

    def __init__(self, app: App, rules: Rules) -> None:
        self.app, self.rules = app, rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it here."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no websockets here
            return
        send = _with_headers(send)
        try:
            headers = _headers(scope)
            _check_host(headers, self.rules.hosts)
            _check_origin(headers, scope["method"])
            if (where := self._entering(scope, headers)) is not None:
                await _answer(send, 303, b"", [("location", where), ("set-cookie", self._cookie())])
                return
            by_cookie = self._admitted(headers)
            self._check_write(scope, headers, by_cookie)
        except Refused as refused:
            await _refuse(scope, send, refused)
            return
        await self.app(scope, receive, send)

    def _entering(self, scope: Scope, headers: dict[str, list[str]]) -> str | None:
        """Where to go on, if the address carries the token: the same place without it."""
        if scope["method"] != "GET" or scope["path"].startswith("/api"):
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == "token"]
        if not given:
            return None
        if not self.rules.keys.is_token(given[0]):
            raise Refused(401, "this token is not the one that was printed when the server began")
        rest = urlencode([pair for pair in query if pair[0] != "token"])
        path = "/" + scope["path"].lstrip("/\\")  # //host would be another host
        return f"{_quoted(path)}{f'?{rest}' if rest else ''}"

    def _cookie(self) -> str:
        keys = self.rules.keys
        secure = "; Secure" if self.rules.secure else ""
        return f"{keys.cookie_name}={keys.cookie}; Path=/; HttpOnly; SameSite=Strict{secure}"

    def _admitted(self, headers: dict[str, list[str]]) -> bool:
        """Whether it was the browser's cookie that opened the door; otherwise it was the token."""
        keys = self.rules.keys
        for given in headers.get("authorization", []):
            kind, _, token = given.partition(" ")
            if kind.lower() == "bearer" and keys.is_token(token.strip()):
                return False
            raise Refused(401, "the header Authorization holds another token than this server's")
        if any(keys.is_cookie(given) for given in _cookies(headers, keys.cookie_name)):
            return True
        raise Refused(401, "a token is needed: open the address that `pfes serve` printed")

    def _check_write(self, scope: Scope, headers: dict[str, list[str]], by_cookie: bool) -> None:
        scope.setdefault("state", {})["proven"] = True
        if scope["method"] in READS:
            return
        if self.rules.read_only:
            raise Refused(403, "this server was started to look at the study, not to change it")
        _check_size(headers, self.rules.limit)
        if not by_cookie:
            return
        if "origin" not in headers:
            raise Refused(403, "the request does not say which page it comes from")
        given = headers.get("x-pfes-form", [])
        if given and not self.rules.keys.is_form(given[0]):
            raise Refused(403, "the page is of another server or an older one: load it again")
        if not given and scope["path"].startswith("/api"):
            raise Refused(403, "the request has no proof that a page of this server sent it: send the token instead")
        scope["state"]["proven"] = bool(given)  # else a form must prove it: see forms.posted


def _headers(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _check_host(headers: dict[str, list[str]], hosts: Iterable[str]) -> None:
    given = headers.get("host", [])
    if len(given) != 1 or _host(given[0]) not in hosts:
        raise Refused(421, "the request is addressed to a name that this server does not answer to: see --allow-host")


def _host(text: str) -> str:
    """A host without its port, empty if it is none."""
    try:
        return "" if "@" in text else urlsplit(f"//{text}").hostname or ""
    except ValueError:
        return ""


def _check_origin(headers: dict[str, list[str]], method: str) -> None:
    """Refuse what a page of another server sends, reading or writing; links from elsewhere may lead here."""
    own = {f"{scheme}://{headers['host'][0].lower()}" for scheme in ("http", "https")}
    if any(origin.lower() not in own for origin in headers.get("origin", [])):
        raise Refused(403, "the request comes from a page of another server")
    site, mode = (headers.get(f"sec-fetch-{name}", [""])[0] for name in ("site", "mode"))
    if site in ("cross-site", "same-site") and not (method == "GET" and mode == "navigate"):
        raise Refused(403, "the request comes from a page of another server")


def _cookies(headers: dict[str, list[str]], name: str) -> list[str]:
    found = []
    for line in headers.get("cookie", []):
        try:
            jar = SimpleCookie(line)
        except CookieError:
            continue
        if name in jar:
            found.append(jar[name].value)
    return found


def _check_size(headers: dict[str, list[str]], limit: int) -> None:
    """The server holds a body to the length that is announced, so that is what is looked at."""
    length = headers.get("content-length", ["0"])[0]
    if "transfer-encoding" in headers:
        raise Refused(411, "the request does not say how long it is")
    if not length.isascii() or not length.isdigit() or int(length[:20]) > limit:
        raise Refused(413, f"the request is larger than {limit / 1e6:g} MB; try it in parts")


def _quoted(path: str) -> str:
    from urllib.parse import quote  # noqa: PLC0415 - used once in the life of a browser

    return quote(path)


def _with_headers(send: Send) -> Send:
    async def sent(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            given = [(name.lower(), value) for name, value in message.get("headers", [])]
            own = {name.encode(): value.encode() for name, value in HEADERS.items()}
            if dict(given).get(POLICED) in CHOSEN:
                del own[POLICED]
            if not any(name == b"cache-control" for name, _ in given):
                own[b"cache-control"] = b"no-store"
            message["headers"] = [*((n, v) for n, v in given if n not in own), *own.items()]
        await send(message)

    return sent


async def _refuse(scope: Scope, send: Send, refused: Refused) -> None:
    if scope["path"].startswith("/api"):
        body, kind = json.dumps({"error": refused.why}).encode(), "application/json"
    else:
        body, kind = refusal_page(refused, scope["path"]).encode(), "text/html; charset=utf-8"
    extra = [("www-authenticate", "Bearer")] if refused.status == 401 else []
    await _answer(send, refused.status, b"" if scope["method"] == "HEAD" else body, [("content-type", kind), *extra])


async def _answer(send: Send, status: int, body: bytes, headers: list[tuple[str, str]]) -> None:
    headers = [*headers, ("content-length", str(len(body)))]
    encoded = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})
