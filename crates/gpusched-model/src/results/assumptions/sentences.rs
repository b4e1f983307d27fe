//! Texts of assumptions that contain numbers.

use std::collections::BTreeSet;

use crate::provenance::SizeSign;
use crate::tasks::wcet::WcetSource;
use crate::time::Time;
use crate::traffic::{MemoryTime, RateForm};
use crate::{Bandwidth, Factor, Overheads, WarmUp};

/// Number of tasks to which an assumption applies, and the total number of tasks in the set.
#[derive(Copy, Clone, Debug)]
pub(super) struct Part {
    pub count: usize,
    pub of: usize,
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Part { count, of } = self;
        write!(f, "{count} of {of} {}", if *of == 1 { "task" } else { "tasks" })
    }
}

pub(super) fn dispatch(order: &str) -> String {
    format!("A work-conserving dispatcher runs at most one kernel of a partition at a time, {order}.")
}

/// `unmeasured` is whether no measurement on a GPU shows the bounds.
pub(super) fn overheads(overheads: Overheads, unmeasured: bool) -> String {
    let (job, wake) = (overheads.occupancy_ns, overheads.wake_ns);
    let origin = if unmeasured { " Not measured." } else { "" };
    format!(
        "A job occupies its partition at most {job} beyond its GPU time. An idle dispatcher sees an arrival within {wake}.{origin}"
    )
}

pub(super) fn bandwidth(bandwidth: Bandwidth) -> String {
    format!(
        "The memory moves at least {bandwidth} while requests wait, even if all requests go to one L2 slice, channel or bank."
    )
}

pub(super) fn memory_time(time: MemoryTime, at_ports: bool) -> String {
    let MemoryTime {
        form,
        l2_bytes_per_second: l2,
        dram_bytes_per_second: dram,
        ..
    } = time;
    let own = match form {
        RateForm::OwnDrain => " or its `drain`",
        RateForm::Universal | RateForm::Balanced => "",
    };
    let time = match at_ports {
        true => format!("time at ports, L2 ({l2}) and DRAM ({dram})"),
        false => format!("memory time at {l2} (L2) and {dram} (DRAM)"),
    };
    format!(
        "A job delays each other partition by at most its {time}{own}: {}.",
        RateForm::STRENGTH
    )
}

pub(super) fn cold_wcets(time: MemoryTime) -> String {
    let variation_percent = time.variation_percent;
    let ways = match time.own_l2 {
        true => " on L2 ways that only the partition uses",
        false => "",
    };
    format!(
        "WCETs are of runs with cold caches{ways}. Launch offsets and base addresses change them by at most {variation_percent} %."
    )
}

pub(super) fn active_blocks(blocks: u32) -> String {
    format!(
        "While blocks of the kernel wait, at least {blocks} of its blocks run. No other kernel uses their SMs."
    )
}

pub(super) fn block_times_estimated(estimated: usize, of: usize) -> String {
    format!(
        "The WCETs of {estimated} of {of} clusters are extreme-value estimates. A block exceeds one with its stated probability."
    )
}

pub(super) fn memory_budget(q: Factor, period: Time) -> String {
    format!(
        "Best-effort cores access memory for at most {q} of each regulation period of {period}, including requests in flight."
    )
}

pub(super) fn budget_process(requests: u64, lead: Time) -> String {
    format!(
        "The process that computes budgets makes at most {requests} memory requests per ms and needs at most {lead} for a budget."
    )
}

pub(super) fn serial_sum(variation_percent: u32) -> String {
    format!(
        "While jobs are pending, the partition completes their WCETs at a rate of at least 1/(1 + {variation_percent} %). Tested only."
    )
}

pub(super) fn releases(jitter: bool) -> String {
    let release = if jitter {
        "Each job is released at most `jitter` after its arrival."
    } else {
        "Each job is released at its arrival."
    };
    format!("Two arrivals of a task are at least one period apart. {release}")
}

pub(super) fn traffic_unknown(tasks: Part) -> String {
    format!("The `traffic` of {tasks} is unknown. Such a task may use all memory bandwidth while it runs.")
}

pub(super) fn kind_unknown(tasks: Part) -> String {
    format!("The `kind` of {tasks} is unknown. Such a task contends with all tasks of its partition.")
}

pub(super) fn block_unknown(tasks: Part) -> String {
    format!(
        "The `block` of {tasks} is unknown. Such a task counts as one thread block, which cannot be preempted."
    )
}

