"""The commands of gpusched as functions. tools/commands.py writes this file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Optional, Union

from ._call import Command, joined, pairs
from ._own import Algorithm
from .results import Figure, Measurement, Plan, Report, Result, Table, Verdict, results
from .tasks import TaskSet, TaskSets, task_sets

Path = Union[str, "os.PathLike[str]"]
#: A path, or the content of the file: an object of this module, a mapping, a table of pandas, or a text of several lines.
Document = Any
#: A text, such as a time with unit ("2.5us"), a number, or a document.
Value = Any
Policy = Literal[
    "edf", "np-edf", "lp-edf", "np-fifo", "concurrent", "dm", "rm", "fp-given", "fp-audsley", "np-fp",
    "np-fp-rm", "np-fp-given", "np-fp-audsley", "lp-fp", "lp-fp-rm", "lp-fp-given", "lp-fp-audsley", "density",
    "hyperbolic", "liu-layland", "work-capacity", "work-capacity-deadline",
]
Interference = Literal[
    "conflict", "none", "conflict+bandwidth", "bandwidth", "conflict+memory-time", "memory-time",
]
Granularity = Literal[
    "sm", "tpc", "gpc", "green-context", "mps", "mig",
]
Heuristic = Literal[
    "fewest-sms", "bf", "1g", "one-per-partition", "ffd", "wfd", "savings", "matching", "auto", "optimal",
]
As = Literal[
    "libsmctrl", "mps", "mps-v3", "mig", "green-context", "csv", "simso", "schedcat",
]
Pattern = Literal[
    "front", "back", "uniform", "random", "adversarial",
]
Dispatch = Literal[
    "fifo", "np-edf", "np-fp", "np-fp-rm", "np-fp-given",
]
Model = Literal[
    "fluid", "masola", "masola-repaired", "masola-penalty", "naive",
]
Scheduler = Literal[
    "lrr", "gto", "oldest", "rt-paws", "qaws", "rt-paws-by-priority", "qaws-by-budget", "rt-paws-printed",
    "qaws-printed",
]


def generate(
    *,
    tasks: Optional[int] = None,
    utilization: Optional[float] = None,
    count: Optional[int] = None,
    generator: Optional[Literal["uunifast-discard", "randfixedsum"]] = None,
    cap: Optional[float] = None,
    periods: Value = None,
    wcet: Optional[Literal["amdahl", "proportional"]] = None,
    memory_share: Optional[float] = None,
    deadline: Value = None,
    jitter: Value = None,
    compute_serial: Value = None,
    memory_serial: Value = None,
    compute_conflict: Value = None,
    memory_conflict: Value = None,
    blocks: Optional[int] = None,
    saturation: Optional[int] = None,
    study: Document = None,
    point: Optional[int] = None,
    variant: Value = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> TaskSets:
    """Generate random task sets.

    Args:
        tasks: Number of tasks in each set.
        utilization: Total utilization of each set: the sum of work/period of all tasks.
        count: Number of sets.
        generator: Distribution of the utilization among the tasks. ``uunifast-discard``: UUniFast, which discards
            vectors with a share above the cap (Bini & Buttazzo; Davis & Burns). ``randfixedsum``: RandFixedSum,
            which discards no vector and permits every cap (Stafford; Emberson, Stafford & Davis).
        cap: Largest utilization of one task [default: no limit].
        periods: Period distribution, e.g., log-uniform:10ms:1s. One of singh21, waters2015 (automotive engine
            control), uniform:MIN:MAX, log-uniform:MIN:MAX, harmonic:MIN:MAX (MIN times powers of two) and
            list:T1,T2,... (equal probability).
        wcet: Form of the WCET functions. ``amdahl``: C(m) = k·(a/m + β·a), [Singh21] §3.6.1 as printed.
            ``proportional``: C(m) = k·a·(1 + β)/m, a second interpretation of [Singh21] §3.6.
        memory_share: Probability of a memory-intensive task [default: 0.5].
        deadline: Relative deadline as a multiple of the period [default: 0.75]. A number, or a distribution:
            uniform:MIN:MAX, triangular:MIN:MODE:MAX, normal:MEAN:STD:MIN:MAX (truncated) or
            beta:ALPHA:BETA:MIN:MAX. Each task draws its own value.
        jitter: Release jitter, below the deadline, as a multiple of the period [default: 0]. A number or a
            distribution, as for --deadline.
        compute_serial: Serial fraction of compute-intensive kernels, a number or a distribution [default: 0.02].
        memory_serial: Serial fraction of memory-intensive kernels, a number or a distribution [default: 0.1].
        compute_conflict: Conflict factor of compute-intensive kernels, a number or a distribution [default: 1.2].
        memory_conflict: Conflict factor of memory-intensive kernels, a number or a distribution [default: 2.3].
        blocks: Number of equal thread blocks of each kernel [default: none]. Adds the field `block` to each task:
            the longest time without preemption. The value is the conflict WCET on one SM, C(1), divided by N and
            rounded up to whole nanoseconds. The division assumes one running block per SM. If s blocks run
            concurrently on one SM, divide N by s.
        saturation: Number of SMs on which a memory-intensive kernel uses 100 GB/s [default: no traffic]. Adds the
            fields `traffic` and `bandwidth` (peak) to each task. Analyze the generated sets with --interference
            conflict+bandwidth and --memory-bandwidth 100GB/s.
        study: Study (TOML) whose generator, or whose own program, generates the sets. The first sets equal the sets
            of `study sets`. ``seed`` replaces the seed of the study.
        point: Index of the point of the study, from 0; the column `point` of the results.
        variant: Analysis variant whose WCET functions the sets have [default: the first of the study].
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["generate"],
        [],
        {
            "tasks": tasks,
            "utilization": utilization,
            "count": count,
            "generator": generator,
            "cap": cap,
            "periods": periods,
            "wcet": wcet,
            "memory-share": memory_share,
            "deadline": deadline,
            "jitter": jitter,
            "compute-serial": compute_serial,
            "memory-serial": memory_serial,
            "compute-conflict": compute_conflict,
            "memory-conflict": memory_conflict,
            "blocks": blocks,
            "saturation": saturation,
            "study": study,
            "point": point,
            "variant": variant,
            "threads": threads,
            "seed": seed,
        },
    )
    return task_sets(command)


