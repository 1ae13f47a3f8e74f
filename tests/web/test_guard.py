"""The guard: who is let in, by every route and every method; and what docs/serve.md says of it."""

from pathlib import Path

import httpx
import pytest

from pfes import Study
from web.serving import TOKEN, Running, running
from web.table import METHODS, Refusals, documented, refusals, table

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "serve.md"


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> list[Refusals]:
    return refusals(tmp_path_factory.mktemp("guarded"))


def test_every_route_is_looked_at(refused: list[Refusals], served: Running) -> None:
    assert len(refused) > 40
    assert len({it.path for it in refused}) == len(served.routes())


def test_without_a_token_nothing_answers(refused: list[Refusals]) -> None:
    assert {status for it in refused for status in it.no_token.values()} == {401}


def test_with_another_host_nothing_answers(refused: list[Refusals]) -> None:
    assert {status for it in refused for status in it.wrong_host.values()} == {421}


def test_from_a_page_of_another_server_nothing_answers(refused: list[Refusals]) -> None:
    assert {status for it in refused for status in it.foreign_origin.values()} == {403}


def test_without_the_proof_of_our_forms_nothing_is_changed(refused: list[Refusals]) -> None:
    writes = {status for it in refused for method, status in it.no_proof.items() if method in it.methods}
    assert writes == {403}
    others = {status for it in refused for method, status in it.no_proof.items() if method not in it.methods}
    assert others <= {403, 405}  # 405: nothing does it


def test_a_server_to_look_at_changes_nothing(refused: list[Refusals]) -> None:
    assert {status for it in refused for status in it.read_only.values()} == {403}


def test_the_document_shows_the_table(refused: list[Refusals]) -> None:
    assert documented(DOCUMENT.read_text(encoding="utf-8")) == table(refused)


def test_every_method_is_tried() -> None:
    assert set(METHODS) == {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


# The way in


def test_the_token_of_the_address_becomes_a_cookie_and_vanishes(served: Running) -> None:
    client = served.stranger()
    answer = client.get(f"/trials?token={TOKEN}&state=done")
    assert (answer.status_code, answer.headers["location"]) == (303, "/trials?state=done")
    cookie = answer.headers["set-cookie"]
    assert TOKEN not in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert client.get("/trials").status_code == 200


@pytest.mark.parametrize("path", ["//evil.example/x", "/\\evil.example", "///evil.example"])
def test_the_way_in_leads_to_no_other_server(served: Running, path: str) -> None:
    answer = served.stranger().get(httpx.URL(served.address).copy_with(raw_path=f"{path}?token={TOKEN}".encode()))
    assert answer.status_code in (303, 404)
    if answer.status_code == 303:
        assert not answer.headers["location"].startswith(("//", "/\\"))


@pytest.mark.parametrize("given", ["wrong", "", TOKEN[:-1], TOKEN + "x", "é"])
def test_another_token_opens_nothing(served: Running, given: str) -> None:
    assert served.stranger().get("/", params={"token": given}).status_code == 401
    name = served.rules.keys.cookie_name
    assert served.stranger(cookie=f"{name}={given}".encode("ascii", "replace").decode()).get("/").status_code == 401
    sent = given.encode("ascii", "replace").decode() or "nothing"
    assert served.stranger(authorization=f"Bearer {sent}").get("/api/status").status_code == 401


def test_the_api_takes_no_token_from_its_address(served: Running) -> None:
    assert served.stranger().get(f"/api/status?token={TOKEN}").status_code == 401


def test_the_cookie_of_another_port_is_another_one(served: Running) -> None:
    keys = served.rules.keys
    assert str(served.port) in keys.cookie_name
    assert served.stranger(cookie=f"pfes_1={keys.cookie}").get("/").status_code == 401


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:9999", "127.0.0.1", "[::1]:80"])
def test_our_own_names_are_let_in(served: Running, host: str) -> None:
    assert served.stranger(host=host, authorization=f"Bearer {TOKEN}").get("/api/status").status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "localhost.", "", "[", "a@localhost:b@c", "evil.example@localhost"],
)
def test_other_names_are_not(served: Running, host: str) -> None:
    client = served.stranger(authorization=f"Bearer {TOKEN}")
    assert client.get("/api/status", headers={"host": host}).status_code in (400, 421)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "file://", "http://localhost"])
