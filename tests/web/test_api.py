"""The REST API: the verbs for robots, and nothing that anybody may send makes it fall over."""

import time
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from pfes import Study, open_study
from web.conftest import cell_study
from web.serving import LONG, TOKEN, Running, running


@pytest.fixture
def robot(served: Running) -> httpx.Client:
    return served.robot()


def test_a_robot_asks_waits_and_tells(cell: Study, robot: httpx.Client) -> None:
    begun = robot.post("/api/ask", json={"count": 2, "decoupled": True, "lease": 600})
    assert begun.status_code == 202
    done = robot.get(f"/api/jobs/{begun.json()['id']}", params={"wait": 60}).json()
    assert done["state"] == "done"
    trial = done["result"]["trials"][0]
    assert trial["state"] == "pending"
    told = robot.post(f"/api/trials/{trial['id']}/tell", json={"values": {"power": 1.5, "waste": 2}}).json()
    assert (told["state"], told["values"]) == ("done", {"power": 1.5, "waste": 2.0})
    assert cell.trial(trial["id"]).values == {"power": 1.5, "waste": 2.0}


def test_telling_the_same_again_is_fine_and_something_else_a_conflict(robot: httpx.Client) -> None:
    say = lambda value: robot.post("/api/trials/8/tell", json={"values": {"power": value}})  # noqa: E731
    assert [say(1.0).status_code, say(1.0).status_code, say(2.0).status_code] == [200, 200, 409]
    assert robot.post("/api/trials/8/tell", json={"values": {"power": 2.0}, "correct": True}).status_code == 200
    assert robot.post("/api/trials/77/tell", json={"values": {"power": 2.0}}).status_code == 404
    assert robot.post("/api/trials/8/tell", json={"values": {"pwer": 2.0}}).status_code == 422
    assert robot.post("/api/trials/8/tell", json={}).status_code == 422


def test_every_other_verb_does_what_it_says(cell: Study, robot: httpx.Client) -> None:
    assert robot.post("/api/trials/8/extend", json={"seconds": 60}).status_code == 200
    assert cell.leases()[8] <= 60
    assert robot.post("/api/trials/8/note", json={"text": "hot"}).json()["notes"] == ["hot"]
    assert robot.post("/api/trials/8/release", json={"reason": "later"}).json()["state"] == "released"
    assert robot.post("/api/trials/6/reject", json={"reason": "dirty"}).json()["state"] == "rejected"
    point = {"x": 0.5, "t": 500, "dopant": "Er"}
    assert robot.post("/api/enqueue", json={"params": point, "objectives": ["waste"]}).status_code == 201
    assert robot.post("/api/data", json={"rows": [point | {"power": 3}]}).json()[0]["added"]
    table = {"csv": "id,power\n9,7\n"}
    assert robot.post("/api/preview", json=table).json()["changes"][0]["after"] == 7.0
    assert robot.post("/api/import", json=table).json()["told"] == [9]
    assert robot.put("/api/reference", json={"values": {"power": 0, "waste": 20}}).status_code == 200
    assert cell.reference == {"power": 0.0, "waste": 20.0}


def test_what_can_be_looked_at(cell: Study, robot: httpx.Client) -> None:
    assert robot.get("/api/study").json()["objectives"][0]["name"] == "power"
    status = robot.get("/api/status").json()
    assert status["spent"] == cell.spent
    assert status["pending"] == [8, 9]
    assert len(robot.get("/api/trials", params={"state": "done", "limit": 3}).json()) == 3
    assert robot.get("/api/trials/0").json()["values"]["power"] == 0.0
    assert {it["id"] for it in robot.get("/api/pending").json()} == {8, 9}
    assert len(robot.get("/api/front").json()) == len(cell.front())
    assert robot.get("/api/export").text.startswith("id,state,x,t,dopant,power,waste")
    assert "pfes" in {it["name"] for it in robot.get("/api/methods").json()}
    assert robot.get("/api/jobs").json() == []


def test_a_robot_begins_a_study_in_an_empty_folder(empty: Running, tmp_path: Path) -> None:
    robot = empty.robot()
    assert robot.get("/api/status").status_code == 409
    plan: dict[str, Any] = {
        "name": "cell",
        "method": "sobol",
        "parameters": {"x": {"type": "real", "low": 0, "high": 1}},
        "objectives": {"power": {"goal": "max", "cost": 2}},
    }
    assert robot.post("/api/study", json=plan | {"method": "magic"}).status_code == 422
    assert robot.post("/api/study", json=plan | {"parameters": {}}).status_code == 422
    assert robot.post("/api/study", json=plan).status_code == 201
    assert robot.post("/api/study", json=plan).status_code == 422
    assert open_study(tmp_path / "cell.db").objectives[0].cost == 2


