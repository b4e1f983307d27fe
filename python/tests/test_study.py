"""Studies, in this process and with executors."""

import concurrent.futures
import contextlib
import os
import signal
import threading
import time
from pathlib import Path

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
    assert first.attrs["study"] == "mine" and set(first["algorithm"]) == {"one partition", "SMS", "optimal"}
    gs.study.run(text.replace("seed = 1", "seed = 2"), tmp_path / "second")
    same = gs.study.diff(tmp_path / "first", tmp_path / "first")
    assert bool(same) and all(row["before"] == row["after"] for row in same["rows"])
    other = gs.study.diff(tmp_path / "first", tmp_path / "second")
    assert len(other["rows"]) == len(first) and {"utilization", "algorithm"} <= set(other["rows"][0]["row"])


def test_the_folder_of_results_may_change(checkout, tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    first = gs._commands.study_run(["analysis/smoke.toml"], output=folder, sets=2)
    (folder / "another-shard").touch()
    assert "results:" in str(first)


class RayExecutor(concurrent.futures.Executor):
    """Runs calls as tasks of Ray."""

    def submit(self, function, /, *arguments, **options):
        import ray

        return ray.remote(function).remote(*arguments, **options).future()


@contextlib.contextmanager
def processes():
    with concurrent.futures.ProcessPoolExecutor(2) as executor:
        yield executor


@contextlib.contextmanager
def dask():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client, client.get_executor() as executor:
            yield executor


@contextlib.contextmanager
def ray():
    module = pytest.importorskip("ray")
    module.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        with RayExecutor() as executor:
            yield executor
    finally:
        module.shutdown()


def kill_workers_in(folder, count, stop):
    """Kills processes with SIGKILL that have an unfinished journal in ``folder`` open, until ``count`` are killed."""
    killed = set()
    while len(killed) < count and not stop.is_set():
        for link in Path("/proc").glob("[0-9]*/fd/*"):
            process = link.parts[2]
            with contextlib.suppress(OSError):
                target = os.readlink(link)
                if target.startswith(str(folder)) and target.endswith(".jsonl") and len(killed) < count:
                    is_worker = process not in killed and int(process) != os.getpid()
                    if is_worker and Path(target).read_bytes().count(b"\n") >= 2:
                        os.kill(int(process), signal.SIGKILL)
                        killed.add(process)
        time.sleep(0.01)
    return len(killed)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the test finds workers in /proc")
@pytest.mark.filterwarnings("default")  # warnings of other packages
@pytest.mark.parametrize("executors", [dask, ray], ids=["dask", "ray"])
def test_killed_workers_leave_no_trace(checkout, tmp_path, executors):
    study, options = "analysis/singh21-fig3.5.toml", {"sets": 4}
    gs.study.run(study, tmp_path / "whole", **options)
    with executors() as executor, concurrent.futures.ThreadPoolExecutor(1) as killer:
        stop = threading.Event()
        killed = killer.submit(kill_workers_in, tmp_path / "parts.shards", 2, stop)
        try:
            gs.study.run(study, tmp_path / "parts", executor=executor, shards=8, threads=1, **options)
        finally:
            stop.set()
    assert killed.result() == 2
    first, second = ((tmp_path / folder / "singh21-fig3.5.csv").read_bytes() for folder in ("whole", "parts"))
    assert first == second


@pytest.mark.filterwarnings("default")  # warnings of other packages
@pytest.mark.parametrize("executors", [processes, dask, ray], ids=["processes", "dask", "ray"])
def test_every_executor_gives_the_same_bytes(checkout, tmp_path, executors):
    gs.study.run("analysis/smoke.toml", tmp_path / "whole")
    with executors() as executor:
        gs.study.run("analysis/smoke.toml", tmp_path / "parts", executor=executor, shards=5)
    first, second = ((tmp_path / folder / "smoke.csv").read_bytes() for folder in ("whole", "parts"))
    assert first == second


class Unreliable(concurrent.futures.Executor):
    """Fails to run every shard for the first time."""

    def __init__(self, error):
        self.error, self.seen, self.calls = error, set(), 0

    def submit(self, function, /, *arguments, **options):
        self.calls += 1
        future = concurrent.futures.Future()
        if arguments[2] not in self.seen:
            self.seen.add(arguments[2])
            future.set_exception(self.error)
        else:
            future.set_result(function(*arguments, **options))
        return future


def test_lost_shards_are_submitted_again(checkout, tmp_path):
    executor = Unreliable(RuntimeError("the worker is gone"))
    gs.study.run("analysis/smoke.toml", executor=executor, shards=3, sets=2)
    assert executor.calls == 6
    with pytest.raises(RuntimeError, match="the worker is gone"):
        gs.study.run("analysis/smoke.toml", executor=Unreliable(executor.error), shards=3, sets=2, retries=0)


def test_a_study_is_submitted_to_slurm(checkout, tmp_path):
    dry = gs.study.submit("analysis/smoke.toml", shards=4, dry_run=True, program="gpusched", output=tmp_path / "cluster")
    assert dry["dry_run"]["commands"][0] == "sbatch --parsable --array=1-4 shard.sh"
    assert not (tmp_path / "cluster").exists()