def test_writing_from_other_pages_is_refused_even_with_the_token(served: Running, origin: str) -> None:
    answer = served.robot().post("/api/trials/2/release", json={}, headers={"origin": origin})
    assert answer.status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_a_browser_says_of_another_page_is_believed(served: Running, site: str) -> None:
    client = served.browser().client
    assert client.get("/live", headers={"sec-fetch-site": site, "sec-fetch-mode": "cors"}).status_code == 403
    link = {"sec-fetch-site": site, "sec-fetch-mode": "navigate"}
    assert client.get("/trials", headers=link).status_code == 200
    assert client.post("/ask", headers=link, data={"form_key": served.rules.keys.form}).status_code == 403


def test_a_browser_that_does_not_say_where_a_form_is_from_is_refused(served: Running) -> None:
    client = served.browser().client
    del client.headers["origin"]
    assert client.post("/ask", data={"form_key": served.rules.keys.form, "count": "1"}).status_code == 403


# What comes back


def test_every_answer_has_the_headers_that_hold_scripts_off(served: Running) -> None:
    client = served.browser().client
    for path in ("/", "/nothing", "/api/status", "/api/nothing", "/static/style.css", "/live"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "script-src 'self';" in policy
        assert "default-src 'none'" in policy
        assert "eval" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
    assert served.stranger().get("/").headers["content-security-policy"] == policy
    assert client.get("/").headers["cache-control"] == "no-store"


def test_what_is_too_large_is_not_read(tmp_path: Path, cell: Study) -> None:
    with running(tmp_path / "cell.db", limit=2000) as small:
        answer = small.robot().post("/api/import", json={"csv": "x" * 3000})
        assert (answer.status_code, "larger" in answer.text) == (413, True)
        answer = small.browser().post("/record/preview", files={"file": ("a.csv", b"x" * 3000)})
        assert answer.status_code == 413
        chunks = iter([b"{", b"}"])
        assert small.robot().post("/api/import", content=chunks).status_code == 411


def test_only_who_lacks_the_token_is_asked_for_it(tmp_path: Path, cell: Study) -> None:
    with running(tmp_path / "cell.db", limit=2000) as small:
        browser = small.browser()
        without = small.stranger().get("/")
        large = browser.post("/record/preview", files={"file": ("a.csv", b"x" * 3000)})
        foreign = browser.client.post("/ask", headers={"origin": "http://evil.example"})
        named = small.stranger(host="evil.example").get("/")
    assert 'name="token"' in without.text
    for answer, status in ((large, 413), (foreign, 403), (named, 421)):
        assert answer.status_code == status
        assert 'name="token"' not in answer.text
    assert "larger than 0.002 MB" in large.text
    assert 'href="/record"' in large.text
    assert "page of another server" in foreign.text
    assert 'href="/"' in foreign.text


def test_files_of_ours_and_no_others_are_given(served: Running) -> None:
    client = served.browser().client
    for path in ("/static/pages.js", "/static/theme.js", "/static/style.css", "/static/plotly.js", "/static/icon.svg"):
        assert client.get(path).status_code == 200
    for path in ("/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static/app.py", "/static/"):
        assert client.get(path).status_code == 404


def test_templates_hold_no_scripts_of_their_own() -> None:
    import pfes.web

    for path in (Path(pfes.web.__file__).parent / "templates").glob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert text.count("<script") == text.count('<script src="/static/'), path.name
        assert "| safe" not in text.replace("'&#9;' | safe", ""), path.name
        assert not any(f" {event}=" in text for event in ("onclick", "onload", "onerror", "onsubmit")), path.name