def test_predictions_are_made_in_the_background(robot: httpx.Client) -> None:
    begun = robot.post("/api/predict", json={"points": [{"x": 0.25, "t": 400, "dopant": "Er"}]})
    assert begun.status_code == 202
    done = robot.get(f"/api/jobs/{begun.json()['id']}", params={"wait": 60}).json()
    assert done["result"][0]["power"]["mean"] == pytest.approx(2.5, abs=1.0)


def test_the_description_is_whole(robot: httpx.Client) -> None:
    described = robot.get("/api/openapi.json").json()
    assert all(path.startswith("/api/") for path in described["paths"])
    for methods in described["paths"].values():
        for verb in methods.values():
            assert verb["description"]
            assert verb["tags"][0] in ("look", "act", "work")


# Whatever anybody sends


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("fuzzed")
    cell_study(folder)
    with running(folder / "cell.db") as it:
        yield it


def test_no_request_that_the_description_allows_or_forbids_makes_it_fall_over(fuzzed: Running) -> None:
    schema = schemathesis.openapi.from_url(
        f"{fuzzed.address}/api/openapi.json", headers={"Authorization": f"Bearer {TOKEN}"}
    )
    client = fuzzed.robot()
    count, begun = 0, time.monotonic()
    for found in schema.get_all_operations():
        operation = found.ok()

        @given(case=operation.as_strategy(), odd=st.booleans())
        @settings(
            max_examples=12,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        def sent(case: Any, odd: bool) -> None:
            nonlocal count
            count += 1
            parts = case.as_transport_kwargs(base_url=fuzzed.address)
            parts = {name: parts[name] for name in ("method", "url", "params", "json", "data") if parts.get(name)}
            if odd and "json" in parts:
                parts["json"] = [parts["json"]]
            answer = client.request(**parts)
            assert answer.status_code < 500, (parts, answer.text)

        sent()
    assert count > 200
    assert time.monotonic() - begun < 10 * LONG


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/trials/8/tell", '{"values": {"power": 1e999}}'),
        ("/api/trials/8/tell", '{"values": {"power": NaN}}'),
        ("/api/trials/8/tell", '{"values": {"power": "\\ud800"}}'),
        ("/api/trials/8/tell", '{"values": {"\\ud800": 1}}'),
        ("/api/trials/8/note", '{"text": "\\ud800"}'),
        ("/api/trials/8/tell", '{"failed": "\\ud800"}'),
        ("/api/trials/8/extend", '{"seconds": 1e308}'),
        ("/api/trials/8/extend", '{"seconds": Infinity}'),
        ("/api/ask", '{"lease": 1e308, "timeout": 0}'),
        ("/api/ask", '{"fixed": {"x": "\\u0000"}}'),
        ("/api/ask", '{"fixed": {"nothing": 1}}'),
        ("/api/enqueue", '{"params": {"x": null, "t": 1e999, "dopant": true}}'),
        ("/api/data", '{"rows": [{"x": "1", "t": 400, "dopant": "Er", "power": "7"}]}'),
        ("/api/data", '{"rows": [{}]}'),
        ("/api/import", '{"csv": "\\u0000"}'),
        ("/api/import", '{"csv": "id,power\\n1e999,3\\n"}'),
        ("/api/trials/99999999999999999999999999/tell", '{"values": {"power": 1}}'),
        ("/api/predict", '{"points": [{}]}'),
        ("/api/reference", "{"),
        ("/api/ask", "[" * 5000),
    ],
)
def test_odd_bodies_are_refused_or_done(fuzzed: Running, path: str, body: str) -> None:
    method = "PUT" if path.endswith("reference") else "POST"
    answer = fuzzed.robot().request(method, path, content=body, headers={"content-type": "application/json"})
    assert answer.status_code < 500, answer.text
    if answer.status_code == 202:
        job = fuzzed.robot().get(f"/api/jobs/{answer.json()['id']}", params={"wait": 60}).json()
        assert "fault of pfes" not in job["error"], job
