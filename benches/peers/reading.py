"""Reads a file argv[2] times. Prints the processor time of all runs [ns], and what the last run found: the number of tasks and the sum
of their periods, or the number of kernels and the sum of their durations [ns]."""

import json
import sqlite3
import sys
import time


def sets(path):
    with open(path) as lines:
        tasks = [task for line in lines for task in json.loads(line)["tasks"]]
    return len(tasks), sum(task["period"] for task in tasks)


def kineto(path):
    with open(path) as file:
        events = json.load(file)["traceEvents"]
    kernels = [event for event in events if event["cat"] == "kernel"]
    return len(kernels), sum(round(1000 * kernel["dur"]) for kernel in kernels)


def nsys(path):
    query = """SELECT start, "end", deviceId, contextId, streamId, value
               FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON demangledName = id"""
    kernels = sqlite3.connect(path).execute(query).fetchall()
    return len(kernels), sum(kernel[1] - kernel[0] for kernel in kernels)


_, path, runs, kind = sys.argv
start = time.process_time_ns()
for _ in range(int(runs)):
    found = globals()[kind](path)
print(time.process_time_ns() - start, *found)
