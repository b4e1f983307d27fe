//! Definition and source of each number on the pages of plans, systems and kernels.
//!
//! The page `docs/reference/report-columns.md` has the reverse table: source, column, function and test.

use serde::Serialize;

use crate::sources::SOURCES;
use crate::view::Table;

/// The definition of a column.
#[derive(Copy, Clone, Debug)]
pub struct Definition {
    /// Title of the column.
    pub column: &'static str,
    /// Meaning of the numbers, in words.
    pub meaning: &'static str,
    /// Paper with its equation or section, or `gpusched` for own work.
    pub source: &'static str,
    /// Page of the documentation that explains the number, below `docs/`.
    pub page: &'static str,
}

const fn row(
    column: &'static str,
    meaning: &'static str,
    source: &'static str,
    page: &'static str,
) -> Definition {
    Definition {
        column,
        meaning,
        source,
        page,
    }
}

/// The definitions of all columns, in the order of the pages.
pub const DEFINITIONS: [Definition; 62] = [
    row(
        "Period T",
        "shortest distance between two arrivals of the task, from the task set",
        "[Singh21] §3.4.2",
        "reference/files/task-sets.md",
    ),
    row(
        "Deadline D",
        "relative deadline of each job, from the task set",
        "[Singh21] §3.4.2",
        "reference/files/task-sets.md",
    ),
    row(
        "Jitter J",
        "longest time from the arrival of a job to its release, from the task set",
        "Tindell, Burns & Wellings 1994",
        "explanation/tests.md#common-to-all-tests",
    ),
    row(
        "WCET C",
        "WCET on the SMs of the partition, inflated by the tasks of the partition",
        "[Singh21] §3.4.2, Cᵢ(𝒯(P), |P|)",
        "explanation/conflict.md",
    ),
    row(
        "WCET C'",
        "WCET in the MIG instance of the partition",
        "gpusched",
        "explanation/shared-memory.md#granularity-and-mig",
    ),
    row(
        "C / T",
        "utilization of the task",
        "[Singh21] §3.6.1",
        "explanation/tests.md#common-to-all-tests",
    ),
    row(
        "C' / T",
        "utilization of the task in its MIG instance",
        "[Singh21] §3.6.1",
        "explanation/shared-memory.md#granularity-and-mig",
    ),
    row(
        "Response time R",
        "bound on the time from the arrival of a job to its end",
        "Lehoczky 1990; Davis et al. 2007; under EDF Spuri 1996",
        "explanation/tests.md#fixed-priorities",
    ),
    row(
        "Response time",
        "the bound R in the evidence, which the verifier recomputes",
        "Lehoczky 1990; Davis et al. 2007; Bedarkar et al. 2022",
        "explanation/verifier.md#what-it-recomputes",
    ),
    row(
        "Margin D − R",
        "deadline minus response time; negative if the bound exceeds the deadline",
        "definition",
        "explanation/tests.md#fixed-priorities",
    ),
    row(
        "R / D",
        "response time as a share of the deadline",
        "definition",
        "explanation/tests.md#fixed-priorities",
    ),
    row(
        "WCET may grow",
        "largest factor for the WCET of this task alone with which the partition still passes",
        "gpusched",
        "explanation/partitioning.md#sensitivity",
    ),
    row(
        "Dual price",
        "part of the task in the lower bound on the number of SMs, which is the sum of all parts, rounded up",
        "Edmonds 1965; Dantzig 1957; gpusched",
        "explanation/partitioning.md#lower-bound",
    ),
    row(
        "SMs",
        "number of SMs of the partition, |P|",
        "[Singh21] §3.4.1, Lemma 3",
        "explanation/partitioning.md",
    ),
    row(
        "Utilization",
        "sum of C / T of the tasks in the partition",
        "[Singh21] §3.6.1",
        "explanation/tests.md#common-to-all-tests",
    ),
    row(
        "Slack",
        "least difference of supply and demand in a busy interval. All tasks of the partition share it",
        "Baruah, Mok & Rosier 1990",
        "explanation/tests.md#preemptive-edf",
    ),
    row(
        "Spare SMs",
        "SMs that the partition does not need to pass its test",
        "gpusched",
        "explanation/partitioning.md#sensitivity",
    ),
    row(
        "Interval t",
        "length of an interval that the evidence checks",
        "Zhang & Burns 2009",
        "explanation/tests.md#preemptive-edf",
    ),
    row(
        "Demand in t",
        "execution time of all jobs that arrive and are due in an interval of length t, with blocking",
        "Baruah, Mok & Rosier 1990; George et al. 1996",
        "explanation/tests.md#preemptive-edf",
    ),
    row(
        "Supply − demand",
        "t minus the demand in t",
        "Baruah, Mok & Rosier 1990",
        "explanation/tests.md#preemptive-edf",
    ),
    row(
        "Jobs",
        "jobs of the task in the simulated run",
        "gpusched",
        "explanation/simulators.md#the-simulator-of-jobs",
    ),
    row(
        "Longest response time",
        "longest time from an arrival to the end of the job in the simulated run; not a bound",
        "gpusched",
        "explanation/simulators.md#the-simulator-of-jobs",
    ),
    row(
        "Preemptions",
        "preemptions of the jobs in the simulated run",
        "gpusched",
        "explanation/simulators.md#the-simulator-of-jobs",
    ),
    row(
        "Deadline misses",
        "jobs that end after their deadlines in the simulated run",
        "gpusched",
        "explanation/simulators.md#the-simulator-of-jobs",
    ),
    row(
        "Traffic per job",
        "bytes that a job moves from or to DRAM, from the task set",
        "gpusched",
        "explanation/shared-memory.md#assumptions",
    ),
    row(
        "Mean rate",
        "traffic per job divided by the period",
        "definition",
        "explanation/shared-memory.md#assumptions",
    ),
    row(
        "Share of the bandwidth",
        "mean rate as a share of the guaranteed memory bandwidth",
        "definition",
        "explanation/shared-memory.md#the-bound",
    ),
    row(
        "Share of the instance bandwidth",
        "mean rate as a share of the bandwidth of the MIG instance",
        "definition",
        "explanation/shared-memory.md#granularity-and-mig",
    ),
    row(
        "Bandwidth of the instance",
        "guaranteed bandwidth times the share of the memory slices of the instance",
        "gpusched",
        "explanation/shared-memory.md#granularity-and-mig",
    ),
    row(
        "Reaction time",
        "bound on the time from an external event to the first output that depends on it",
        "Davare et al. 2007; Dürr et al. 2019; Kloda et al.",
        "explanation/end-to-end.md#chains",
    ),
    row(
        "Data age",
        "bound on the time from an input to an output that depends on it. It is R of the last task, plus T + R of each earlier task. A task that ends before the next one can start counts as T. With let, D takes the place of R",
        "Davare et al. 2007; Dürr et al. 2019",
        "explanation/end-to-end.md#chains",
    ),
    row(
        "Limit",
        "largest allowed reaction time, from the system",
        "definition",
        "explanation/end-to-end.md#chains",
    ),
    row(
        "Margin",
        "limit minus reaction time",
        "definition",
        "explanation/end-to-end.md#chains",
    ),
    row(
        "Reaction time / limit",
        "reaction time as a share of the limit",
        "definition",
        "explanation/end-to-end.md#chains",
    ),
    row(
        "WCET",
        "WCET of the segment on its resource",
        "Tindell & Clark 1994",
        "explanation/end-to-end.md#model",
    ),
    row(
        "End, from the arrival of the job",
        "bound on the time from the arrival of a job to the end of the segment",
        "Tindell & Clark 1994; Palencia & González Harbour 1998",
        "explanation/end-to-end.md#work-in-a-window",
    ),
    row(
        "Delay S, from the release",
        "bound on the time from the release of the segment to its end; absent if the proof does not use it",
        "Tindell & Clark 1994; Palencia & González Harbour 1998",
        "explanation/end-to-end.md#work-in-a-window",
    ),
    row(
        "Budget Q",
        "share of the regulation period during which best-effort cores may access memory",
        "[Aghilinasab20] §V",
        "explanation/kernel-bounds.md#the-bound-under-a-budget",
    ),
    row(
        "Memory time b",
        "memory time of best-effort cores in each regulation period",
        "[Aghilinasab20] Eqs 5–7",
        "explanation/budgets-end-to-end.md#the-regulation",
    ),
    row(
        "Memory time b per regulation period",
        "the same for a group of segments",
        "[Aghilinasab20] Eqs 5–7",
        "explanation/budgets-end-to-end.md#the-choice-of-budgets",
    ),
    row(
        "Share of execution time",
        "share of time for which the segments of the group execute in isolation: the weight of the budget in the choice",
        "gpusched",
        "explanation/budgets-end-to-end.md#the-choice-of-budgets",
    ),
    row(
        "WCET G under the budget",
        "WCET of the segment while best-effort cores access memory",
        "[Aghilinasab20] Eqs 8–12",
        "explanation/budgets-end-to-end.md#wcets-under-a-budget",
    ),
    row(
        "Interval ω that contains the segment",
        "bound on the end of the segment from the arrival of the job, minus the sum of the BCETs that the segments before it state",
        "gpusched",
        "explanation/budgets-end-to-end.md#wcets-under-a-budget",
    ),
    row(
        "Accesses, random times",
        "share of time with accesses of best-effort cores in simulated runs with random execution times",
        "gpusched",
        "explanation/budgets-end-to-end.md#slack-at-run-time",
    ),
    row(
        "Accesses, WCETs in isolation",
        "the same for execution times that equal the WCETs in isolation",
        "gpusched",
        "explanation/budgets-end-to-end.md#slack-at-run-time",
    ),
    row(
        "Gain over nominal",
        "relative gain in accesses over the policy NOMINAL",
        "[Aghilinasab20] Table III",
        "explanation/budgets-end-to-end.md#slack-at-run-time",
    ),
    row(
        "Segments beyond nominal schedule",
        "segments that end later than under NOMINAL",
        "gpusched",
        "explanation/budgets-end-to-end.md#slack-at-run-time",
    ),
    row(
        "WCET bound G",
        "bound on the execution time of the kernel at budget Q",
        "[Aghilinasab20] Eqs 8–12, Algorithm 1",
        "explanation/kernel-bounds.md#the-bound-under-a-budget",
    ),
    row(
        "Slowdown",
        "G divided by the bound in isolation, minus 1",
        "[Aghilinasab20] §VII-C",
        "explanation/kernel-bounds.md#the-bound-under-a-budget",
    ),
    row(
        "Memory time within G",
        "largest memory time of best-effort cores while the kernel runs",
        "[Aghilinasab20] Eqs 5–7, Fig. 1",
        "explanation/kernel-bounds.md#the-bound-under-a-budget",
    ),
    row(
        "Blocks",
        "number of thread blocks of the cluster, Nᵢ",
        "[Aghilinasab20] Eqs 2–4",
        "explanation/kernel-bounds.md#clusters-of-thread-blocks",
    ),
    row(
        "WCET in isolation e⁰",
        "stated time that no block may exceed without memory accesses of best-effort cores",
        "[Aghilinasab20] Eqs 2–4",
        "explanation/kernel-bounds.md#clusters-of-thread-blocks",
    ),
    row(
        "WCET under memory accesses e¹",
        "stated time that no block may exceed while best-effort cores access memory",
        "[Aghilinasab20] Eqs 2–4",
        "explanation/kernel-bounds.md#clusters-of-thread-blocks",
    ),
    row(
        "Percentiles of e⁰ and e¹",
        "probability that a block takes at most e⁰ or e¹, according to the fitted distribution; from the kernel file",
        "[Aghilinasab20] Table I",
        "reference/files/kernels.md",
    ),
    row(
        "Goodness of fit of e⁰ and e¹",
        "distance of measured times from the fitted distribution, as a share of its limit; above 1, the fit is refused. From the kernel file",
        "[Aghilinasab20] Table I",
        "reference/files/kernels.md",
    ),
    row(
        "Memory requests",
        "memory requests of best-effort cores in the simulated runs, with 60,000 requests per ms of memory time",
        "[Aghilinasab20] Table III",
        "explanation/budgets.md#budgets-at-run-time",
    ),
    row(
        "Gain over NOMINAL",
        "relative gain in memory requests over the policy NOMINAL",
        "[Aghilinasab20] Table III",
        "explanation/budgets.md#budgets-at-run-time",
    ),
    row(
        "Mean Q",
        "mean budget over time in the simulated runs",
        "[Aghilinasab20] Table III",
        "explanation/budgets.md#budgets-at-run-time",
    ),
    row(
        "Std of Q",
        "standard deviation of the budget over time",
        "[Aghilinasab20] Table III",
        "explanation/budgets.md#budgets-at-run-time",
    ),
    row(
        "Latest end [ms]",
        "latest end of the kernel in the simulated runs",
        "[Aghilinasab20] Lemma 1",
        "explanation/budgets.md#budgets-at-run-time",
    ),
    row(
        "Smallest margin [ms]",
        "G minus the latest end",
        "[Aghilinasab20] Lemma 1",
        "explanation/budgets.md#budgets-at-run-time",
    ),
    row(
        "Runs beyond G(Q)",
        "simulated runs that last longer than G",
        "[Aghilinasab20] Lemma 1",
        "explanation/budgets.md#budgets-at-run-time",
    ),
];