pub(super) fn conflict_as_isolated(tasks: Part) -> String {
    format!("Contention does not slow down tasks without a conflict WCET ({tasks}).")
}

/// GPUs and margins that a task set states for some WCETs.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Origins {
    /// Number of tasks whose GPU is unknown, although the GPU of the verdict is known.
    pub unknown_gpu: usize,
    /// Smallest and largest margin; `None` without tasks, or if a task states no margin.
    margins: Option<(Factor, Factor)>,
    /// Whether a task states no margin.
    no_margin: bool,
}

impl Origins {
    /// Adds the margin of a task.
    pub fn add_margin(&mut self, margin: Option<Factor>) {
        self.no_margin |= margin.is_none();
        let all = self.margins.map_or(margin.zip(margin), |(least, most)| {
            margin.map(|margin| (least.min(margin), most.max(margin)))
        });
        self.margins = all.filter(|_| !self.no_margin);
    }

    /// Returns the relation of a measured WCET to the longest measured time.
    fn relation(self) -> String {
        match self.margins {
            None => "at least the longest measured time".to_owned(),
            Some((Factor::ONE, Factor::ONE)) => "the longest measured time".to_owned(),
            Some((least, most)) if least == most => format!("{least} times the longest measured time"),
            Some((least, most)) => format!("{least} to {most} times the longest measured time"),
        }
    }
}

pub(super) fn other_gpu(gpu: &str, tasks: Part) -> String {
    format!("No job takes longer than its WCET, which is from another GPU, such as {gpu} ({tasks}).")
}

pub(super) fn gaps_left_out(longest: Time, tasks: Part) -> String {
    format!(
        "Jobs have no gaps between their kernels, although measured jobs had gaps of up to {longest} in total ({tasks})."
    )
}

pub(super) fn copies_left_out(longest: Time, tasks: Part) -> String {
    format!(
        "Jobs copy nothing before their first or after their last kernel, although measured jobs did for up to {longest} ({tasks})."
    )
}

pub(super) fn recording_incomplete(tasks: Part) -> String {
    format!(
        "No job takes longer than its WCET, although the recordings lack records, such as the times of launches ({tasks})."
    )
}

pub(super) fn size_stated(tasks: Part) -> String {
    format!("The measured jobs ran on the stated number of SMs, which the recordings do not show ({tasks}).")
}

/// `signs` contradict the stated number.
pub(super) fn size_contradicted(signs: &BTreeSet<SizeSign>, tasks: Part) -> String {
    let signs: Vec<&str> = signs.iter().map(|sign| sign.text()).collect();
    let signs = signs.join(", ");
    format!("Measured jobs ran on the stated number of SMs despite {signs} ({tasks}).")
}

/// `rules` are the rules that dropped the first jobs of recordings.
pub(super) fn warm_up_left_out(rules: &[WarmUp], tasks: Part) -> String {
    let rules = rules.iter().map(|rule| match rule {
        WarmUp::Jobs(1) => "the first job".to_owned(),
        WarmUp::Jobs(count) => format!("the first {count} jobs"),
        WarmUp::Time(time) => format!("the first {time}"),
    });
    let mut rules: Vec<String> = rules.collect();
    rules.sort();
    rules.dedup();
    let more = if rules.len() > MOST_RULES { ", …" } else { "" };
    rules.truncate(MOST_RULES);
    let rules = rules.join(", ");
    format!("No deadline counts in the warm-up, whose jobs no WCET contains: {rules}{more} ({tasks}).")
}

/// Largest number of rules of warm-ups in an assumption.
const MOST_RULES: usize = 3;

pub(super) fn wcet(source: WcetSource, tasks: Part, origins: Origins) -> String {
    let unknown = match origins.unknown_gpu {
        0 => String::new(),
        all if all == tasks.count => ", GPU unknown".to_owned(),
        some => format!(", {some} without known GPU"),
    };
    match source {
        WcetSource::Stated => format!(
            "No job takes longer than its stated WCET, which includes launch overhead, copies and CPU segments ({tasks}{unknown})."
        ),
        WcetSource::Fitted => {
            format!(
                "No job takes longer than its fitted WCET, which is a curve that no measurement exceeds ({tasks}{unknown})."
            )
        }
        WcetSource::Measured => {
            let relation = origins.relation();
            format!("No job takes longer than its measured WCET, which is {relation} ({tasks}{unknown}).")
        }
        WcetSource::Estimated => {
            format!(
                "No job takes longer than its estimated WCET, although an estimate is not a bound ({tasks}{unknown})."
            )
        }
    }
}
