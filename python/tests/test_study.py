"""Studies, in this process and with executors."""

import concurrent.futures

import pytest

import gpusched as gs

pytest.importorskip("pandas")


def test_shards_give_the_same_bytes(checkout, tmp_path):
    whole = gs.study.run("analysis/smoke.toml", tmp_path / "whole")
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        parts = gs.study.run("analysis/smoke.toml", tmp_path / "parts", executor=executor, shards=3)
    assert whole.equals(parts)
    assert whole.attrs["study"] == "smoke" and whole.attrs["folder"] == str(tmp_path / "whole")
    assert len(whole.attrs["findings"]) > 0
    first, second = ((tmp_path / folder / "smoke.csv").read_bytes() for folder in ("whole", "parts"))
    assert first == second
    assert not (tmp_path / "parts.shards").exists()


def test_processes_run_a_study_from_its_text(checkout):
    text = (checkout / "analysis/smoke.toml").read_text()
    with concurrent.futures.ProcessPoolExecutor(2) as executor:
        frame = gs.study.run(text, executor=executor, shards=2, sets=2)
    assert frame.attrs["folder"] is None
    assert set(frame["sets"]) == {2}


def test_an_own_study_from_the_template_and_its_comparison(checkout, tmp_path):
    text = gs.study.new("mine")
    first = gs.study.run(text, tmp_path / "first")
    assert first.attrs["study"] == "mine" and set(first["algorithm"]) == {"one partition", "SMS"}
    gs.study.run(text.replace("seed = 1", "seed = 2"), tmp_path / "second")
    same = gs.study.diff(tmp_path / "first", tmp_path / "first")
    assert bool(same) and all(row["before"] == row["after"] for row in same["rows"])
    other = gs.study.diff(tmp_path / "first", tmp_path / "second")
    assert len(other["rows"]) == len(first) and {"utilization", "algorithm"} <= set(other["rows"][0]["row"])
