#!/usr/bin/env python3
"""Compares the response-time bounds of `gpusched test` with pyCPA, and measures systems per second.

usage: pycpa_oracle.py GPUSCHED PYCPA [SYSTEMS]

PYCPA is a checkout of pyCPA. The systems have one core with preemptive fixed priorities and 20 periodic tasks with jitter. gpusched
runs as one process on one thread, and its time includes its start and all JSON. The time of pyCPA is its analysis alone. Exit code 1:
a bound differs.
"""

import json
import logging
import random
import subprocess
import sys
import time


def draw(rng):
    """Returns the tasks (period, jitter, WCET) of a system in microseconds, the most urgent task first."""
    rest, shares = rng.uniform(0.5, 0.9), []
    for left in range(19, 0, -1):
        following = rest * rng.random() ** (1 / left)
        shares.append(rest - following)
        rest = following
    shares.append(rest)
    tasks = []
    for share in shares:
        period = rng.randrange(10_000, 1_000_000)
        tasks.append((period, rng.randrange(0, period // 10), max(1, int(share * period))))
    return sorted(tasks)


def system(tasks):
    """Returns the system in the format of gpusched."""
    listed = [
        {
            "name": str(index),
            "period": f"{period}us",
            "jitter": f"{jitter}us",
            "priority": index,
            "segments": [{"on": "cpu", "wcet": f"{wcet}us"}],
        }
        for index, (period, jitter, wcet) in enumerate(tasks)
    ]
    return {"cores": [{"name": "cpu", "policy": "fp"}], "tasks": listed}


def pycpa_bounds(tasks):
    """Returns the bounds from the arrivals, in microseconds. pyCPA counts from the releases."""
    described = model.System()
    core = described.bind_resource(model.Resource("cpu", schedulers.SPPScheduler()))
    for index, (period, jitter, wcet) in enumerate(tasks):
        task = core.bind_task(model.Task(str(index), wcet=wcet, bcet=0, scheduling_parameter=index))
        task.in_event_model = model.PJdEventModel(P=period, J=jitter)
    results = analysis.analyze_system(described)
    return [results[task].wcrt + tasks[int(task.name)][1] for task in sorted(core.tasks, key=lambda task: int(task.name))]


if len(sys.argv) not in (3, 4):
    sys.exit(__doc__)
sys.path.insert(0, sys.argv[2])
from pycpa import analysis, model, options, schedulers  # noqa: E402

logging.disable(logging.CRITICAL)
options.init_pycpa(implicit=True)
count = int(sys.argv[3]) if len(sys.argv) == 4 else 200
rng = random.Random(1)
drawn = [draw(rng) for _ in range(count)]

start = time.perf_counter()
expected = [pycpa_bounds(tasks) for tasks in drawn]
slow = time.perf_counter() - start

lines = "".join(json.dumps(system(tasks)) + "\n" for tasks in drawn)
start = time.perf_counter()
command = [sys.argv[1], "test", "-", "--format", "json", "--response-times", "--threads", "1"]
answers = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
fast = time.perf_counter() - start
found = [json.loads(line)["response_times_ns"] for line in answers.stdout.splitlines()]
if len(found) != count:
    sys.exit(answers.stderr or "gpusched gave fewer answers than systems")

bounds = different = beyond = 0
for tasks, ours, theirs in zip(drawn, found, expected):
    for (period, _, _), own, other in zip(tasks, ours, theirs):
        # gpusched states no bound above the period.
        beyond += own is None and other > period
        bounds += own is not None
        different += own != (None if other > period else other * 1000)
print(f"{count} systems: {bounds} bounds, {beyond} tasks without a bound, {different} differences")
print(f"pyCPA {count / slow:.0f} systems/s, gpusched {count / fast:.0f} systems/s, ratio {slow / fast:.0f}")
sys.exit(different > 0)
