"""The file of results: whole lines, the newest of each run, one writer."""

import gzip
import json
from pathlib import Path

import pytest

from pfes.bench.results import Results, read_results
from pfes.errors import InvalidInput


def line(name: str, value: int = 0) -> dict[str, object]:
    return {"id": name, "value": value}


def test_what_is_added_is_read_again(tmp_path: Path) -> None:
    results = Results(tmp_path / "new" / "r.jsonl")
    with results.opened() as before:
        results.add(line("a"))
        results.add(line("b"))
    assert before == []
    assert read_results([results.path]) == [line("a"), line("b")]


@pytest.mark.parametrize("cut", [1, 5, 17])
def test_a_line_that_was_cut_off_is_healed(cut: int, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    whole = json.dumps(line("a")) + "\n"
    path.write_text(whole + json.dumps(line("b"))[:cut])
    assert read_results([path]) == [line("a")]
    results = Results(path)
    with results.opened() as before:
        assert before == [line("a")]
        assert path.read_text() == whole
        results.add(line("c"))
    assert read_results([path]) == [line("a"), line("c")]


def test_of_two_lines_of_one_run_the_newest_counts(tmp_path: Path) -> None:
    first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    first.write_text(json.dumps(line("a", 1)) + "\n" + json.dumps(line("b", 1)) + "\n")
    second.write_text(json.dumps(line("a", 2)) + "\n")
    assert read_results([first, second]) == [line("b", 1), line("a", 2)]


def test_compressed_results_are_read_but_not_written(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl.gz"
    path.write_bytes(gzip.compress((json.dumps(line("a")) + "\n").encode()))
    assert read_results([path]) == [line("a")]
    with pytest.raises(InvalidInput, match=r"wanted a name that ends in \.jsonl"):
        Results(path)


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    one, other = Results(tmp_path / "r.jsonl"), Results(tmp_path / "r.jsonl")
    with one.opened(), pytest.raises(InvalidInput, match="another run is writing"), other.opened():
        pass
    with other.opened() as before:
        assert before == []


def test_what_is_no_run_is_said_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps(line("a")) + "\nnonsense\n" + json.dumps(line("b")) + "\n")
    with pytest.raises(InvalidInput, match=r"r.jsonl, line 2: this is no run"):
        read_results([path])
    with pytest.raises(InvalidInput, match=r"cannot read .*No such file"):
        read_results([tmp_path / "none.jsonl"])