def test(
    task_set: Document,
    *,
    sms: Optional[int] = None,
    gpu: Value = None,
    policy: Optional[Policy] = None,
    interference: Optional[Interference] = None,
    memory_bandwidth: Value = None,
    arbitration: Optional[Literal["any", "max-min"]] = None,
    memory_rates: Value = None,
    memory_time: Optional[Literal["universal", "balanced", "own-drain"]] = None,
    variation: Optional[int] = None,
    own_l2: bool = False,
    camping_limit: Optional[int] = None,
    overheads: Value = None,
    response_times: bool = False,
    enforce: bool = False,
    sensitivity: bool = False,
    time_slice: Value = None,
    switch: Value = None,
    overrun: Value = None,
    idle: Optional[Literal["skip", "wait", "fixed"]] = None,
    turns: Optional[int] = None,
    contexts: Optional[int] = None,
    turn_tests: Optional[int] = None,
    system: Optional[Path] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Verdict:
    """Test whether tasks meet their deadlines in one partition of the GPU.

    Args:
        task_set: One task set (JSON) or many (JSONL, one per line), or an end-to-end system; `-` is standard input.
        sms: Number of SMs of the GPU, as an alternative to ``gpu``.
        gpu: GPU to partition: a name that `gpusched gpus` lists, or a device file.
        policy: Policy and its test [default: np-edf]. Without preemption: `np-edf` (earliest deadline first),
            `np-fifo` (first in, first out), `np-fp` (deadline-monotonic), `np-fp-rm` (rate-monotonic),
            `np-fp-given` (task order), `np-fp-audsley`. Kernels that run together: `concurrent`. With preemption
            between thread blocks, sufficient tests: `lp-edf`, `lp-fp`, `lp-fp-rm`, `lp-fp-given`, `lp-fp-audsley`.
            With free preemption, as no GPU offers: `edf`, `dm`, `rm`, `fp-given`, `fp-audsley`; sufficient:
            `density`, `hyperbolic`, `liu-layland`. Necessary: `work-capacity`, `work-capacity-deadline`.
        interference: Interference model [default: conflict]. Selects which contention the analysis counts. With
            `concurrent`, the default is `none`. All other tests assume that at most one kernel of a partition runs
            at a time. The page docs/explanation/conflict.md explains which model fits, and what to measure.
            ``conflict``: Tasks of the same kind in one partition have the WCET in conflict Cᶜ. All other tasks have
            the isolated WCET Cⁿ. ``none``: Tasks do not contend. Every task has the isolated WCET Cⁿ.
            ``conflict+bandwidth``: The model `conflict`, plus delays by the memory traffic of other partitions.
            ``bandwidth``: The model `none`, plus delays by the memory traffic of other partitions.
            ``conflict+memory-time``: The model `conflict`, plus delays by memory times of jobs in other partitions.
            ``memory-time``: The model `none`, plus delays by memory times of jobs in other partitions.
        memory_bandwidth: Guaranteed memory bandwidth under load, e.g., 100GB/s. Required with `--interference
            bandwidth` and `conflict+bandwidth`. Measure the rate under all request mixes and use the minimum. The
            peak from the data sheet is unsafe.
        arbitration: Memory arbiter [default: any]. `any`: any work-conserving arbiter. `max-min`: an arbiter with
            max-min fairness.
        memory_rates: Measured rates of L2 and DRAM. A result of `simulate profile --stress`. Required with
            memory-time models.
        memory_time: Form of the rates [default: universal]. With ``memory_rates``. `universal` is safest. All forms
            are only tested, with known counterexamples. ``universal``: Rates of requests that all go to one L2
            slice and one DRAM bank. ``balanced``: Rates of requests that go to all slices and banks at random.
            ``own-drain``: Balanced rates, but for each task at most its rates in isolation (`drain`).
        variation: Percentage added to WCETs, because times vary [default: 20]. Only with memory times and with
            `--policy concurrent`.
        own_l2: Assume own L2 ways for each partition, as in the WCETs.
        camping_limit: Refuse tasks that concentrate accesses on a part of the memory.
        overheads: Overheads of the dispatchers, if WCETs do not include them. The tests then use C' = C + o and J'
            = J + w, and a plan stores o and w. Only with `np-` and `lp-` policies, without memory traffic. In an
            end-to-end system, o and w apply to kernels, and each partition must have an `np-` policy.
        response_times: Also report response-time bounds under `edf`. Under fixed-priority policies, gpusched always
            reports response-time bounds.
        enforce: Release the segments of each job at fixed times, by timers. Only for end-to-end systems.
        sensitivity: Also report the largest factors by which WCETs may grow. Only for end-to-end systems.
        time_slice: Share the GPU by time slices of this length, e.g., 2ms; or choose from several. Each task has a
            context (a process) of its own, and the contexts take turns on all SMs. So the GPU has no partitions.
            With several lengths, such as `500us,1ms,5ms`, gpusched chooses one for each task. Only for task sets:
            an end-to-end system states the slices of its contexts.
        switch: Longest time to switch to another context, e.g., 200us.
        overrun: Longest time for which a kernel exceeds a slice [default: `block`, or the WCET]. By default, a
            kernel keeps the GPU for its longest thread block. If the task states no `block`, it keeps the GPU until
            its end. State 0ns if the GPU preempts kernels at any instruction, and add the time of the preemption to
            ``switch``.
        idle: Turns of tasks without kernels. The rule `fixed` is for virtual GPUs with fixed shares of time.
            ``skip``: Only contexts with kernels have turns. A turn ends early if its context has no kernel left.
            ``wait``: Each turn takes its whole slice, even without kernels. An overrun delays all later turns.
            ``fixed``: Turns start at fixed times. An overrun shortens the next turn.
        turns: Give a task up to N turns per round. gpusched chooses the number of turns of each task.
        contexts: Let tasks share contexts, with at most N contexts. By default, each task has its own context.
            gpusched chooses which tasks share a context. ``policy`` orders the kernels of a context: `np-fifo`
            (default), as in one CUDA stream, `np-edf`, `edf`, or fixed priorities. With `np-fp-audsley` and
            `fp-audsley`, gpusched also chooses the priorities.
        turn_tests: Stop the choice after N tests.
        system: Also write the system with its contexts, for `verify` and `simulate tasks`.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].

    Returns:
        The verdict. For several task sets: :class:`Results`.
    """
    command = Command(
        ["test"],
        [("task_set", task_set)],
        {
            "sms": sms,
            "gpu": gpu,
            "policy": policy,
            "interference": interference,
            "memory-bandwidth": memory_bandwidth,
            "arbitration": arbitration,
            "memory-rates": memory_rates,
            "memory-time": memory_time,
            "variation": variation,
            "own-l2": own_l2,
            "camping-limit": camping_limit,
            "overheads": overheads,
            "response-times": response_times,
            "enforce": enforce,
            "sensitivity": sensitivity,
            "time-slice": time_slice,
            "switch": switch,
            "overrun": overrun,
            "idle": idle,
            "turns": turns,
            "contexts": contexts,
            "turn-tests": turn_tests,
            "system": system,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Verdict, task_set)


def partition(
    task_set: Document,
    *,
    sms: Optional[int] = None,
    gpu: Value = None,
    policy: Optional[Policy] = None,
    interference: Optional[Interference] = None,
    memory_bandwidth: Value = None,
    arbitration: Optional[Literal["any", "max-min"]] = None,
    memory_rates: Value = None,
    memory_time: Optional[Literal["universal", "balanced", "own-drain"]] = None,
    variation: Optional[int] = None,
    own_l2: bool = False,
    camping_limit: Optional[int] = None,
    overheads: Value = None,
    granularity: Optional[Granularity] = None,
    heuristic: Union[Heuristic, Algorithm, None] = None,
    objective: Optional[Literal["sms", "feasible", "margin"]] = None,
    search_effort: Optional[int] = None,
    time_limit: Value = None,
    gap: Optional[int] = None,
    improve: bool = False,
    forbidden: Optional[Literal["ina", "act"]] = None,
    order: Optional[Literal["decreasing", "increasing"]] = None,
    sms_ties: Optional[Literal["saving", "position"]] = None,
    bf_measure: Optional[Literal["utilization", "demand"]] = None,
    bf_direction: Optional[Literal["ascending", "descending"]] = None,
    split: Optional[int] = None,
    traffic: Optional[Literal["all", "heed", "gather", "ignore"]] = None,
    sensitivity: bool = False,
    alternatives: bool = False,
    system: Optional[Path] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Plan:
    """Divide the SMs of a GPU among the tasks.

    Args:
        task_set: One task set (JSON) or many (JSONL, one per line), or an end-to-end system; `-` is standard input.
        sms: Number of SMs of the GPU, as an alternative to ``gpu``.
        gpu: GPU to partition: a name that `gpusched gpus` lists, or a device file.
        policy: Policy and its test [default: np-edf]. Without preemption: `np-edf` (earliest deadline first),
            `np-fifo` (first in, first out), `np-fp` (deadline-monotonic), `np-fp-rm` (rate-monotonic),
            `np-fp-given` (task order), `np-fp-audsley`. Kernels that run together: `concurrent`. With preemption
            between thread blocks, sufficient tests: `lp-edf`, `lp-fp`, `lp-fp-rm`, `lp-fp-given`, `lp-fp-audsley`.
            With free preemption, as no GPU offers: `edf`, `dm`, `rm`, `fp-given`, `fp-audsley`; sufficient:
            `density`, `hyperbolic`, `liu-layland`. Necessary: `work-capacity`, `work-capacity-deadline`.
        interference: Interference model [default: conflict]. Selects which contention the analysis counts. With
            `concurrent`, the default is `none`. All other tests assume that at most one kernel of a partition runs
            at a time. The page docs/explanation/conflict.md explains which model fits, and what to measure.
            ``conflict``: Tasks of the same kind in one partition have the WCET in conflict Cᶜ. All other tasks have
            the isolated WCET Cⁿ. ``none``: Tasks do not contend. Every task has the isolated WCET Cⁿ.
            ``conflict+bandwidth``: The model `conflict`, plus delays by the memory traffic of other partitions.
            ``bandwidth``: The model `none`, plus delays by the memory traffic of other partitions.
            ``conflict+memory-time``: The model `conflict`, plus delays by memory times of jobs in other partitions.
            ``memory-time``: The model `none`, plus delays by memory times of jobs in other partitions.
        memory_bandwidth: Guaranteed memory bandwidth under load, e.g., 100GB/s. Required with `--interference
            bandwidth` and `conflict+bandwidth`. Measure the rate under all request mixes and use the minimum. The
            peak from the data sheet is unsafe.
        arbitration: Memory arbiter [default: any]. `any`: any work-conserving arbiter. `max-min`: an arbiter with
            max-min fairness.
        memory_rates: Measured rates of L2 and DRAM. A result of `simulate profile --stress`. Required with
            memory-time models.
        memory_time: Form of the rates [default: universal]. With ``memory_rates``. `universal` is safest. All forms
            are only tested, with known counterexamples. ``universal``: Rates of requests that all go to one L2
            slice and one DRAM bank. ``balanced``: Rates of requests that go to all slices and banks at random.
            ``own-drain``: Balanced rates, but for each task at most its rates in isolation (`drain`).
        variation: Percentage added to WCETs, because times vary [default: 20]. Only with memory times and with
            `--policy concurrent`.
        own_l2: Assume own L2 ways for each partition, as in the WCETs.
        camping_limit: Refuse tasks that concentrate accesses on a part of the memory.
        overheads: Overheads of the dispatchers, if WCETs do not include them. The tests then use C' = C + o and J'
            = J + w, and a plan stores o and w. Only with `np-` and `lp-` policies, without memory traffic. In an
            end-to-end system, o and w apply to kernels, and each partition must have an `np-` policy.
        granularity: Unit of the partition sizes; requires ``gpu`` [default: finest unit with an export]. ``sm``:
            Partitions are arbitrary sets of SMs. ``tpc``: Partitions consist of whole TPCs. A TPC mask selects the
            TPCs of a partition. ``gpc``: Partitions consist of whole GPCs. ``green-context``: Partitions are CUDA
            green contexts. A green context has at least a minimum number of SMs, and its number of SMs is a
            multiple of a fixed step. ``mps``: Partitions are static SM partitions of MPS. A static SM partition
            consists of chunks, and all chunks have the same number of SMs. ``mig``: Partitions are MIG instances.
        heuristic: Search method [default: auto]. ``fewest-sms``: SMS of [Singh21], Algorithm 1: selects the merge
            whose union has the fewest SMs. ``bf``: BF of [Singh21], Algorithm 1: selects the first merge that
            succeeds. ``1g``: One partition that contains all tasks and all SMs. ``one-per-partition``: One
            partition per task, each with the smallest possible size (Lemma 2). ``ffd``: First-fit decreasing on
            partitions of equal size. ``wfd``: Worst-fit decreasing on partitions of equal size. ``savings``:
            Repeatedly merges the two partitions whose merge saves the most SMs. ``matching``: Repeatedly merges
            disjoint pairs of partitions that together save the most SMs. ``auto``: Best plan of `savings`,
            `matching` and `fewest-sms`, improved by local search. ``optimal``: Plan with the fewest SMs, found by
            branch and bound, and a proven lower bound. Or a function of yours: ``heuristic(tasks, sms)`` receives a
            :class:`TaskSet` and the number of SMs of the GPU. It returns ``False``, a list of partitions (mappings
            with ``sms`` and ``tasks``, the positions of the tasks), or a :class:`Plan`. gpusched tests the
            partitions.
        objective: Search objective [default: sms]. `sms`: a plan with the fewest SMs. `feasible`: the first plan
            that fits on the GPU. `margin`: a plan with the largest WCET margin. `margin` requires `auto` or
            `optimal`. `sms` and `feasible` also work with `savings`, `matching` and ``improve``.
        search_effort: Stop the search of `auto` or `optimal` after N schedulability tests. The default of `auto` is
            100000, or more for more than 50 tasks without memory traffic. The default of `optimal` is 10000000, or
            100000 with memory traffic. Also limits ``improve``.
        time_limit: Stop the search after TIME; the plan then depends on the speed of the machine.
        gap: Accepted optimality gap in SMs [default: 0]. `auto` and `optimal` stop at a plan that fits and is at
            most N SMs above the lower bound.
        improve: Improve the plan of the heuristic by local search.
        forbidden: Method of `fewest-sms` and `bf` to forbid merges [default: ina]. `ina` starts with an empty list
            of forbidden pairs, and adds each pair of partitions whose merge fails. `act` first tests each pair of
            tasks.
        order: Partition order in `fewest-sms`, `bf` [default: decreasing]. ``decreasing``: Decreasing utilization
            of each partition on its own SMs. ``increasing``: Increasing utilization of each partition on its own
            SMs.
        sms_ties: Choice of `fewest-sms` among merges with equally many SMs [default: saving]. ``saving``: The merge
            that saves more SMs. If the savings are equal, the first partner in the list. ``position``: The partner
            with the lowest task position.
        bf_measure: Measure that `bf` uses to order merges [default: utilization]. ``utilization``: Utilization: Σ
            C/T. ``demand``: Demand: Σ C, as printed in the paper.
        bf_direction: Order of merges in `bf` [default: ascending]. ``ascending``: Smaller values of U(P) are first,
            as printed in the paper. ``descending``: Larger values of U(P) are first, as in the usual best-fit rule.
        split: Number of partitions in `ffd` and `wfd` [default: smallest number that fits].
        traffic: How the search uses memory traffic [default: all]. Verdicts always count all traffic. `heed` also
            counts traffic in the search. `gather` puts tasks with much traffic together. `ignore` searches without
            traffic. `all` tries these three in this order.
        sensitivity: Also report WCET margins of tasks, spare SMs of partitions, and free SMs.
        alternatives: Also use the `alternatives` of tasks in an end-to-end system.
        system: Also write the end-to-end system with its partitions.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].

    Returns:
        The plan. For several task sets: :class:`Results`.
    """
    command = Command(
        ["partition"],
        [("task_set", task_set)],
        {
            "sms": sms,
            "gpu": gpu,
            "policy": policy,
            "interference": interference,
            "memory-bandwidth": memory_bandwidth,
            "arbitration": arbitration,
            "memory-rates": memory_rates,
            "memory-time": memory_time,
            "variation": variation,
            "own-l2": own_l2,
            "camping-limit": camping_limit,
            "overheads": overheads,
            "granularity": granularity,
            "heuristic": heuristic,
            "objective": objective,
            "search-effort": search_effort,
            "time-limit": time_limit,
            "gap": gap,
            "improve": improve,
            "forbidden": forbidden,
            "order": order,
            "sms-ties": sms_ties,
            "bf-measure": bf_measure,
            "bf-direction": bf_direction,
            "split": split,
            "traffic": traffic,
            "sensitivity": sensitivity,
            "alternatives": alternatives,
            "system": system,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Plan, task_set)


def verify(
    plan: Document,
    task_set: Document,
    *,
    search_effort: Optional[int] = None,
    identity: Optional[Literal["strict", "logical"]] = None,
    sms: Optional[int] = None,
    gpu: Value = None,
    granularity: Optional[Granularity] = None,
    memory_bandwidth: Value = None,
    arbitration: Optional[Literal["any", "max-min"]] = None,
    memory_rates: Value = None,
    memory_time: Optional[Literal["universal", "balanced", "own-drain"]] = None,
    variation: Optional[int] = None,
    own_l2: bool = False,
    interference: Optional[Interference] = None,
    overheads: Value = None,
    policy: Optional[Policy] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Check plans and their evidence with separate code.

    Args:
        plan: One plan (JSON) or many (JSONL), written by `partition --format json`; or the verdict of `test` or the
            budgets of `budget nominal --deadlines` for a system.
        task_set: Task sets of the plans, in the order of the plans; or an end-to-end system.
        search_effort: Examine at most N candidate partitions per lower bound [default: 30000000].
        identity: Comparison of the input with the identity in the result [default: strict]. `strict`: refuse a
            result that was computed for another input, such as a task set with other names. `logical`: list the
            differences, and check only what the evidence proves. A result without identity has no such check.
        sms: Number of SMs of the GPU, as an alternative to ``gpu``.
        gpu: GPU to partition: a name that `gpusched gpus` lists, or a device file.
        granularity: Expected granularity of the partitions. ``sm``: Partitions are arbitrary sets of SMs. ``tpc``:
            Partitions consist of whole TPCs. A TPC mask selects the TPCs of a partition. ``gpc``: Partitions
            consist of whole GPCs. ``green-context``: Partitions are CUDA green contexts. A green context has at
            least a minimum number of SMs, and its number of SMs is a multiple of a fixed step. ``mps``: Partitions
            are static SM partitions of MPS. A static SM partition consists of chunks, and all chunks have the same
            number of SMs. ``mig``: Partitions are MIG instances.
        memory_bandwidth: Expected guaranteed memory bandwidth, e.g., 100GB/s.
        arbitration: Expected memory arbiter. ``any``: Any work-conserving arbiter. ``max-min``: Max-min fair
            arbiter: if a partition does not receive all the bandwidth that it requests, no other partition receives
            more than this partition.
        memory_rates: Expected measured rates of L2 and DRAM, for memory times.
        memory_time: Expected form of the rates, for memory times. Counterexamples are known for each form. `verify`
            accepts a form as proof only if you state it here. ``universal``: Rates of requests that all go to one
            L2 slice and one DRAM bank. ``balanced``: Rates of requests that go to all slices and banks at random.
            ``own-drain``: Balanced rates, but for each task at most its rates in isolation (`drain`).
        variation: Expected percentage added to WCETs, for memory times and `concurrent`.
        own_l2: Assume own L2 ways for each partition, for memory times. Without this option, a plan that assumes
            such ways proves nothing.
        interference: Expected interference model. ``conflict``: Tasks of the same kind in one partition have the
            WCET in conflict Cᶜ. All other tasks have the isolated WCET Cⁿ. ``none``: Tasks do not contend. Every
            task has the isolated WCET Cⁿ. ``conflict+bandwidth``: The model `conflict`, plus delays by the memory
            traffic of other partitions. ``bandwidth``: The model `none`, plus delays by the memory traffic of other
            partitions. ``conflict+memory-time``: The model `conflict`, plus delays by memory times of jobs in other
            partitions. ``memory-time``: The model `none`, plus delays by memory times of jobs in other partitions.
        overheads: Expected bounds on the overheads of the dispatchers. The bounds in the plan must equal the bounds
            in the file. If the task set states `"times": "occupancy"`, the plan states an occupancy of 0.
        policy: Expected policy of every partition. The assumption of `concurrent` is only tested. `verify` accepts
            it only if you state this policy here. ``edf``: Earliest deadline first, preemptive: exact. ``np-edf``:
            Earliest deadline first, non-preemptive: exact. ``lp-edf``: Earliest deadline first, preemption at block
            boundaries: sufficient. ``np-fifo``: First in, first out, non-preemptive: exact. ``concurrent``: Kernels
            run together, each task in its own stream: exact for every division of the SMs. ``dm``:
            Deadline-monotonic priorities, preemptive: exact. ``rm``: Rate-monotonic priorities, preemptive: exact.
            ``fp-given``: Priorities in task order, first task highest, preemptive: exact. ``fp-audsley``: Optimal
            priorities (Audsley), preemptive: exact. ``np-fp``: Deadline-monotonic priorities, non-preemptive:
            exact. ``np-fp-rm``: Rate-monotonic priorities, non-preemptive: exact. ``np-fp-given``: Priorities in
            task order, first task highest, non-preemptive: exact. ``np-fp-audsley``: Optimal priorities (Audsley),
            non-preemptive: exact. ``lp-fp``: Deadline-monotonic priorities, preemption at block boundaries:
            sufficient. ``lp-fp-rm``: Rate-monotonic priorities, preemption at block boundaries: sufficient.
            ``lp-fp-given``: Priorities in task order, first task highest, preemption at block boundaries:
            sufficient. ``lp-fp-audsley``: Optimal priorities (Audsley), preemption at block boundaries: sufficient.
            ``density``: Σ C/min(T, D − J) ≤ 1: sufficient for edf. ``hyperbolic``: Π (C/T' + 1) ≤ 2: sufficient for
            preemptive priorities in the order of T' = min(T, D) − J. ``liu-layland``: Σ C/T' ≤ n·(2^(1/n) − 1):
            sufficient for the priorities of `hyperbolic`. ``work-capacity``: Σ C(1)/T ≤ m: necessary only (an
            interpretation of [Singh21] §3.6). ``work-capacity-deadline``: Σ C(1)/T ≤ m, and C(m) ≤ D for each task:
            necessary only.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["verify"],
        [("plan", plan), ("task_set", task_set)],
        {
            "search-effort": search_effort,
            "identity": identity,
            "sms": sms,
            "gpu": gpu,
            "granularity": granularity,
            "memory-bandwidth": memory_bandwidth,
            "arbitration": arbitration,
            "memory-rates": memory_rates,
            "memory-time": memory_time,
            "variation": variation,
            "own-l2": own_l2,
            "interference": interference,
            "overheads": overheads,
            "policy": policy,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def show(
    file: Document,
    *,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """State in words what a file is, and how to check it.

    Args:
        file: File of gpusched in any format of `gpusched schema`, recording, study, or results folder of a study.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["show"],
        [("file", file)],
        {
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def what_if(
    plan: Document,
    task_set: Document,
    *,
    sms: Optional[int] = None,
    gpu: Value = None,
    granularity: Optional[Granularity] = None,
    scale: Value = None,
    add: Document = None,
    move: Value = None,
    new_plan: Optional[Path] = None,
    new_set: Optional[Path] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Show what a change of the GPU, the tasks or the WCETs does to a plan.

    Args:
        plan: Plan file, written by `partition --format json`.
        task_set: Task set of the plan.
        sms: Number of SMs of the GPU, as an alternative to ``gpu``.
        gpu: GPU to partition: a name that `gpusched gpus` lists, or a device file.
        granularity: Unit of the partition sizes; requires ``gpu`` [default: finest unit with an export]. ``sm``:
            Partitions are arbitrary sets of SMs. ``tpc``: Partitions consist of whole TPCs. A TPC mask selects the
            TPCs of a partition. ``gpc``: Partitions consist of whole GPCs. ``green-context``: Partitions are CUDA
            green contexts. A green context has at least a minimum number of SMs, and its number of SMs is a
            multiple of a fixed step. ``mps``: Partitions are static SM partitions of MPS. A static SM partition
            consists of chunks, and all chunks have the same number of SMs. ``mig``: Partitions are MIG instances.
        scale: Multiply all WCETs of SET by FACTOR, e.g., 1.2. Without this option, WCETs stay as they are, also on
            another GPU. FACTOR is your statement: gpusched does not know how fast kernels are on another GPU.
        add: Task set with further tasks.
        move: Partitions whose tasks may move: numbers such as 0,2, or `all` [default: none]. Only on the GPU of the
            plan, with the granularity of the plan. On another GPU, all tasks may move.
        new_plan: Also write the new plan.
        new_set: Also write the task set of the new plan.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["what-if"],
        [("plan", plan), ("task_set", task_set)],
        {
            "sms": sms,
            "gpu": gpu,
            "granularity": granularity,
            "scale": scale,
            "add": add,
            "move": move,
            "new-plan": new_plan,
            "new-set": new_set,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def export(
    plan: Document,
    task_set: Document = None,
    *,
    as_: As,
    gpu: Value = None,
    sms: Optional[int] = None,
    unit: Optional[Literal["ns", "us", "ms", "s"]] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> str:
    """Export a plan for tools that divide a GPU, or a task set for other tools.

    Args:
        plan: Plan file, written by `partition --gpu NAME --format json`; or only a task set.
        task_set: Task set of the plan.
        as_: Tool that uses the plan, or the task set. `csv`, `simso` and `schedcat` also export a task set without
            a plan. ``libsmctrl``: Masks of disabled TPCs, as a C header for libsmctrl. ``mps``: Static SM
            partitions of MPS v2 and their processes, as a shell script. ``mps-v3``: Static SM partitions of MPS v3
            and their processes, as a shell script with a file in TOML. ``mig``: MIG instances and their processes,
            as a shell script. ``green-context``: CUDA green contexts and dispatchers, as a C++ header. ``csv``:
            Table of partitions, as CSV. ``simso``: Configuration with all tasks on one processor, as XML for SimSo.
            ``schedcat``: Task set, as XML for SchedCAT.
        gpu: GPU that must equal the GPU of the plan: a name or a device file.
        sms: Number of SMs of the exported WCETs. Required for `simso` and `schedcat`, whose tasks have one WCET:
            the WCET of a single partition with all tasks. With `csv`, the table has WCETs on 1 to N SMs instead of
            the parameters of WCET functions.
        unit: Unit of the times for `schedcat` [default: us]. ``ns``: Nanoseconds. ``us``: Microseconds, as the
            examples of SchedCAT. ``ms``: Milliseconds. ``s``: Seconds.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["export"],
        [("plan", plan), *([] if task_set is None else [("task_set", task_set)])],
        {
            "as": as_,
            "gpu": gpu,
            "sms": sms,
            "unit": unit,
            "threads": threads,
            "seed": seed,
        },
    )
    return command.run()[1].decode()


def run(
    plan: Document,
    task_set: Document,
    *,
    backend: Optional[Literal["cuda", "simulated"]] = None,
    duration: Value = None,
    overheads: Value = None,
    ring: Document = None,
    shortest: Value = None,
    execution: Optional[Union[Mapping[str, Any], Sequence[str], str]] = None,
    overrun: Optional[Literal["record", "skip-next", "abort"]] = None,
    fault: Optional[Union[Mapping[str, Any], Sequence[str], str]] = None,
    reserve: Value = None,
    spin: Value = None,
    fifo_priority: Value = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Run a plan on a GPU or in virtual time.

    Args:
        plan: Plan file, written by `partition --policy np-edf --format json`.
        task_set: Task set of the plan.
        backend: Where the jobs run. ``cuda``: On the first GPU, through the CUDA driver. Each partition is a green
            context. ``simulated``: In virtual time, without a GPU.
        duration: Time after which no job arrives.
        overheads: Bounds on the overheads of the dispatcher. gpusched tests each partition again: C' = C + o and J'
            = J + w. If the plan states overheads, the bounds in FILE must not be larger, and the run uses the
            bounds of the plan. Without FILE and without overheads in the plan, the WCETs include the overheads.
        ring: File that receives each record at once, for a run that may be killed. The file has a place of 64 bytes
            for each job or chunk, and disappears when the result is written. If the run is killed, `recording
            recover` writes the trace of all complete records. Choose a file system in memory, such as /dev/shm, if
            the disk may delay the dispatchers.
        shortest: Shortest execution time as a share of the WCET.
        execution: Execution time of one job, e.g., `lidar#3=2ms`; may be repeated. The time may exceed the WCET, to
            show the effect of an overrun.
        overrun: Consequence of a job that exceeds its budget. The job itself continues, because a GPU cannot stop a
            kernel. ``record``: The trace records the overrun, and all jobs run. ``skip-next``: The next job of the
            task does not run. ``abort``: The run ends when the job has completed.
        fault: Fault of one job, e.g., `lidar#3=fails`; may be repeated. Only with `--backend simulated`.
            `late-end:TIME`: the dispatcher observes the end late. `late-wake:TIME`: it wakes up late for the job.
            `fails`: the job fails. `no-launch`: its launch fails. `lost`: it ends the context of all partitions.
            `endless`: it never ends. `suspend:TIME`: the computer sleeps while the job runs.
        reserve: Part of each execution time for launch and detection [default: 100us]. Only with `--backend cuda`.
            The kernel of a job lasts for the execution time minus this time.
        spin: Time before an arrival from which an idle dispatcher spins [default: 100us]. Only with `--backend
            cuda`. Before, the dispatcher sleeps, and the system may wake it late. With a time longer than all
            periods, it never sleeps.
        fifo_priority: Real-time priority of the dispatchers (SCHED_FIFO); 0 for none [default: 50]. Only with
            `--backend cuda`.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["run"],
        [("plan", plan), ("task_set", task_set)],
        {
            "backend": backend,
            "duration": duration,
            "overheads": overheads,
            "ring": ring,
            "shortest": shortest,
            "execution": pairs(execution),
            "overrun": overrun,
            "fault": pairs(fault),
            "reserve": reserve,
            "spin": spin,
            "fifo-priority": fifo_priority,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def measure_kernel(
    program: Document = None,
    *,
    backend: Optional[Literal["cuda", "simulated"]] = None,
    plugin: Document = None,
    machine: Value = None,
    clocks_locked: bool = False,
    date: Value = None,
    sms: Value = None,
    samples: Optional[int] = None,
    cold: bool = False,
    other: Optional[Union[Document, Sequence[Document]]] = None,
    contention: Optional[Literal["alternate", "concurrent"]] = None,
    exceedance: Optional[float] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Measurement:
    """Measure the times of a kernel on several numbers of SMs.

    Args:
        program: Program (JSON) or Accel-Sim trace (`.traceg`) of the kernel. Only with `--backend simulated`.
        backend: Where the kernel runs. ``cuda``: On the first GPU, through the CUDA driver. Each partition is a
            green context. ``simulated``: In virtual time, without a GPU.
        plugin: Shared library with the kernel. Only with `--backend cuda`. The library exports `int
            gs_measure_job(void *stream)`, which enqueues one job on `stream` and returns 0.
        machine: Simulated GPU: a name or a file. Only with `--backend simulated`.
        clocks_locked: State in the result that the clocks of the GPU are locked. Only with `--backend cuda`.
            gpusched never changes clocks, and it cannot see whether they are locked.
        date: Date of the measurement for the result, e.g., 2026-11-27. gpusched never reads the date from the clock
            of the computer, so equal measurements of a simulated GPU have equal results.
        sms: Numbers of SMs, e.g., 8,16,32 or 8..32:8 [default: all that the GPU grants].
        samples: Number of jobs of each series [default: 100; 10 with --backend simulated]. On a GPU, each series
            starts with three more jobs whose times do not count.
        cold: Also measure each number of SMs with cold caches.
        other: Kernel that shares the partition, in the form of the measured kernel; may be repeated. Use kernels of
            the same kind: compute-intensive or memory-intensive. Their rows have the contention `conflict`.
        contention: How the other kernels contend. ``alternate``: Each sample directly follows a job of the other
            kernel, as under a dispatcher that runs one job at a time. ``concurrent``: Both kernels run at the same
            time on the same SMs, as in the measurements of [Singh21]. For a partition that runs one job at a time,
            this is pessimistic.
        exceedance: Also fit the time that one job exceeds with this probability, such as 1e-9. The fit assumes
            independent jobs. gpusched omits it if the jobs depend on each other, if their times drift, and if there
            are too few jobs.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["measure", "kernel"],
        [*([] if program is None else [("program", program)])],
        {
            "backend": backend,
            "plugin": plugin,
            "machine": machine,
            "clocks-locked": clocks_locked,
            "date": date,
            "sms": sms,
            "samples": samples,
            "cold": cold,
            "other": other,
            "contention": contention,
            "exceedance": exceedance,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Measurement)


def measure_interference(
    program: Document = None,
    *,
    beside: Value,
    backend: Optional[Literal["cuda", "simulated"]] = None,
    plugin: Document = None,
    machine: Value = None,
    clocks_locked: bool = False,
    date: Value = None,
    sms: Value = None,
    samples: Optional[int] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Measure how kernels on other SMs delay a kernel.

    Args:
        program: Program (JSON) or Accel-Sim trace (`.traceg`) of the kernel. Only with `--backend simulated`.
        beside: Kernel that runs on the other SMs: a file or built-in kernels, e.g., dram-read,l2-write. May be
            repeated. A file has the form of the measured kernel. The built-in kernels `dram-read`, `dram-write`,
            `l2-read` and `l2-write` load one part of the memory. The kernel runs again and again, until the
            measured jobs end. On a GPU, its next jobs wait in the stream while a job runs, so it pauses only if its
            jobs are shorter than their launch.
        backend: Where the kernel runs. ``cuda``: On the first GPU, through the CUDA driver. Each partition is a
            green context. ``simulated``: In virtual time, without a GPU.
        plugin: Shared library with the kernel. Only with `--backend cuda`. The library exports `int
            gs_measure_job(void *stream)`, which enqueues one job on `stream` and returns 0.
        machine: Simulated GPU: a name or a file. Only with `--backend simulated`.
        clocks_locked: State in the result that the clocks of the GPU are locked. Only with `--backend cuda`.
            gpusched never changes clocks, and it cannot see whether they are locked.
        date: Date of the measurement for the result, e.g., 2026-11-27. gpusched never reads the date from the clock
            of the computer, so equal measurements of a simulated GPU have equal results.
        sms: Numbers of SMs of the measured kernel, e.g., 8,16,32 or 8..32:8 [default: all that the GPU grants].
        samples: Number of jobs of each series [default: 100; 10 with --backend simulated]. On a GPU, each series
            starts with three more jobs whose times do not count.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["measure", "interference"],
        [*([] if program is None else [("program", program)])],
        {
            "beside": beside,
            "backend": backend,
            "plugin": plugin,
            "machine": machine,
            "clocks-locked": clocks_locked,
            "date": date,
            "sms": sms,
            "samples": samples,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def measure_overhead(
    *,
    sms: Value,
    backend: Optional[Literal["cuda", "simulated"]] = None,
    duration: Value = None,
    period: Value = None,
    margin: Optional[int] = None,
    cost: Value = None,
    wake_cost: Value = None,
    spin: Value = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Measure the overheads of dispatchers, and bound them with a margin.

    Args:
        sms: Sizes of the partitions whose dispatchers run at the same time, e.g., 8,8,16.
        backend: Where the dispatchers run. ``cuda``: On the first GPU, through the CUDA driver. Each partition is a
            green context. ``simulated``: In virtual time, without a GPU.
        duration: Time after which no job arrives.
        period: Shortest period of the jobs of a dispatcher.
        margin: Percentage that the bounds add to the longest measured overhead.
        cost: Longest overhead of a job in virtual time [default: 20us]. Only with `--backend simulated`. The
            simulated dispatchers draw their overheads up to this time.
        wake_cost: Longest delay of a wake-up in virtual time [default: 10us]. Only with `--backend simulated`.
        spin: Time before an arrival from which an idle dispatcher spins [default: 100us]. Only with `--backend
            cuda`. State the value that you use for `run`.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["measure", "overhead"],
        [],
        {
            "sms": sms,
            "backend": backend,
            "duration": duration,
            "period": period,
            "margin": margin,
            "cost": cost,
            "wake-cost": wake_cost,
            "spin": spin,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def measure_device(
    *,
    name: Value = None,
    observations: Optional[Path] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Measure the partitions, TPCs and GPCs of a GPU, and write a device file.

    Args:
        name: Name of the device in the file [default: from the name of the GPU].
        observations: Also write what the kernels observed, to a JSON file. The file contains SM ids, sets of SMs
            that ran clusters together, and rates of L2 and DRAM by number of SMs. It also contains times of
            launches, the step of the timer, the start of a kernel with priority, and time slices of two contexts.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["measure", "device"],
        [],
        {
            "name": name,
            "observations": observations,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def measure_platform(
    *,
    name: Value = None,
    cores_per_sm: Optional[int] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Measure the limits and the order of the SMs of a GPU, and write a platform file.

    Args:
        name: Name of the platform in the file [default: from the name of the GPU].
        cores_per_sm: Number of CUDA cores of one SM [default: from the compute capability].
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["measure", "platform"],
        [],
        {
            "name": name,
            "cores-per-sm": cores_per_sm,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def wcet_cluster(
    traces: Optional[Union[Document, Sequence[Document]]] = None,
    *,
    isolated: Optional[Union[Document, Sequence[Document]]] = None,
    interference: Optional[Union[Document, Sequence[Document]]] = None,
    trace_format: Optional[Literal["csv", "jsonl", "examiner", "neutrino"]] = None,
    kernel: Value = None,
    sm_clock: Value = None,
    active_blocks: Optional[int] = None,
    regulation_period: Value = None,
    alpha: Optional[float] = None,
    max_clusters: Optional[int] = None,
    samples: Optional[int] = None,
    estimate: Optional[Literal["max", "gev", "gpd"]] = None,
    exceedance: Optional[float] = None,
    name: Value = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Compute the profile of a kernel from measured times of its thread blocks.

    Args:
        traces: Trace with a column q (0 isolated, 1 interference); `-` is standard input.
        isolated: Trace of runs in isolation; may be repeated.
        interference: Trace of runs under unregulated memory traffic; may be repeated.
        trace_format: Format of all traces [default: from file ending and content]. ``csv``: Comma-separated values
            with a header. ``jsonl``: One JSON object per line, whose fields are the CSV columns. ``examiner``:
            Output of cuda_scheduling_examiner. ``neutrino``: Output of the tool `block_sched` of Neutrino: one
            execution of a kernel.
        kernel: Name of the kernel in files of cuda_scheduling_examiner.
        sm_clock: Smallest clock frequency of the SMs during the runs, such as 1410MHz. Only files of Neutrino
            require it, because they state times in cycles. A frequency above the real one is unsafe.
        active_blocks: Number M of concurrent blocks on the whole GPU [default: maximum in the trace].
        regulation_period: Regulation period T of best-effort memory traffic.
        alpha: Probability that clustering separates blocks with equal distributions.
        max_clusters: Maximum number of clusters.
        samples: Largest number of measurements to compare, per block and interference level.
        estimate: Method for the WCETs e0 and e1: longest measured time, or extreme-value fit. ``max``: Longest
            measured time. ``gev``: Generalized extreme value distribution of block maxima. ``gpd``: Generalized
            Pareto distribution of times over a threshold.
        exceedance: Probability that a block exceeds e0 or e1, for gev and gpd [default: 1e-9].
        name: Name of the kernel in the profile.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["wcet", "cluster"],
        [*([] if traces is None else [("traces", traces)])],
        {
            "isolated": isolated,
            "interference": interference,
            "trace-format": trace_format,
            "kernel": kernel,
            "sm-clock": sm_clock,
            "active-blocks": active_blocks,
            "regulation-period": regulation_period,
            "alpha": alpha,
            "max-clusters": max_clusters,
            "samples": samples,
            "estimate": estimate,
            "exceedance": exceedance,
            "name": name,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def wcet_synth(
    kernel: Document,
    *,
    runs: Optional[int] = None,
    intervals: Optional[int] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Table:
    """Generate a trace of block times from the profile of a kernel.

    Args:
        kernel: Profile with distributions (JSON); `-` is standard input.
        runs: Number of runs at each level: in isolation and under interference.
        intervals: Number of intervals [default: as in the profile, or one per cluster]. The generated kernel
            consists of K intervals of blocks. gpusched assigns the intervals to the clusters in turn.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["wcet", "synth"],
        [("kernel", kernel)],
        {
            "runs": runs,
            "intervals": intervals,
            "threads": threads,
            "seed": seed,
        },
    )
    return Table(command.run()[1])


def wcet_profile(
    benchmarks: Document,
    *,
    benchmark: Value,
    active_blocks: Optional[int] = None,
    regulation_period: Value = None,
    slowdown: Value = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Generate a synthetic kernel with the published values of a benchmark.

    Args:
        benchmarks: Benchmarks with published values (JSON); `-` is standard input.
        benchmark: Name of the benchmark.
        active_blocks: Number M of concurrent blocks on the whole GPU.
        regulation_period: Regulation period T of best-effort memory traffic.
        slowdown: Slowdown (G(Q) − G(0))/G(0) of the kernel under the published budget Q.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["wcet", "profile"],
        [("benchmarks", benchmarks)],
        {
            "benchmark": benchmark,
            "active-blocks": active_blocks,
            "regulation-period": regulation_period,
            "slowdown": slowdown,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def wcet_bound(
    kernel: Document,
    *,
    q: Value,
    sync: bool = False,
    straddling: Optional[Literal["end", "both"]] = None,
    solver: Optional[Literal["exact", "lp", "both"]] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Bound the execution time of a kernel under a memory bandwidth budget.

    Args:
        kernel: One kernel (JSON) or many (JSONL, one per line); `-` is standard input.
        q: Budget Q of best-effort cores, as a share of each regulation period, 0 to 1.
        sync: Assume that kernel and regulation period start together [default: at any time].
        straddling: Which partial overlaps of a block with best-effort memory access count as delays. Memory time is
            the time when best-effort cores access memory. `end` follows Eq. 10 of [Aghilinasab20]. `end` is safe if
            blocks slow down only during memory time. Only `both` is safe if a partial overlap may extend a block to
            e1, its WCET under interference.
        solver: Solver of the linear program. `both` compares the solvers `exact` and `lp`. If their results differ,
            the exit code is 3.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["wcet", "bound"],
        [("kernel", kernel)],
        {
            "q": q,
            "sync": sync,
            "straddling": straddling,
            "solver": solver,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def wcet_curve(
    kernel: Document,
    *,
    from_: Value = None,
    to: Value = None,
    steps: Optional[int] = None,
    sync: bool = False,
    straddling: Optional[Literal["end", "both"]] = None,
    svg: Optional[Path] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Bound the execution time of a kernel for many budgets.

    Args:
        kernel: One kernel (JSON) or many (JSONL, one per line); `-` is standard input.
        from_: Smallest budget Q.
        to: Largest budget Q.
        steps: Number of steps from the smallest to the largest budget.
        sync: Assume that kernel and regulation period start together [default: at any time].
        straddling: Which partial overlaps of a block with best-effort memory access count as delays. Memory time is
            the time when best-effort cores access memory. `end` follows Eq. 10 of [Aghilinasab20]. `end` is safe if
            blocks slow down only during memory time. Only `both` is safe if a partial overlap may extend a block to
            e1, its WCET under interference.
        svg: Also draw the curves, to an SVG file.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["wcet", "curve"],
        [("kernel", kernel)],
        {
            "from": from_,
            "to": to,
            "steps": steps,
            "sync": sync,
            "straddling": straddling,
            "svg": svg,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def wcet_verify(
    bound: Document,
    kernel: Document,
    *,
    identity: Optional[Literal["strict", "logical"]] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Check bounds and their certificates with separate code.

    Args:
        bound: One bound (JSON) or many (JSONL), written by `wcet bound --format json`.
        kernel: Kernels of the bounds, in the order of the bounds.
        identity: Comparison of the input with the identity in the result [default: strict]. `strict`: refuse a
            result that was computed for another input, such as a task set with other names. `logical`: list the
            differences, and check only what the evidence proves. A result without identity has no such check.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["wcet", "verify"],
        [("bound", bound), ("kernel", kernel)],
        {
            "identity": identity,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def wcet_fit(
    points: Document,
    *,
    form: Optional[Literal["envelope", "table"]] = None,
    epsilon: Value = None,
    period: Value = None,
    svg: Optional[Path] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Fit a WCET function C(m) to measurements; m is the number of SMs.

    Args:
        points: Measurements (CSV); `-` is standard input. The columns are `sms`, one of `time_ns`, `time_us`,
            `time_ms` and `time_s`, and optionally `contention` with the values `isolated` and `conflict`. The
            column `kernel` is the name of the kernel. The columns `gpu`, `gpu_sms` and `tool` state where the times
            were measured. The columns `gpu_ns`, `cache`, `beside`, `other` and `sample` describe single jobs. C(m)
            is at least the time of each job, with warm and with cold caches. The column `times` states what the
            times include: `gpu` or `occupancy`.
        form: Form of the WCET function [default: envelope; table with --period]. `envelope` is the smallest
            function a/m + b that no measurement exceeds. `table` is the monotone table of the measurements, without
            extrapolation.
        epsilon: Smallest time reduction that makes more SMs useful, as a share between 0 and 0.25.
        period: Print a task set that contains one task with this period. The task contains the WCET function and
            its source, and the name in the column `kernel`. It also contains `kind`, `traffic`, `block` and
            `measured_on` if the measurements show them. Without `kind`, `traffic` and `block`, the analysis makes
            safe assumptions.
        svg: Also draw the speed-up over the number of SMs, to an SVG file.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["wcet", "fit"],
        [("points", points)],
        {
            "form": form,
            "epsilon": epsilon,
            "period": period,
            "svg": svg,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def budget_nominal(
    kernel: Document,
    *,
    slowdown: Value = None,
    sync: bool = False,
    straddling: Optional[Literal["end", "both"]] = None,
    header: Optional[Path] = None,
    deadlines: bool = False,
    per: Optional[Literal["all", "kind", "task"]] = None,
    search_effort: Optional[int] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Find the largest budget that keeps the slowdown of a kernel within a limit, or all deadlines of a system.

    Args:
        kernel: One kernel (JSON) or many (JSONL, one per line); `-` is standard input. With ``deadlines``: an
            end-to-end system with the field `budgets`.
        slowdown: Largest accepted slowdown (G(Q) − G(0))/G(0), for WCET bound G and budget Q.
        sync: Assume that kernel and regulation period start together [default: at any time].
        straddling: Which partial overlaps of a block with best-effort memory access count as delays. Memory time is
            the time when best-effort cores access memory. `end` follows Eq. 10 of [Aghilinasab20]. `end` is safe if
            blocks slow down only during memory time. Only `both` is safe if a partial overlap may extend a block to
            e1, its WCET under interference.
        header: Also write the constants of the kernel to a C header, for a process that chooses budgets. The header
            contains clusters and setting for `gpusched_budget.h`. Only for one kernel.
        deadlines: Choose budgets with which an end-to-end system meets its deadlines. The budgets maximize the
            memory time of best-effort cores, weighted by time. All deadlines and limits of chains are proven. The
            search ignores budgets in the file. Largest budgets may leave no slack, so state shorter deadlines to
            keep a margin.
        per: Segments that have equal budgets. ``all``: One budget for all segments. ``kind``: One budget each for
            CPU segments, copies and kernels. ``task``: One budget for each task.
        search_effort: Stop the search for budgets after N schedulability tests. The output then states an upper
            bound on better budgets.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["budget", "nominal"],
        [("kernel", kernel)],
        {
            "slowdown": slowdown,
            "sync": sync,
            "straddling": straddling,
            "header": header,
            "deadlines": deadlines,
            "per": per,
            "search-effort": search_effort,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def budget_simulate(
    kernel: Document,
    *,
    q: Value = None,
    slowdown: Value = None,
    straddling: Optional[Literal["end", "both"]] = None,
    budget_policy: Optional[Literal["all", "nominal", "fair", "greedy", "smooth"]] = None,
    pattern: Optional[Pattern] = None,
    offset: Value = None,
    lead: Value = None,
    process: Optional[int] = None,
    runs: Optional[int] = None,
    svg: Optional[Path] = None,
    demand: Value = None,
    cores: Value = None,
    sharing: Optional[Literal["equal", "max-min", "demand"]] = None,
    tasks: Value = None,
    throttle_factor: Optional[int] = None,
    tick: Value = None,
    blocks: Optional[Literal["wcet", "mean", "drawn", "trace"]] = None,
    trace: Optional[Union[Document, Sequence[Document]]] = None,
    trace_format: Optional[Literal["csv", "jsonl", "examiner", "neutrino"]] = None,
    optimum: bool = False,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Simulate a kernel and concurrent CPU cores whose memory budget changes.

    Args:
        kernel: One kernel (JSON); `-` is standard input.
        q: Nominal budget [default: the largest budget that satisfies --slowdown].
        slowdown: Largest accepted slowdown (G(Q) − G(0))/G(0), for WCET bound G and budget Q.
        straddling: Which partial overlaps of a block with best-effort memory access count as delays. ``end``:
            Counts the blocks at the end of each memory time: at most M blocks per regulation period, as in Eq. 10.
            ``both``: Counts the blocks at the start and at the end of each memory time: at most 2M blocks per
            regulation period.
        budget_policy: Budget policies to simulate. ``all``: All policies. ``nominal``: Constant nominal budget.
            ``fair``: Each remaining regulation period gets an equal share of the slack. ``greedy``: The next
            regulation period gets all slack. ``smooth``: Budget of `greedy` after a low-pass filter, but at least
            the budget of `fair`.
        pattern: Memory access pattern of best-effort cores within a regulation period. ``front``: All memory
            accesses are at the start of the period, without a pause. ``back``: All memory accesses are at the end
            of the period, without a pause. ``uniform``: The memory accesses form 64 equal bursts at equal
            distances. ``random``: The memory accesses form one to eight bursts of random lengths at random times.
            ``adversarial``: In each period, gpusched tries several placements of the bursts. The simulation uses
            the placement with which the blocks have the most work left.
        offset: Time from the start of a regulation period to the first kernel start, or `random`.
        lead: Time from the computation of a budget to the start of the period that uses it.
        process: Memory requests per ms of the process that computes budgets, from 0 to 60,000. A process computes
            the budgets at run time. gpusched subtracts the memory requests of this process from the budget of the
            best-effort cores.
        runs: Number of runs under each budget policy.
        svg: Also draw the budget Q over time in the first run, to an SVG file.
        demand: Share of time that best-effort cores need for memory access. Give a number or the name of a program:
            `bandwidth` (1), `libquantum` (0.6), `gcc` (0.2) or `sjeng` (0.14). The numbers for the programs are
            assumptions.
        cores: Memory demands of the best-effort cores: one value per core, as for --demand.
        sharing: How the cores of --cores share the budget of a regulation period. ``equal``: Equal shares. The
            memory time that a core leaves unused is lost, as if each core had its own budget. ``max-min``: Max-min
            fair shares. The memory time that a core leaves unused goes to cores with a higher demand. ``demand``:
            Shares in proportion to the demands.
        tasks: Tasks of one best-effort core, with values as for --demand. The core gets the whole budget, and all
            tasks are always ready. At each tick, the scheduler of the core (CFS) chooses the task with the least
            execution time.
        throttle_factor: Weight of throttled time for a task (TFS). If the core has used its budget, it stands still
            until the next regulation period. With throttle-fair scheduling (TFS), the scheduler counts N times this
            time as execution time of the stopped task. 0 is CFS without TFS.
        tick: Time between two scheduling decisions of --tasks.
        blocks: Execution times of the blocks in the simulation. `mean` and `drawn` require the distributions of a
            profile. `trace` requires --trace. ``wcet``: Each block takes its WCET. ``mean``: Each block takes the
            mean time that the profile states for its cluster. ``drawn``: Each block takes a random time. The
            profile states a normal distribution for this time. The time is at most the WCET of the block.
            ``trace``: Each block takes its measured time from a trace. Simulated runs use the recorded runs in
            turn.
        trace: File with measured block times, as for `wcet cluster`; may be repeated. The file must have a column
            `q`. The simulation replays the recorded runs one after the other. After the last run, the simulation
            starts again with the first run.
        trace_format: Format of the --trace files [default: from file ending and content]. ``csv``: Comma-separated
            values with a header. ``jsonl``: One JSON object per line, whose fields are the CSV columns.
            ``examiner``: Output of cuda_scheduling_examiner. ``neutrino``: Output of the tool `block_sched` of
            Neutrino: one execution of a kernel.
        optimum: Also plan budgets with full knowledge of each run; show a bound on their memory time.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["budget", "simulate"],
        [("kernel", kernel)],
        {
            "q": q,
            "slowdown": slowdown,
            "straddling": straddling,
            "budget-policy": budget_policy,
            "pattern": pattern,
            "offset": offset,
            "lead": lead,
            "process": process,
            "runs": runs,
            "svg": svg,
            "demand": demand,
            "cores": cores,
            "sharing": sharing,
            "tasks": tasks,
            "throttle-factor": throttle_factor,
            "tick": tick,
            "blocks": blocks,
            "trace": trace,
            "trace-format": trace_format,
            "optimum": optimum,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def budget_sequence(
    system: Document,
    *,
    dispatch: Optional[Dispatch] = None,
    slowdown: Value = None,
    straddling: Optional[Literal["end", "both"]] = None,
    budget_policy: Optional[Literal["all", "nominal", "fair", "greedy", "smooth"]] = None,
    pattern: Optional[Pattern] = None,
    offset: Value = None,
    lead: Value = None,
    process: Optional[int] = None,
    runs: Optional[int] = None,
    svg: Optional[Path] = None,
    demand: Value = None,
    blocks: Optional[Literal["wcet", "mean", "drawn"]] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Simulate several kernels, each with one release or with periodic releases.

    Args:
        system: Kernels with their periods and budgets (JSON); `-` is standard input.
        dispatch: Non-preemptive policy that selects the next kernel for the GPU. ``fifo``: The job with the
            earliest release starts first. In a tie, the kernel with the lowest index starts first. ``np-edf``: The
            job with the earliest deadline starts first. In a tie, the kernel with the lowest index starts first.
            ``np-fp``: The kernel with the smallest relative deadline starts first. In a tie, the kernel with the
            lowest index starts first. ``np-fp-rm``: The kernel with the smallest period starts first. In a tie, the
            kernel with the lowest index starts first. ``np-fp-given``: The kernel with the lowest index starts
            first.
        slowdown: Accepted slowdown (G(Q) − G(0))/G(0) of kernels without a stated budget or slowdown.
        straddling: Which partial overlaps of a block with best-effort memory access count as delays. ``end``:
            Counts the blocks at the end of each memory time: at most M blocks per regulation period, as in Eq. 10.
            ``both``: Counts the blocks at the start and at the end of each memory time: at most 2M blocks per
            regulation period.
        budget_policy: Budget policies to simulate. ``all``: All policies. ``nominal``: Constant nominal budget.
            ``fair``: Each remaining regulation period gets an equal share of the slack. ``greedy``: The next
            regulation period gets all slack. ``smooth``: Budget of `greedy` after a low-pass filter, but at least
            the budget of `fair`.
        pattern: Memory access pattern of best-effort cores within a regulation period. ``front``: All memory
            accesses are at the start of the period, without a pause. ``back``: All memory accesses are at the end
            of the period, without a pause. ``uniform``: The memory accesses form 64 equal bursts at equal
            distances. ``random``: The memory accesses form one to eight bursts of random lengths at random times.
            ``adversarial``: In each period, gpusched tries several placements of the bursts. The simulation uses
            the placement with which the blocks have the most work left.
        offset: Time from the start of a regulation period to the first kernel start, or `random`.
        lead: Time from the computation of a budget to the start of the period that uses it.
        process: Memory requests per ms of the process that computes budgets, from 0 to 60,000. A process computes
            the budgets at run time. gpusched subtracts the memory requests of this process from the budget of the
            best-effort cores.
        runs: Number of runs under each budget policy.
        svg: Also draw the budget Q over time in the first run, to an SVG file.
        demand: Share of time that best-effort cores need for memory access. Give a number or the name of a program:
            `bandwidth` (1), `libquantum` (0.6), `gcc` (0.2) or `sjeng` (0.14). The numbers for the programs are
            assumptions.
        blocks: Execution times of the blocks in the simulation. `mean` and `drawn` require kernels that state
            distributions of block times. ``wcet``: Each block takes its WCET. ``mean``: Each block takes the mean
            time that the profile states for its cluster. ``drawn``: Each block takes a random time. The profile
            states a normal distribution for this time. The time is at most the WCET of the block.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["budget", "sequence"],
        [("system", system)],
        {
            "dispatch": dispatch,
            "slowdown": slowdown,
            "straddling": straddling,
            "budget-policy": budget_policy,
            "pattern": pattern,
            "offset": offset,
            "lead": lead,
            "process": process,
            "runs": runs,
            "svg": svg,
            "demand": demand,
            "blocks": blocks,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def budget_export(
    budgets: Document = None,
    *,
    as_: Literal["memguard", "bwlock", "resctrl", "mpam"],
    rate: Value,
    cores: Value,
    line: int,
    q: Value = None,
    period: Value = None,
    overshoot: Optional[int] = None,
    process_misses: Optional[int] = None,
    lead: Value = None,
    core_rate: Value = None,
    memory_rate: Value = None,
    share_bits: Optional[int] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> str:
    """Write a script that sets a budget on a real machine.

    Args:
        budgets: Budgets of a system, written by `budget nominal SYSTEM --deadlines --format json`. The file states
            the budget and the regulation period. If the budgets of the system differ, the script sets the least.
        as_: Tool that regulates the best-effort cores. ``memguard``: MemGuard: limits of misses and writebacks per
            core and period. ``bwlock``: BWLOCK++: limit of misses per core and period while a task holds the lock.
            ``resctrl``: Linux resctrl on x86: percentage that delays the requests of each core. ``mpam``: MPAM of
            Arm: maximum share of the memory bandwidth of all cores together.
        rate: Rate of all best-effort cores together without budgets, e.g., 3.9GB/s. Use the smallest rate of all
            experiments that gave e1: of kernels, copies and CPU segments. A higher rate, such as the rate without a
            kernel, is unsafe here.
        cores: CPU numbers of the best-effort cores, e.g., 1,2,3 or 1-3.
        line: Bytes per cache line.
        q: Memory bandwidth budget Q of a kernel, e.g., the result of `budget nominal`.
        period: Regulation period of the analysis, e.g., of the kernel file.
        overshoot: Cache misses of a core between its limit and its stop.
        process_misses: Cache misses per period of the process that computes budgets. The default for constant
            budgets in a file, resctrl and mpam is 0: no such process runs. Otherwise, the default is 470, the value
            of [Aghilinasab20].
        lead: Time from the start of this process to the start of the next period.
        core_rate: Largest rate of one best-effort core that runs alone; for resctrl.
        memory_rate: Memory bandwidth that MPAM divides; for mpam.
        share_bits: Bits of a share of MPAM, BWA_WD in MPAMF_MBW_IDR; for mpam.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["budget", "export"],
        [*([] if budgets is None else [("budgets", budgets)])],
        {
            "as": as_,
            "rate": rate,
            "cores": cores,
            "line": line,
            "q": q,
            "period": period,
            "overshoot": overshoot,
            "process-misses": process_misses,
            "lead": lead,
            "core-rate": core_rate,
            "memory-rate": memory_rate,
            "share-bits": share_bits,
            "threads": threads,
            "seed": seed,
        },
    )
    return command.run()[1].decode()


def predict(
    group: Document,
    *,
    model: Optional[Union[Model, Sequence[Model]]] = None,
    windows: bool = False,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Predict the execution times of concurrent kernels.

    Args:
        group: One group (JSON) or many (JSONL, one per line); `-` is standard input.
        model: Prediction models, separated by commas. ``fluid``: Max-min fair shares of the memory bandwidth. The
            shares change whenever a kernel ends. ``masola``: [Masola23] Eqs 1 to 17 as printed.
            ``masola-repaired``: [Masola23] Eqs 1 to 17 with measured times, if the profile has them, and with
            penalties of at least 1. ``masola-penalty``: As `masola-repaired`, but with the penalty Π alone, without
            the interference I(w). ``naive``: A slowdown of 73 % while other kernels run ([Masola23] §7.2).
        windows: Also show the contribution of each time window; JSON always contains it.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["predict"],
        [("group", group)],
        {
            "model": model,
            "windows": windows,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def simulate_blocks(
    scenario: Document,
    *,
    block_scheduler: Optional[Literal["slots", "round-robin"]] = None,
    gpu: Value = None,
    matrix: Document = None,
    trace: Optional[Path] = None,
    gantt: Optional[Path] = None,
    from_: Value = None,
    to: Value = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Simulate the thread blocks of kernels on the SMs of a GPU.

    Args:
        scenario: One scenario (JSON); `-` is standard input.
        block_scheduler: Mapping of blocks to SMs [default: as in the scenario]. ``slots``: The scheduler chooses
            the SM that has room for the most blocks of the kernel ([Sanudo20] Eqs 2–4). ``round-robin``: The
            scheduler chooses the next SM with room, in cyclic order. Much of the literature assumes this rule.
        gpu: GPU that replaces the GPU in the scenario.
        matrix: Slowdowns of pairs of kernels on one SM: CSV of `simulate matrix`.
        trace: Also write a trace of the run for ui.perfetto.dev, to NAME.json.
        gantt: Also draw a Gantt chart of the run, to NAME.svg.
        from_: Start of the Gantt chart [default: start of the run].
        to: End of the Gantt chart [default: end of the run].
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["simulate", "blocks"],
        [("scenario", scenario)],
        {
            "block-scheduler": block_scheduler,
            "gpu": gpu,
            "matrix": matrix,
            "trace": trace,
            "gantt": gantt,
            "from": from_,
            "to": to,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def simulate_matrix(
    program: Union[Document, Sequence[Document]],
    *,
    machine: Value,
    sms: Value = None,
    scheduler: Optional[Union[Scheduler, Sequence[Scheduler]]] = None,
    budgets: Value = None,
    scale: bool = False,
    l2: Optional[Literal["warm", "cold", "both"]] = None,
    vary: Optional[int] = None,
    limit: Optional[int] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Simulate each of several kernels beside each other one, on the same SMs.

    Args:
        program: Programs (JSON), at most 16. A kernel runs beside every kernel of the list, also beside itself.
        machine: Simulated GPU: a name or a file.
        sms: Numbers of SMs, e.g., 4,16 or 2..30:4 [default: all]. The simulated GPU has its whole L2 cache and DRAM
            with every number of SMs.
        scheduler: Warp schedulers, e.g., lrr,gto [default: scheduler of the simulated GPU]. ``lrr``: Loose round
            robin: the scheduler chooses the next warp that can issue, starting after the warp that issued last.
            ``gto``: Greedy, then oldest: the scheduler chooses the warp that issued last. If this warp cannot
            issue, the scheduler chooses the oldest warp that can issue. ``oldest``: Oldest first: the scheduler
            chooses the oldest warp that can issue. ``rt-paws``: Kernels take turns. The priority of a kernel limits
            the number of stalls in its turn ([Singh21] chapter 4). ``qaws``: Kernels take turns. The issue budget
            of a kernel limits the number of warp switches in its turn ([Singh22]). ``rt-paws-by-priority``:
            `rt-paws`, but kernels with equal priorities share a turn ([Singh21] Algorithm 5, line 1).
            ``qaws-by-budget``: `qaws`, but kernels with equal issue budgets share a turn ([Singh22] Algorithm 1,
            line 7). ``rt-paws-printed``: `rt-paws-by-priority`, with the rules of [Singh21] Algorithm 5 as printed.
            The scheduler detects a stall one cycle late, and a turn ends when the decremented priority is 0.
            ``qaws-printed``: `qaws-by-budget`, with the rules of [Singh22] Algorithm 1 as printed. The scheduler
            detects a stall one cycle late.
        budgets: Issue budgets of the measured and the other kernel, e.g., 1:1,1:2. Each scheduler with issue
            budgets, such as `qaws`, runs with each pair of budgets. For `rt-paws`, the numbers are priorities.
        scale: Scale the grid of each program from all SMs of the GPU to the number of SMs. On a quarter of the SMs,
            a kernel then has a quarter of its blocks. Use this option for programs whose blocks all start at once,
            such as the programs of [Singh22].
        l2: Contents of L2 at the start: warm, cold or both. ``warm``: L2 contains the buffers of the programs.
            ``cold``: L2 is empty. ``both``: Runs with both contents; the longest run counts.
        vary: Simulate N runs of each pair with different launch times and base addresses, and report the longest
            run. In the first run, both kernels start at cycle 0. The launch times of the other runs cover a run of
            the other kernel. They depend on --seed.
        limit: Maximum number of core cycles of a run.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["simulate", "matrix"],
        [("program", program)],
        {
            "machine": machine,
            "sms": sms,
            "scheduler": scheduler,
            "budgets": budgets,
            "scale": scale,
            "l2": l2,
            "vary": vary,
            "limit": limit,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def simulate_profile(
    program: Document = None,
    *,
    machine: Value,
    sms: Value = None,
    grid: Value = None,
    block: Value = None,
    parameter: Optional[Union[Mapping[str, Any], Sequence[str], str]] = None,
    scheduler: Optional[Scheduler] = None,
    budget: Optional[int] = None,
    beside: Document = None,
    beside_budget: Optional[int] = None,
    cold: bool = False,
    l2: Optional[Literal["warm", "cold", "thrashed"]] = None,
    l2_ways: Optional[int] = None,
    channels: Optional[int] = None,
    vary: Optional[int] = None,
    traffic: bool = False,
    stress: bool = False,
    programs: Document = None,
    estimate: Value = None,
    equal_sms_once: bool = False,
    clock: Optional[Union[Mapping[str, Any], Sequence[str], str]] = None,
    limit: Optional[int] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Simulate a kernel in isolation on each of several numbers of SMs.

    Args:
        program: Program (JSON; `-` is standard input) or Accel-Sim trace (`.traceg`).
        machine: Simulated GPU: a name or a file.
        sms: Numbers of SMs, e.g., 1..30 or 2..30:4 [default: all]. The simulated GPU has its whole L2 cache and
            DRAM with every number of SMs.
        grid: Number of thread blocks of a program, e.g., 480 or 16x8.
        block: Threads per block of a program, e.g., 256 or 16x16.
        parameter: Value of a program parameter, or size of a buffer in bytes; may be repeated.
        scheduler: Warp scheduler [default: scheduler of the simulated GPU]. ``lrr``: Loose round robin: the
            scheduler chooses the next warp that can issue, starting after the warp that issued last. ``gto``:
            Greedy, then oldest: the scheduler chooses the warp that issued last. If this warp cannot issue, the
            scheduler chooses the oldest warp that can issue. ``oldest``: Oldest first: the scheduler chooses the
            oldest warp that can issue. ``rt-paws``: Kernels take turns. The priority of a kernel limits the number
            of stalls in its turn ([Singh21] chapter 4). ``qaws``: Kernels take turns. The issue budget of a kernel
            limits the number of warp switches in its turn ([Singh22]). ``rt-paws-by-priority``: `rt-paws`, but
            kernels with equal priorities share a turn ([Singh21] Algorithm 5, line 1). ``qaws-by-budget``: `qaws`,
            but kernels with equal issue budgets share a turn ([Singh22] Algorithm 1, line 7). ``rt-paws-printed``:
            `rt-paws-by-priority`, with the rules of [Singh21] Algorithm 5 as printed. The scheduler detects a stall
            one cycle late, and a turn ends when the decremented priority is 0. ``qaws-printed``: `qaws-by-budget`,
            with the rules of [Singh22] Algorithm 1 as printed. The scheduler detects a stall one cycle late.
        budget: Issue budget (`qaws`) or priority (`rt-paws`) of the kernel.
        beside: Also simulate the kernel beside this program, on the same SMs. The program starts at cycle 0, and
            again whenever it ends, until the measured kernel ends. Each of the two kernels uses at most half of the
            threads, registers and shared memory of each SM. The profile then contains times in conflict, too, which
            `wcet fit` reads. In isolation, the kernel uses whole SMs. Without --l2, all runs start with a warm and
            with an empty L2 cache. With --vary, the launch times of the kernel cover a run of the program.
        beside_budget: Issue budget (`qaws`) or priority (`rt-paws`) of the program of --beside.
        cold: Start with an empty L2 cache [default: L2 contains the buffers of the program].
        l2: Content of L2 at the start [default: warm]. `thrashed` is an empty L2 cache with one line per set, as if
            other kernels used all other lines. ``warm``: L2 contains the buffers of the program. ``cold``: L2 is
            empty. ``thrashed``: L2 is empty, and each of its sets has only one line.
        l2_ways: Number of ways of L2 that only the kernel uses [default: all]. With ``traffic``, `wcet fit` also
            writes the number of sectors at DRAM to the task. `--own-l2` uses this number.
        channels: Number of DRAM channels, with their L2 slices, that only the kernel uses [default: all].
        vary: Simulate N runs with different launch times and base addresses, and report the longest run. The time
            of a cold run depends on the phase of the DRAM clock and on the addresses. The first run starts at cycle
            0 with the default addresses. The other runs depend on --seed.
        traffic: Also report the memory traffic of a job, and the largest share at one slice, channel and bank.
        stress: Simulate request patterns instead of a kernel, and measure the sustained rates of L2 and DRAM. The
            patterns access streams, random sectors, one slice, one channel or one bank. An analysis of memory
            interference may use these rates as capacities.
        programs: Folder for the programs of the patterns; only with --stress.
        estimate: Estimate the time by simulating the first rounds of thread blocks, at least ROUNDS. ``estimate``
            without a number means at least 4 rounds. A round consists of the blocks that fit on all SMs at the same
            time. The simulation continues until the uncertainty of the estimated time is at most 12 %. gpusched
            simulates kernels with few rounds completely. If the simulation reaches the limit of cycles, an
            uncertainty above 25 % is an error. Do not use an estimate in a safety argument.
        equal_sms_once: Simulate only one of several identical SMs; the result stays the same. The option has an
            effect only if the kernels access no memory outside the SM. Otherwise, gpusched simulates each SM and
            writes a note with the reason.
        clock: Clock frequency of core, interconnect, l2 or dram, e.g., dram=3500; may be repeated.
        limit: Maximum number of core cycles.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["simulate", "profile"],
        [*([] if program is None else [("program", program)])],
        {
            "machine": machine,
            "sms": sms,
            "grid": grid,
            "block": block,
            "parameter": pairs(parameter),
            "scheduler": scheduler,
            "budget": budget,
            "beside": beside,
            "beside-budget": beside_budget,
            "cold": cold,
            "l2": l2,
            "l2-ways": l2_ways,
            "channels": channels,
            "vary": vary,
            "traffic": traffic,
            "stress": stress,
            "programs": programs,
            "estimate": estimate,
            "equal-sms-once": equal_sms_once,
            "clock": pairs(clock),
            "limit": limit,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def simulate_tasks(
    task_set: Document,
    *,
    plan: Document = None,
    sms: Optional[int] = None,
    gpu: Value = None,
    policy: Optional[Policy] = None,
    interference: Optional[Interference] = None,
    overheads: Value = None,
    offsets: Optional[Literal["synchronous", "random"]] = None,
    jitter: Optional[Literal["none", "late", "random"]] = None,
    arrivals: Optional[Literal["periodic", "sporadic"]] = None,
    blocker: Optional[int] = None,
    starve: Optional[int] = None,
    times: Optional[Literal["wcet", "short"]] = None,
    shortest: Value = None,
    duration: Value = None,
    utilization: Optional[Path] = None,
    intervals: Optional[int] = None,
    trace: Optional[Path] = None,
    gantt: Optional[Path] = None,
    from_: Value = None,
    to: Value = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Simulate the jobs of tasks on their partitions.

    Args:
        task_set: One task set (JSON) or many (JSONL, one per line), or an end-to-end system; `-` is standard input.
        plan: Plan file for the task sets, written by `partition --format json`. Without a plan, all tasks are in
            one partition.
        sms: Number of SMs of the GPU, as an alternative to ``gpu``.
        gpu: GPU to partition: a name that `gpusched gpus` lists, or a device file.
        policy: Scheduling policy [default: as in the plan; without a plan, np-edf]. ``edf``: Earliest deadline
            first, preemptive: exact. ``np-edf``: Earliest deadline first, non-preemptive: exact. ``lp-edf``:
            Earliest deadline first, preemption at block boundaries: sufficient. ``np-fifo``: First in, first out,
            non-preemptive: exact. ``concurrent``: Kernels run together, each task in its own stream: exact for
            every division of the SMs. ``dm``: Deadline-monotonic priorities, preemptive: exact. ``rm``:
            Rate-monotonic priorities, preemptive: exact. ``fp-given``: Priorities in task order, first task
            highest, preemptive: exact. ``fp-audsley``: Optimal priorities (Audsley), preemptive: exact. ``np-fp``:
            Deadline-monotonic priorities, non-preemptive: exact. ``np-fp-rm``: Rate-monotonic priorities,
            non-preemptive: exact. ``np-fp-given``: Priorities in task order, first task highest, non-preemptive:
            exact. ``np-fp-audsley``: Optimal priorities (Audsley), non-preemptive: exact. ``lp-fp``:
            Deadline-monotonic priorities, preemption at block boundaries: sufficient. ``lp-fp-rm``: Rate-monotonic
            priorities, preemption at block boundaries: sufficient. ``lp-fp-given``: Priorities in task order, first
            task highest, preemption at block boundaries: sufficient. ``lp-fp-audsley``: Optimal priorities
            (Audsley), preemption at block boundaries: sufficient. ``density``: Σ C/min(T, D − J) ≤ 1: sufficient
            for edf. ``hyperbolic``: Π (C/T' + 1) ≤ 2: sufficient for preemptive priorities in the order of T' =
            min(T, D) − J. ``liu-layland``: Σ C/T' ≤ n·(2^(1/n) − 1): sufficient for the priorities of `hyperbolic`.
            ``work-capacity``: Σ C(1)/T ≤ m: necessary only (an interpretation of [Singh21] §3.6).
            ``work-capacity-deadline``: Σ C(1)/T ≤ m, and C(m) ≤ D for each task: necessary only.
        interference: Interference model [default: as in the plan; without a plan, conflict]. ``conflict``: Tasks of
            the same kind in one partition have the WCET in conflict Cᶜ. All other tasks have the isolated WCET Cⁿ.
            ``none``: Tasks do not contend. Every task has the isolated WCET Cⁿ. ``conflict+bandwidth``: The model
            `conflict`, plus delays by the memory traffic of other partitions. ``bandwidth``: The model `none`, plus
            delays by the memory traffic of other partitions. ``conflict+memory-time``: The model `conflict`, plus
            delays by memory times of jobs in other partitions. ``memory-time``: The model `none`, plus delays by
            memory times of jobs in other partitions.
        overheads: Bounds on the overheads of the dispatchers [default: as in the plan; without a plan, none]. A job
            then occupies its partition for up to C + o, and its release is up to J + w late. ``times`` and
            ``jitter`` select the times up to these bounds.
        offsets: Offsets of the first jobs. ``synchronous``: All tasks have one common start instant. ``random``:
            Each task has its own random start instant within one period.
        jitter: Release jitter of the jobs. ``none``: Each job is released on arrival. ``late``: The first job is
            released as late as possible. Later jobs are released on arrival, but never before the first job is
            released. ``random``: Each job has a random delay, up to the jitter of the task.
        arrivals: Time between two arrivals of a task. ``periodic``: Arrivals are exactly one period apart.
            ``sporadic``: Arrivals are one period plus a random time apart. The random time is at most half a
            period.
        blocker: Position of a task that arrives 1 ns before all other tasks (to cause blocking).
        starve: Position of a task that executes only while all others are idle. Only with the policy `concurrent`,
            whose default is time slices of random lengths.
        times: Execution times of the jobs. ``wcet``: Each job executes for the WCET of its task. ``short``: Each
            job executes for a random time, from a share of the WCET up to the WCET.
        shortest: Shortest execution time as a share of the WCET [default: 0.5]. Only with `--times short`.
        duration: Time after which no job arrives [default: hyperperiod plus largest offset].
        utilization: Also write the utilization of each partition over time, to a CSV file.
        intervals: Number of equal time intervals for ``utilization`` [default: 200]. Only with ``utilization``.
        trace: Also write a trace of the run for ui.perfetto.dev, to NAME.json.
        gantt: Also draw a Gantt chart of the run, to NAME.svg.
        from_: Start of the Gantt chart [default: start of the run].
        to: End of the Gantt chart [default: end of the run].
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["simulate", "tasks"],
        [("task_set", task_set)],
        {
            "plan": plan,
            "sms": sms,
            "gpu": gpu,
            "policy": policy,
            "interference": interference,
            "overheads": overheads,
            "offsets": offsets,
            "jitter": jitter,
            "arrivals": arrivals,
            "blocker": blocker,
            "starve": starve,
            "times": times,
            "shortest": shortest,
            "duration": duration,
            "utilization": utilization,
            "intervals": intervals,
            "trace": trace,
            "gantt": gantt,
            "from": from_,
            "to": to,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def simulate_warps(
    file: Document,
    *,
    scheduler: Optional[Scheduler] = None,
    budget: Optional[Union[Mapping[str, Any], Sequence[str], str]] = None,
    bound: bool = False,
    deadline: Optional[Union[Mapping[str, Any], Sequence[str], str]] = None,
    machine: Value = None,
    grid: Value = None,
    block: Value = None,
    parameter: Optional[Union[Mapping[str, Any], Sequence[str], str]] = None,
    sms: Optional[int] = None,
    cold: bool = False,
    limit: Optional[int] = None,
    equal_sms_once: bool = False,
    issues: Optional[Path] = None,
    trace: Optional[Path] = None,
    gantt: Optional[Path] = None,
    from_: Value = None,
    to: Value = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Simulate the warps of kernels on a simulated GPU or a sub-core.

    Args:
        file: Scenario or program (JSON; `-` is standard input), or Accel-Sim trace (.traceg).
        scheduler: Warp scheduler [default: scheduler of the scenario]. ``lrr``: Loose round robin: the scheduler
            chooses the next warp that can issue, starting after the warp that issued last. ``gto``: Greedy, then
            oldest: the scheduler chooses the warp that issued last. If this warp cannot issue, the scheduler
            chooses the oldest warp that can issue. ``oldest``: Oldest first: the scheduler chooses the oldest warp
            that can issue. ``rt-paws``: Kernels take turns. The priority of a kernel limits the number of stalls in
            its turn ([Singh21] chapter 4). ``qaws``: Kernels take turns. The issue budget of a kernel limits the
            number of warp switches in its turn ([Singh22]). ``rt-paws-by-priority``: `rt-paws`, but kernels with
            equal priorities share a turn ([Singh21] Algorithm 5, line 1). ``qaws-by-budget``: `qaws`, but kernels
            with equal issue budgets share a turn ([Singh22] Algorithm 1, line 7). ``rt-paws-printed``:
            `rt-paws-by-priority`, with the rules of [Singh21] Algorithm 5 as printed. The scheduler detects a stall
            one cycle late, and a turn ends when the decremented priority is 0. ``qaws-printed``: `qaws-by-budget`,
            with the rules of [Singh22] Algorithm 1 as printed. The scheduler detects a stall one cycle late.
        budget: Issue budget of a kernel (under `rt-paws`: priority); may be repeated.
        bound: Also compute a bound on the response time of each kernel, for all launch times. Only for a sub-core
            (a scenario without `machine`). Each kernel runs once, and all instructions have the latencies of the
            scenario.
        deadline: Deadline of a kernel in cycles after its launch; may be repeated. Implies ``bound``. Under `qaws`
            and `rt-paws`, gpusched replaces all issue budgets by the smallest ones that meet the deadlines by the
            bounds. If a bound exceeds a deadline, the exit code is 1.
        machine: Simulated GPU: a name or a file. Required for a program or a trace. For a scenario, the option
            replaces the GPU of the scenario.
        grid: Number of thread blocks of a program, e.g., 480 or 16x8.
        block: Threads per block of a program, e.g., 256 or 16x16.
        parameter: Value of a program parameter, or size of a buffer in bytes; may be repeated.
        sms: Number of SMs in use [default: as in the scenario, otherwise all].
        cold: Start with an empty L2 cache.
        limit: Maximum number of core cycles [default: 10^9].
        equal_sms_once: Simulate only one of several identical SMs; the result stays the same. The option has an
            effect only if the kernels access no memory outside the SM. Otherwise, gpusched simulates each SM and
            writes a note with the reason.
        issues: Also write a CSV file with one row per issued instruction.
        trace: Also write a trace of the run for ui.perfetto.dev, to NAME.json.
        gantt: Also draw a Gantt chart of the run, to NAME.svg.
        from_: Start of the Gantt chart [default: start of the run].
        to: End of the Gantt chart [default: end of the run].
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["simulate", "warps"],
        [("file", file)],
        {
            "scheduler": scheduler,
            "budget": pairs(budget),
            "bound": bound,
            "deadline": pairs(deadline),
            "machine": machine,
            "grid": grid,
            "block": block,
            "parameter": pairs(parameter),
            "sms": sms,
            "cold": cold,
            "limit": limit,
            "equal-sms-once": equal_sms_once,
            "issues": issues,
            "trace": trace,
            "gantt": gantt,
            "from": from_,
            "to": to,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def validate(
    program: Optional[Union[Document, Sequence[Document]]] = None,
    *,
    systems: Optional[int] = None,
    policy: Optional[Policy] = None,
    shared_memory: bool = False,
    end_to_end: bool = False,
    time_sliced: bool = False,
    pipelined: bool = False,
    budgets: bool = False,
    devices: bool = False,
    warps: bool = False,
    machine: Value = None,
    bound: Optional[Literal["peak", "balanced", "own-drain", "universal"]] = None,
    memory: Optional[Literal["shared", "l2-ways", "channels"]] = None,
    placement: Optional[Literal["aligned", "split", "mixed"]] = None,
    camping_limit: Optional[int] = None,
    variation: Optional[int] = None,
    synthetic: bool = False,
    climb: Optional[int] = None,
    task_sets: bool = False,
    pessimism: Optional[Path] = None,
    reproducer: Optional[Path] = None,
    checkpoint: Document = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Compare analysis and simulation over random systems.

    Args:
        program: Programs of the kernels (JSON); only with --warps.
        systems: Number of systems; 320 cover all combinations.
        policy: Only systems with this policy [default: all]. ``edf``: Earliest deadline first, preemptive: exact.
            ``np-edf``: Earliest deadline first, non-preemptive: exact. ``lp-edf``: Earliest deadline first,
            preemption at block boundaries: sufficient. ``np-fifo``: First in, first out, non-preemptive: exact.
            ``concurrent``: Kernels run together, each task in its own stream: exact for every division of the SMs.
            ``dm``: Deadline-monotonic priorities, preemptive: exact. ``rm``: Rate-monotonic priorities, preemptive:
            exact. ``fp-given``: Priorities in task order, first task highest, preemptive: exact. ``fp-audsley``:
            Optimal priorities (Audsley), preemptive: exact. ``np-fp``: Deadline-monotonic priorities,
            non-preemptive: exact. ``np-fp-rm``: Rate-monotonic priorities, non-preemptive: exact. ``np-fp-given``:
            Priorities in task order, first task highest, non-preemptive: exact. ``np-fp-audsley``: Optimal
            priorities (Audsley), non-preemptive: exact. ``lp-fp``: Deadline-monotonic priorities, preemption at
            block boundaries: sufficient. ``lp-fp-rm``: Rate-monotonic priorities, preemption at block boundaries:
            sufficient. ``lp-fp-given``: Priorities in task order, first task highest, preemption at block
            boundaries: sufficient. ``lp-fp-audsley``: Optimal priorities (Audsley), preemption at block boundaries:
            sufficient. ``density``: Σ C/min(T, D − J) ≤ 1: sufficient for edf. ``hyperbolic``: Π (C/T' + 1) ≤ 2:
            sufficient for preemptive priorities in the order of T' = min(T, D) − J. ``liu-layland``: Σ C/T' ≤
            n·(2^(1/n) − 1): sufficient for the priorities of `hyperbolic`. ``work-capacity``: Σ C(1)/T ≤ m:
            necessary only (an interpretation of [Singh21] §3.6). ``work-capacity-deadline``: Σ C(1)/T ≤ m, and C(m)
            ≤ D for each task: necessary only.
        shared_memory: Validate the analysis of partitions that share a memory. gpusched simulates all partitions of
            a system concurrently, under every priority order of the partitions at the memory and under max-min
            fairness. The result compares the interference models `conflict` and `conflict+bandwidth`.
        end_to_end: Validate the end-to-end analysis of cores, copy engines and partitions. gpusched simulates each
            system in six runs with different arrivals and execution times. The result compares all bounds on
            segments, tasks and chains with the simulated times. If a time exceeds its bound, gpusched writes the
            system to the file of ``reproducer``. With ``shared_memory``, all resources of a system share a memory.
        time_sliced: Validate the end-to-end analysis of contexts that take turns. Each system has a time-sliced
            partition. The runs differ in the order of the turns and in the overruns of slices.
        pipelined: Validate the end-to-end analysis of pipelined tasks. Each system has tasks with several jobs in
            flight, and some of them have buffers. With ``time_sliced``, their kernels can be on contexts that take
            turns.
        budgets: Validate WCETs under memory bandwidth budgets. Each system has budgets. In 18 runs, best-effort
            cores access memory as soon as the budgets permit, only while one segment executes, late in each
            regulation period, or at random. The first period begins at a random time.
        devices: Use the GPUs that `gpusched gpus` lists, with their partition sizes. The generated systems use all
            granularities in turn. Only with ``shared_memory``.
        warps: Validate memory time against concurrent kernels, cycle by cycle. Each system is a co-run of two or
            three kernels with programs from PROGRAM. Each kernel has its own SMs. Launches, addresses and
            schedulers are random. gpusched compares the time of each kernel with bounds that depend on its time in
            isolation and on the memory traffic of the other kernels. If a kernel exceeds the bound of ``bound``,
            gpusched reduces the co-run and writes it as a warp run to the file of --reproducer.
        machine: Simulated GPU: a name or a file; only with --warps.
        bound: Bound that no kernel may exceed; only with --warps. All bounds except `peak` count the time for which
            replies to other kernels hold the ports of clusters. ``peak``: Time to transfer the DRAM bytes of
            isolated runs at the peak bandwidth. ``balanced``: Memory time at the balanced rates of the GPU.
            ``own-drain``: Memory time at the balanced rates, or at the rates of the isolated kernel if these are
            lower. ``universal``: Memory time at the lowest rates of the GPU, with one slice and one bank.
        memory: Part of the memory that each partition has for itself; only with --warps. ``shared``: No part: all
            partitions share L2 and DRAM. ``l2-ways``: Ways of L2. ``channels``: Channels of DRAM with their slices
            of L2, as with memory slices of MIG.
        placement: Clusters that partitions share; only with --warps. The SMs of a cluster share one port to the
            memory. `split` requires a simulated GPU with several SMs per cluster, e.g., titanv. ``aligned``: None:
            each partition has its own clusters. ``split``: At least one cluster. ``mixed``: Half of the runs are
            aligned, and half are split. With one SM per cluster, all runs are aligned.
        camping_limit: Leave out kernels that concentrate accesses on a part of the memory; only with --warps. The
            limit is the largest load of one L2 slice, DRAM channel or bank, relative to an even load. The load of a
            bank is multiplied by the share of the sectors that open a row. For example, `--camping-limit 4` leaves
            out co-runs with a kernel that loads one channel with more than four times the mean load.
        variation: Percentage added to isolated times; only with --warps [default: 20].
        synthetic: Let half of the kernels run synthetic programs with random strides; only with --warps.
        climb: Search for co-runs near the bound with this number of random changes; only with --warps. After each
            random co-run, gpusched changes a program, a launch, the addresses, the SMs or the scheduler, and keeps
            a change that increases the largest ratio of a time to its bound.
        task_sets: Simulate periodic jobs of task sets; only with --warps. Each partition has one or two tasks,
            which run without preemption. The analysis accepts each task set with the bound of ``bound``. gpusched
            compares the response times in one hyperperiod with the bounds of the analysis.
        pessimism: Also write the ratios of simulated response times to their bounds, as CSV.
        reproducer: File for the smallest counterexample, if there is one.
        checkpoint: File that stores the progress, so that a later run can continue.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["validate"],
        [*([] if program is None else [("program", program)])],
        {
            "systems": systems,
            "policy": policy,
            "shared-memory": shared_memory,
            "end-to-end": end_to_end,
            "time-sliced": time_sliced,
            "pipelined": pipelined,
            "budgets": budgets,
            "devices": devices,
            "warps": warps,
            "machine": machine,
            "bound": bound,
            "memory": memory,
            "placement": placement,
            "camping-limit": camping_limit,
            "variation": variation,
            "synthetic": synthetic,
            "climb": climb,
            "task-sets": task_sets,
            "pessimism": pessimism,
            "reproducer": reproducer,
            "checkpoint": checkpoint,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def recording_summary(
    files: Union[Document, Sequence[Document]],
    *,
    from_: Optional[Literal["nsys", "ncu", "kineto", "rocprof", "trtexec"]] = None,
    max_unpacked: Value = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Count launches, streams and ranges, and report statistics of their times.

    Args:
        files: Files of a profiler; `-` is standard input.
        from_: Profiler that wrote the files [default: detected from the content]. ``nsys``: NVIDIA Nsight Systems:
            an SQLite export, or reports of `nsys stats` in CSV. ``ncu``: NVIDIA Nsight Compute: the details page or
            the raw page in CSV. ``kineto``: Kineto, the profiler of PyTorch: a JSON trace, possibly compressed with
            gzip. ``rocprof``: rocprof, rocprofv3 or Omniperf of AMD: CSV or JSON. ``trtexec``: trtexec of TensorRT:
            the JSON file of `--exportTimes`.
        max_unpacked: Largest size of a recording after unpacking [default: 1GB]. gpusched refuses a compressed
            recording that unpacks to more bytes. The option has no effect on other recordings.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["recording", "summary"],
        [("files", files)],
        {
            "from": from_,
            "max-unpacked": max_unpacked,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def recording_tasks(
    files: Union[Document, Sequence[Document]],
    *,
    conflict: Optional[Union[Document, Sequence[Document]]] = None,
    by: Optional[Literal["range", "kernel", "stream"]] = None,
    name: Value = None,
    gap: Value = None,
    gpu: Value = None,
    warm_up: Optional[Union[Mapping[str, Any], Sequence[str], str]] = None,
    max_unpacked: Value = None,
    margin: Value = None,
    gaps: Optional[Literal["count", "separate"]] = None,
    copies: Optional[Literal["leave-out", "count"]] = None,
    form: Optional[Literal["envelope", "table"]] = None,
    counters: Optional[Union[Document, Sequence[Document]]] = None,
    period: Optional[Union[Mapping[str, Any], Sequence[str], str]] = None,
    deployed_period: Optional[Union[Mapping[str, Any], Sequence[str], str]] = None,
    deadline: Optional[Union[Mapping[str, Any], Sequence[str], str]] = None,
    exceedance: Optional[float] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Derive a task set from recordings.

    Args:
        files: Recordings in isolation, each with the size of its partition. The size is a number of SMs
            (`run.sqlite@16`), a percentage of MPS (`run.sqlite@50%`), or a MIG slice (`run.sqlite@3g.20gb` with
            ``gpu``). Without a size, the file must contain it: as green contexts, or as the number of SMs of the
            GPU.
        conflict: Recording with contention, for the conflict WCET; may be repeated.
        by: Rule that groups launches into jobs. ``range``: Each named range is a job, and its name is the activity.
            ``kernel``: Each kernel launch is a job, and the name of the kernel is the activity. ``stream``: Each
            group of launches on one stream without long gaps between them is a job. The stream is the activity.
        name: Name of an activity; may be repeated [default: all; for ranges, the outermost].
        gap: Shortest idle time that separates two jobs on a stream [default: from the gaps]. Only with `--by
            stream`. gpusched sorts all gaps. The default is the gap after the largest relative increase.
        gpu: GPU of the run, for sizes in percent and MIG slices.
        warm_up: Drop the first N jobs of each activity, or the jobs of the first TIME; may be repeated [default:
            0]. `--warm-up detector=6` states the warm-up of one activity, or in an audit of one task.
        max_unpacked: Largest size of a recording after unpacking [default: 1GB]. gpusched refuses a compressed
            recording that unpacks to more bytes. The option has no effect on other recordings.
        margin: Factor by which C(m) exceeds the longest measured time.
        gaps: Treatment of gaps between the kernels of a job. ``count``: The execution time is the time from the
            first start to the last end of a kernel. This choice is safe for jobs with gaps. ``separate``: The
            execution time is the time during which a kernel of the job runs. No test counts the gaps, and each
            verdict assumes jobs without gaps.
        copies: Treatment of copies before the first and after the last kernel of a job. ``leave-out``: C(m)
            contains no such copy. If measured jobs have such copies, each verdict assumes jobs without them.
            ``count``: C(m) of each size contains the longest time from the release to the first kernel of a job
            that copies before, and from the last kernel to the end of the last copy.
        form: Form of C(m). ``envelope``: Function a/m + b that bounds all measurements with the least overshoot.
            ``table``: Table of the longest measured times, which do not increase with the number of SMs.
        counters: Page of Nsight Compute (CSV) with DRAM bytes, for `traffic`; may be repeated.
        period: Period of an activity, in place of the observed period; may be repeated.
        deployed_period: Period of an activity in the deployed system, if it differs; may be repeated. The task has
            this period. The jitter is the jitter of the recorded releases, with the period of ``period`` or the
            observed period.
        deadline: Deadline of an activity [default: its period]; may be repeated.
        exceedance: Exceedance probability per job of the extreme-value estimate (information only).
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["recording", "tasks"],
        [("files", files)],
        {
            "conflict": conflict,
            "by": by,
            "name": name,
            "gap": gap,
            "gpu": gpu,
            "warm-up": pairs(warm_up),
            "max-unpacked": max_unpacked,
            "margin": margin,
            "gaps": gaps,
            "copies": copies,
            "form": form,
            "counters": counters,
            "period": pairs(period),
            "deployed-period": pairs(deployed_period),
            "deadline": pairs(deadline),
            "exceedance": exceedance,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def recording_audit(
    files: Document,
    *,
    set: Document,
    plan: Document = None,
    task: Optional[Union[Mapping[str, Any], Sequence[str], str]] = None,
    blocks: Optional[Union[Mapping[str, Any], Sequence[str], str]] = None,
    by: Optional[Literal["range", "kernel", "stream"]] = None,
    name: Value = None,
    gap: Value = None,
    gpu: Value = None,
    warm_up: Optional[Union[Mapping[str, Any], Sequence[str], str]] = None,
    max_unpacked: Value = None,
    trace: Optional[Path] = None,
    gantt: Optional[Path] = None,
    from_: Value = None,
    to: Value = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Compare a recorded run with its task set and its plan.

    Args:
        files: Recording of the run. Without a plan, the size states the number of SMs for C(m): a number of SMs
            (`run.sqlite@16`), a percentage of MPS (`run.sqlite@50%`), or a MIG slice (`run.sqlite@3g.20gb` with
            ``gpu``).
        set: Task set of the run.
        plan: Plan of the run, to check partitions and contexts.
        task: Activity of a task with another name; may be repeated.
        blocks: Records of thread blocks of a task, to check their SMs; may be repeated. FILE is a block trace with
            a column `sm`, a log of cuda_scheduling_examiner, or a file of the probe `block_sched` of Neutrino.
        by: Rule that groups launches into jobs. ``range``: Each named range is a job, and its name is the activity.
            ``kernel``: Each kernel launch is a job, and the name of the kernel is the activity. ``stream``: Each
            group of launches on one stream without long gaps between them is a job. The stream is the activity.
        name: Name of an activity; may be repeated [default: all; for ranges, the outermost].
        gap: Shortest idle time that separates two jobs on a stream [default: from the gaps]. Only with `--by
            stream`. gpusched sorts all gaps. The default is the gap after the largest relative increase.
        gpu: GPU of the run, for sizes in percent and MIG slices.
        warm_up: Drop the first N jobs of each activity, or the jobs of the first TIME; may be repeated [default:
            0]. `--warm-up detector=6` states the warm-up of one activity, or in an audit of one task.
        max_unpacked: Largest size of a recording after unpacking [default: 1GB]. gpusched refuses a compressed
            recording that unpacks to more bytes. The option has no effect on other recordings.
        trace: Also write a trace of the run for ui.perfetto.dev, to NAME.json.
        gantt: Also draw a Gantt chart of the run, to NAME.svg.
        from_: Start of the Gantt chart [default: start of the run].
        to: End of the Gantt chart [default: end of the run].
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["recording", "audit"],
        [("files", files)],
        {
            "set": set,
            "plan": plan,
            "task": pairs(task),
            "blocks": pairs(blocks),
            "by": by,
            "name": name,
            "gap": gap,
            "gpu": gpu,
            "warm-up": pairs(warm_up),
            "max-unpacked": max_unpacked,
            "trace": trace,
            "gantt": gantt,
            "from": from_,
            "to": to,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def recording_recover(
    file: Document,
    *,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Write the trace of a killed run.

    Args:
        file: File of records: of `run --ring`, or of a program with the option `ring`.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["recording", "recover"],
        [("file", file)],
        {
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def import_accel_sim(
    trace: Document,
    *,
    kernel: Optional[int] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Summarize machine-code traces of the Accel-Sim tracer.

    Args:
        trace: File `kernelslist.g`, or `.traceg` file of one kernel; `-` is standard input.
        kernel: Select the kernel with this number [default: all kernels].
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["import", "accel-sim"],
        [("trace", trace)],
        {
            "kernel": kernel,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def import_amalthea(
    file: Document,
    *,
    sms: Optional[int] = None,
    ticks: Optional[Literal["max", "average"]] = None,
    gpu_policy: Optional[Literal["np-fifo", "np-fp", "fp"]] = None,
    wait: Optional[Literal["busy", "suspend"]] = None,
    move: Optional[Union[Mapping[str, Any], Sequence[str], str]] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Convert a task model of APP4MC to an end-to-end system.

    Args:
        file: Model file of APP4MC (.amxmi); `-` is standard input.
        sms: Number of SMs of the GPU [default: from a feature of the GPU in the file]. The format has no field for
            the number of SMs. Some files state it as a feature of the GPU, such as `SMs/SM_2`.
        ticks: Number of ticks that counts as the WCET [default: max]. The BCET is always the minimum number of
            ticks. ``max``: Maximum number of ticks. ``average``: Average number of ticks, which is not a bound.
        gpu_policy: Scheduling rule of the GPU [default: np-fifo]. ``np-fifo``: First in, first out, without
            preemption. ``np-fp``: Fixed priorities (`gpu_priority`), without preemption. ``fp``: Fixed priorities
            (`gpu_priority`), with immediate preemption.
        wait: Waiting mode of all tasks [default: as in the file]. ``busy``: Busy-waiting: while the task waits, it
            occupies its core, at its own priority. ``suspend``: Self-suspension: while the task waits, it leaves
            its core to other tasks.
        move: Allocate TASK to CORE and ignore its allocation in the file; repeatable. If TASK runs on the GPU, the
            core executes its kernel, and gpusched omits the memory copies of the kernel. The task that triggers
            TASK also moves to this core. A moved task needs ticks for the type of the core.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["import", "amalthea"],
        [("file", file)],
        {
            "sms": sms,
            "ticks": ticks,
            "gpu-policy": gpu_policy,
            "wait": wait,
            "move": pairs(move),
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def import_csv(
    file: Document,
    *,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> TaskSets:
    """Convert a CSV table of tasks to task sets.

    Args:
        file: Table with one row per task; `-` is standard input.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["import", "csv"],
        [("file", file)],
        {
            "threads": threads,
            "seed": seed,
        },
    )
    return task_sets(command)


def import_examiner(
    log: Union[Document, Sequence[Document]],
    *,
    gpu: Value,
    launch: Optional[Literal["returned", "called"]] = None,
    compare: bool = False,
    window: Value = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Convert logs of cuda_scheduling_examiner to a scenario, or compare with a simulation.

    Args:
        log: Log files of one run, one file per benchmark; `-` is standard input.
        gpu: GPU of the run: a GPU with known thread-block limits.
        launch: Logged time that counts as the submission time of a kernel. ``returned``: Time at which the launch
            call returned. Among the logged times, this time is closest to the arrival at the GPU. ``called``: Start
            of the launch call.
        compare: Compare the measured SM of each block with the simulation.
        window: Largest time between a block end and a nearby block start, for --compare.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["import", "examiner"],
        [("log", log)],
        {
            "gpu": gpu,
            "launch": launch,
            "compare": compare,
            "window": window,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def import_gpgpusim_config(
    files: Union[Document, Sequence[Document]],
    *,
    name: Value = None,
    verbose: bool = False,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Convert a GPGPU-Sim configuration to a simulated GPU.

    Args:
        files: Configuration files; later values replace earlier values; `-` is standard input.
        name: Name of the simulated GPU.
        verbose: List the options without effect and the defaults in use, on standard error.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["import", "gpgpusim-config"],
        [("files", files)],
        {
            "name": name,
            "verbose": verbose,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def import_holoscan(
    file: Document,
    *,
    period: Value,
    unit: Literal["ns", "us", "ms", "s"],
    deadline: Value = None,
    sms: Optional[int] = None,
    gpu_policy: Optional[Literal["np-fifo", "np-fp", "fp"]] = None,
    wait: Optional[Literal["busy", "suspend"]] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Convert a graph of operators of Holoscan to an end-to-end system.

    Args:
        file: Graph of operators (DOT) with their WCETs; `-` is standard input.
        period: Time between two executions of the operator without inputs, e.g., 33ms.
        unit: Unit of the WCETs, which the format does not state. ``ns``: Nanoseconds. ``us``: Microseconds, as the
            examples of SchedCAT. ``ms``: Milliseconds. ``s``: Seconds.
        deadline: Relative deadline of the last operator [default: the period].
        sms: Number of SMs on which each `GPU_WCET` holds; required with kernels. On more SMs, the kernels have the
            same WCETs. On fewer SMs, their WCETs are unknown.
        gpu_policy: Scheduling rule of the GPU [default: np-fifo]. ``np-fifo``: First in, first out, without
            preemption. ``np-fp``: Fixed priorities (`gpu_priority`), without preemption. ``fp``: Fixed priorities
            (`gpu_priority`), with immediate preemption.
        wait: Waiting mode of the thread while a kernel executes [default: busy]. ``busy``: Busy-waiting: while the
            task waits, it occupies its core, at its own priority. ``suspend``: Self-suspension: while the task
            waits, it leaves its core to other tasks.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["import", "holoscan"],
        [("file", file)],
        {
            "period": period,
            "unit": unit,
            "deadline": deadline,
            "sms": sms,
            "gpu-policy": gpu_policy,
            "wait": wait,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def import_ptx(
    file: Document,
    *,
    kernel: Value,
    grid: Value,
    block: Value,
    parameter: Optional[Union[Mapping[str, Any], Sequence[str], str]] = None,
    values: Optional[Union[Mapping[str, Any], Sequence[str], str]] = None,
    registers: Optional[int] = None,
    shared_memory: Optional[int] = None,
    any_modifier: bool = False,
    pc: Optional[int] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Convert a kernel in PTX to a program.

    Args:
        file: PTX file; `-` is standard input.
        kernel: Mangled or plain name of the kernel.
        grid: Number of thread blocks, e.g., 480, 16x8 or 16x8x2.
        block: Threads per block, e.g., 256, 16x16 or 8x8x4.
        parameter: Kernel parameters in order: NAME:BYTES for a buffer, NAME=VALUE for a number. A parameter of type
            f32 or f64 also accepts a decimal number, such as `a=2.5`. The value of a floating-point parameter has
            no effect on the timing.
        values: Contents of a buffer: a JSON file with a list of whole numbers; may be repeated. Addresses,
            conditions and loops may then depend on values that the kernel loads from the buffer. A value has 4
            bytes. For values of 1, 2 or 8 bytes, state the size after the name, such as `mask:1=mask.json`. The
            program assumes that stores do not change the contents.
        registers: Registers per thread.
        shared_memory: Dynamic shared memory per block [bytes].
        any_modifier: Ignore instruction modifiers that the opcode does not support. Without the option, an
            unsupported modifier is an error, because it may change the effect and the timing of an instruction.
        pc: Address of the first instruction [bytes].
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["import", "ptx"],
        [("file", file)],
        {
            "kernel": kernel,
            "grid": grid,
            "block": block,
            "parameter": pairs(parameter),
            "values": pairs(values),
            "registers": registers,
            "shared-memory": shared_memory,
            "any-modifier": any_modifier,
            "pc": pc,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def import_schedcat(
    file: Document,
    *,
    unit: Optional[Literal["ns", "us", "ms", "s"]] = None,
    sms: Optional[int] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> TaskSets:
    """Convert a task set of SchedCAT.

    Args:
        file: File with a task set or a test point (XML); `-` is standard input.
        unit: Unit of the times [default: us]. ``ns``: Nanoseconds. ``us``: Microseconds, as the examples of
            SchedCAT. ``ms``: Milliseconds. ``s``: Seconds.
        sms: Number of SMs on which the WCETs hold [default: 1]. On more SMs, a task has the same WCET. On fewer
            SMs, the WCET is unknown, so no test accepts the task there.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["import", "schedcat"],
        [("file", file)],
        {
            "unit": unit,
            "sms": sms,
            "threads": threads,
            "seed": seed,
        },
    )
    return task_sets(command)


def import_simso(
    file: Document,
    *,
    sms: Optional[int] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> TaskSets:
    """Convert a configuration of SimSo to a task set.

    Args:
        file: Configuration file of SimSo (XML); `-` is standard input.
        sms: Number of SMs on which the WCETs hold [default: 1]. On more SMs, a task has the same WCET. On fewer
            SMs, the WCET is unknown, so no test accepts the task there.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["import", "simso"],
        [("file", file)],
        {
            "sms": sms,
            "threads": threads,
            "seed": seed,
        },
    )
    return task_sets(command)


def gpus(
    name_file: Value = None,
    *,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """List the built-in GPUs with their partition rules and sources.

    Args:
        name_file: GPUs to describe in detail: names or device files [default: list all GPUs].
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["gpus"],
        [*([] if name_file is None else [("name_file", name_file)])],
        {
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def study_run(
    specs: Union[Document, Sequence[Document]],
    *,
    shard: Value = None,
    sets: Optional[int] = None,
    fresh: bool = False,
    columns: Optional[Literal["parquet", "arrow"]] = None,
    threads: Optional[int] = None,
    output: Optional[Path] = None,
    seed: Optional[int] = None,
    algorithms: Optional[Mapping[str, Algorithm]] = None,
) -> Result:
    """Run studies, or continue interrupted studies.

    Args:
        specs: Study files (TOML).
        shard: Run only part i of n; `study merge` combines the results of all parts.
        sets: Number of task sets per point, for a quick trial [default: from the study].
        fresh: Start anew: delete the results of earlier runs in the folder.
        columns: Also write the tables in this format. ``parquet``: Compressed columns. Requires a build with the
            feature `parquet`. ``arrow``: Columns in the memory layout of Arrow (Arrow IPC, Feather). Requires a
            build with the feature `parquet`.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        output: File for results; `-` is standard output.
        seed: Seed of all random numbers [default: 1].
        algorithms: Functions of yours by the names of their algorithms, which the study adds to its algorithms.
            Each function receives a :class:`TaskSet` and the number of SMs of the GPU. It returns whether the task
            set is schedulable, a list of partitions, or a :class:`Plan`.
    """
    command = Command(
        ["study", "run"],
        [("specs", specs)],
        {
            "shard": shard,
            "sets": sets,
            "fresh": fresh,
            "columns": columns,
            "threads": threads,
            "output": output,
            "seed": seed,
            "quiet": True,
        },
        algorithms,
    )
    return results(command, Result)


def study_merge(
    folders: Union[Document, Sequence[Document]],
    *,
    columns: Optional[Literal["parquet", "arrow"]] = None,
    threads: Optional[int] = None,
    output: Optional[Path] = None,
    seed: Optional[int] = None,
) -> Result:
    """Combine the results of the shards of a study.

    Args:
        folders: Output folders of the shards.
        columns: Also write the tables in this format. ``parquet``: Compressed columns. Requires a build with the
            feature `parquet`. ``arrow``: Columns in the memory layout of Arrow (Arrow IPC, Feather). Requires a
            build with the feature `parquet`.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        output: File for results; `-` is standard output.
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["study", "merge"],
        [("folders", folders)],
        {
            "columns": columns,
            "threads": threads,
            "output": output,
            "seed": seed,
            "quiet": True,
        },
    )
    return results(command, Result)


def study_submit(
    specs: Document,
    *,
    shards: Optional[int] = None,
    engine: Optional[Literal["slurm"]] = None,
    sets: Optional[int] = None,
    trial: Document = None,
    retries: Optional[int] = None,
    dry_run: bool = False,
    program: Value = None,
    partition: Value = None,
    account: Value = None,
    time: Value = None,
    memory: Value = None,
    modules: Value = None,
    site: Document = None,
    threads: Optional[int] = None,
    output: Optional[Path] = None,
    seed: Optional[int] = None,
) -> Result:
    """Run the shards of a study as jobs of a cluster.

    Args:
        specs: Study file (TOML).
        shards: Number of shards, which is the number of jobs of the array. Required for the first submission to a
            folder.
        engine: Batch system. ``slurm``: Slurm: `sbatch`, `squeue` and `scancel`.
        sets: Number of task sets per point [default: from the study].
        trial: Output folder of a trial run of the study with fewer task sets. gpusched estimates the total time
            from the times of the trial. It refuses a number of shards if the longest shard would take more than
            twice the mean time of all shards.
        retries: Number of times that the merge may resubmit unfinished shards [default: 3].
        dry_run: Print the scripts and the commands; write and submit nothing.
        program: Command that the jobs run [default: this command].
        partition: Partition of the cluster.
        account: Account that pays for the jobs.
        time: Time limit of each job in the format of Slurm, such as 30 (minutes) or 2:00:00.
        memory: Memory of each job, such as 500M or 2G.
        modules: Environment modules that each job loads.
        site: File with these settings (TOML); options replace settings of the file. Keys: `partition`, `account`,
            `time`, `memory`, `threads`, `modules` (a list), and `options`: a list of further options of `sbatch`,
            such as "--qos=low".
        threads: Number of worker threads; results do not depend on it [default: all cores].
        output: File for results; `-` is standard output.
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["study", "submit"],
        [("specs", specs)],
        {
            "shards": shards,
            "engine": engine,
            "sets": sets,
            "trial": trial,
            "retries": retries,
            "dry-run": dry_run,
            "program": program,
            "partition": partition,
            "account": account,
            "time": time,
            "memory": memory,
            "modules": modules,
            "site": site,
            "threads": threads,
            "output": output,
            "seed": seed,
            "quiet": True,
        },
    )
    return results(command, Result)


def study_status(
    folder: Document,
    *,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Show the progress of the shards of a study.

    Args:
        folder: Folder of `study submit`, or output folder of the shards of one study.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["study", "status"],
        [("folder", folder)],
        {
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def study_new(
    name: Value,
    *,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> str:
    """Write a commented study file to start from.

    Args:
        name: Name of the study: letters, digits, `.`, `-` and `_`.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["study", "new"],
        [("name", name)],
        {
            "threads": threads,
            "seed": seed,
        },
    )
    return command.run()[1].decode()


def study_diff(
    a: Document,
    b: Document,
    *,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Compare the results of two studies.

    Args:
        a: First results to compare: the folder of one study, or a table of results (CSV).
        b: Second results.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["study", "diff"],
        [("a", a), ("b", b)],
        {
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def study_list(
    folder: Document = None,
    *,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """List the studies in a folder.

    Args:
        folder: Folder with study files; results are there or in one subfolder per study.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["study", "list"],
        [*([] if folder is None else [("folder", folder)])],
        {
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def study_sets(
    specs: Document,
    *,
    point: int,
    index: Optional[int] = None,
    variant: Value = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Write the task sets of a point of a study.

    Args:
        specs: Study file (TOML).
        point: Index of the point, from 0; the column `point` of the results.
        index: Index of the task set within the point, from 0 [default: all task sets of the point].
        variant: Analysis variant whose WCET functions the task sets have [default: the first of the study].
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["study", "sets"],
        [("specs", specs)],
        {
            "point": point,
            "index": index,
            "variant": variant,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def study_draw(
    folder: Document,
    *,
    as_: Optional[Literal["svg", "pdf", "png"]] = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Draw the figures of finished studies again.

    Args:
        folder: Output folder of `study run`, or folder of studies with one results folder each.
        as_: Format of the figures. ``svg``: Scalable figure for browsers and editors. ``pdf``: Scalable figure for
            LaTeX. Requires a build with the feature `pdf-png`. ``png``: Raster image with twice the width and
            height of the SVG figure. Requires a build with the feature `pdf-png`.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["study", "draw"],
        [("folder", folder)],
        {
            "as": as_,
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def study_check(
    folder: Document,
    *,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Check published claims against the results.

    Args:
        folder: Output folder of `study run`, or folder of studies with one results folder each.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["study", "check"],
        [("folder", folder)],
        {
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)


def study_reproduction(
    folders: Union[Document, Sequence[Document]],
    *,
    reasons: Document = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> str:
    """Write a page that compares finished studies with published claims.

    Args:
        folders: Folders with finished studies, as for `study check`.
        reasons: JSON file with reasons for deviations [default: reasons.json in DIR].
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["study", "reproduction"],
        [("folders", folders)],
        {
            "reasons": reasons,
            "threads": threads,
            "seed": seed,
        },
    )
    return command.run()[1].decode()


def plot(
    files: Union[Document, Sequence[Document]],
    *,
    kind: Optional[Literal["line", "bar", "point", "box", "cdf", "heat"]] = None,
    x: Value = None,
    y: Value = None,
    series: Value = None,
    panel: Value = None,
    where: Optional[Union[Mapping[str, Any], Sequence[str], str]] = None,
    normalize: Value = None,
    log_x: bool = False,
    log_y: bool = False,
    scale: Optional[Literal["shared", "free"]] = None,
    x_range: Value = None,
    y_range: Value = None,
    reference: Optional[Union[Mapping[str, Any], Sequence[str], str]] = None,
    title: Value = None,
    x_title: Value = None,
    y_title: Value = None,
    color_title: Value = None,
    size: Value = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Figure:
    """Draw results as a figure.

    Args:
        files: CSV files with results, all for one figure; `-` is standard input.
        kind: Kind of figure. Default: `line` if the horizontal axis shows numbers. If it shows texts: `bar` if each
            series has at most one value for each text, otherwise `box`. ``line``: One line per series, with a band
            for the confidence interval. ``bar``: Groups of bars, one bar per series, with the confidence interval.
            ``point``: One point per row, with the confidence interval. ``box``: For several values: median,
            quartiles, whiskers of 1.5 interquartile ranges, and outliers. ``cdf``: For each x on the horizontal
            axis, the share of the values that are at most x. ``heat``: One colored cell per value, one row of cells
            per series.
        x: Column of the horizontal axis [default: `utilization`, or the first column that distinguishes the rows].
        y: Column of the values [default: `rate` or `value`].
        series: Columns that determine the series: the lines, or the bars in a group. A comma separates several
            columns. An empty text means one series. Default: `algorithm`, or the other columns that distinguish the
            rows.
        panel: Columns that determine the panels [default: `variant`, if present]. A comma separates several
            columns. An empty text means one panel.
        where: Draw only rows with VALUE in COLUMN; repeat the option to allow more values.
        normalize: Divide each value by the value of this series at the same horizontal position.
        log_x: Use a logarithmic horizontal axis.
        log_y: Use a logarithmic vertical axis.
        scale: Axes of several panels. Default: `free` if the panels show different quantities, otherwise `shared`.
        x_range: Ends of the horizontal axis, in the unit of the column.
        y_range: Ends of the vertical axis, in the unit of the column.
        reference: Draw a line at this value, with an optional label; repeat the option for more lines.
        title: Title [default: name of the study].
        x_title: Title of the horizontal axis [default: name of the column].
        y_title: Title of the vertical axis [default: name of the column].
        color_title: Title of the color scale of a heat map [default: name of the column].
        size: Width and height of the figure in pixels [default: according to the content].
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["plot"],
        [("files", files)],
        {
            "kind": kind,
            "x": x,
            "y": y,
            "series": series,
            "panel": panel,
            "where": pairs(where),
            "normalize": normalize,
            "log-x": log_x,
            "log-y": log_y,
            "scale": scale,
            "x-range": joined(x_range, ".."),
            "y-range": joined(y_range, ".."),
            "reference": pairs(reference),
            "title": title,
            "x-title": x_title,
            "y-title": y_title,
            "color-title": color_title,
            "size": joined(size, "x"),
            "threads": threads,
            "seed": seed,
        },
    )
    return Figure(command.run()[1])


def report(
    input: Document,
    task_set: Document = None,
    *,
    search_effort: Optional[int] = None,
    interference: Optional[Interference] = None,
    memory_bandwidth: Value = None,
    set: Document = None,
    plan: Document = None,
    task: Optional[Union[Mapping[str, Any], Sequence[str], str]] = None,
    by: Optional[Literal["range", "kernel", "stream"]] = None,
    name: Value = None,
    gap: Value = None,
    gpu: Value = None,
    warm_up: Optional[Union[Mapping[str, Any], Sequence[str], str]] = None,
    max_unpacked: Value = None,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Report:
    """Write a web page about a plan, a system, a study or a recording.

    Args:
        input: Plan, results folder of a study, or, with --set, recording (FILE[@SIZE]). For an end-to-end system,
            INPUT is a plan of `partition`, a verdict of `test --format json`, or budgets of `budget nominal
            --deadlines --format json`. For a kernel, INPUT is a bound of `wcet bound --format json`, or a nominal
            budget of `budget nominal --format json`.
        task_set: Task set, end-to-end system or kernel of INPUT.
        search_effort: Examine at most N candidate partitions for the lower bound of the plan [default: 30000000].
        interference: Interference model of the end-to-end system. ``conflict``: Tasks of the same kind in one
            partition have the WCET in conflict Cᶜ. All other tasks have the isolated WCET Cⁿ. ``none``: Tasks do
            not contend. Every task has the isolated WCET Cⁿ. ``conflict+bandwidth``: The model `conflict`, plus
            delays by the memory traffic of other partitions. ``bandwidth``: The model `none`, plus delays by the
            memory traffic of other partitions. ``conflict+memory-time``: The model `conflict`, plus delays by
            memory times of jobs in other partitions. ``memory-time``: The model `none`, plus delays by memory times
            of jobs in other partitions.
        memory_bandwidth: Guaranteed memory bandwidth of the end-to-end system, e.g., 100GB/s.
        set: Task set of a recorded run; INPUT is the recording.
        plan: Plan of a recorded run, to check partitions and contexts.
        task: Activity of a task with another name; may be repeated.
        by: Rule that groups launches into jobs. ``range``: Each named range is a job, and its name is the activity.
            ``kernel``: Each kernel launch is a job, and the name of the kernel is the activity. ``stream``: Each
            group of launches on one stream without long gaps between them is a job. The stream is the activity.
        name: Name of an activity; may be repeated [default: all; for ranges, the outermost].
        gap: Shortest idle time that separates two jobs on a stream [default: from the gaps]. Only with `--by
            stream`. gpusched sorts all gaps. The default is the gap after the largest relative increase.
        gpu: GPU of the run, for sizes in percent and MIG slices.
        warm_up: Drop the first N jobs of each activity, or the jobs of the first TIME; may be repeated [default:
            0]. `--warm-up detector=6` states the warm-up of one activity, or in an audit of one task.
        max_unpacked: Largest size of a recording after unpacking [default: 1GB]. gpusched refuses a compressed
            recording that unpacks to more bytes. The option has no effect on other recordings.
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["report"],
        [("input", input), *([] if task_set is None else [("task_set", task_set)])],
        {
            "search-effort": search_effort,
            "interference": interference,
            "memory-bandwidth": memory_bandwidth,
            "set": set,
            "plan": plan,
            "task": pairs(task),
            "by": by,
            "name": name,
            "gap": gap,
            "gpu": gpu,
            "warm-up": pairs(warm_up),
            "max-unpacked": max_unpacked,
            "threads": threads,
            "seed": seed,
        },
    )
    return Report(command.run())


def schema(
    name: Value = None,
    *,
    threads: Optional[int] = None,
    seed: Optional[int] = None,
) -> Result:
    """Print the JSON schema of a file format.

    Args:
        name: Name of the file format [default: list all formats].
        threads: Number of worker threads; results do not depend on it [default: all cores].
        seed: Seed of all random numbers [default: 1].
    """
    command = Command(
        ["schema"],
        [*([] if name is None else [("name", name)])],
        {
            "threads": threads,
            "seed": seed,
        },
    )
    return results(command, Result)