/// The definitions of the columns of a page, and the full titles of their sources.
#[derive(Debug, Default, Serialize)]
pub struct Definitions {
    table: Table,
    sources: Vec<(&'static str, &'static str)>,
}

/// Returns the definitions of the columns of `tables`.
pub fn of<'a>(tables: impl IntoIterator<Item = &'a Table>) -> Definitions {
    let columns = tables.into_iter().flat_map(|table| &table.columns);
    let titles: Vec<&str> = columns.filter_map(|column| column.title.as_deref()).collect();
    let used = DEFINITIONS.iter().filter(|one| titles.contains(&one.column));
    let cited = |source: &str| used.clone().any(|one| one.source.contains(source));
    let sources = { SOURCES.into_iter() }
        .filter(|(source, _)| cited(source))
        .collect();
    let table = Table::of(used.clone())
        .text("Column", |one| one.column)
        .heading()
        .text("Definition", |one| one.meaning)
        .text("Source", |one| one.source)
        .text("Documentation", |one| one.page);
    let table = table.done().on_page("definitions", "Columns of the tables above");
    Definitions { table, sources }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each source with a year has its full title on the page.
    #[test]
    fn sources_are_complete() {
        for one in &DEFINITIONS {
            for source in one
                .source
                .split("; ")
                .filter(|source| source.contains(['1', '2']))
            {
                let known = SOURCES.iter().any(|(name, _)| source.contains(name));
                assert!(known, "{}: {source}", one.column);
            }
        }
    }
}
