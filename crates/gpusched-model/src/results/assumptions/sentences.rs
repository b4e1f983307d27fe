//! Sentences with numbers in them.

use crate::Bandwidth;
use crate::tasks::wcet::WcetSource;

/// Some of the tasks of a set.
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

pub(super) fn bandwidth(bandwidth: Bandwidth) -> String {
    format!(
        "The memory is one server. It moves at least {bandwidth} while requests wait, over all request mixes."
    )
}

pub(super) fn releases(jitter: bool) -> String {
    let release = if jitter {
        "A release follows its arrival within the stated `jitter`."
    } else {
        "Releases have no jitter."
    };
    format!("Two arrivals of a task are at least its period apart. {release}")
}

pub(super) fn traffic_unknown(tasks: Part) -> String {
    format!("No `traffic` is known of {tasks}. Each of them may use all memory bandwidth while it runs.")
}

pub(super) fn kind_unknown(tasks: Part) -> String {
    format!("No `kind` is known of {tasks}. Each of them contends with all tasks of its partition.")
}

pub(super) fn block_unknown(tasks: Part) -> String {
    format!("No `block` is known of {tasks}. Each of them is one thread block, which nothing preempts.")
}

pub(super) fn conflict_as_isolated(tasks: Part) -> String {
    format!("Contention does not slow down tasks without a conflict WCET ({tasks}).")
}

pub(super) fn wcet(source: WcetSource, tasks: Part) -> String {
    match source {
        WcetSource::Stated => format!(
            "No job takes longer than its stated WCET, with launch overhead, copies and CPU segments ({tasks})."
        ),
        WcetSource::Fitted => {
            format!("No job takes longer than its fitted WCET, a curve that extends measurements ({tasks}).")
        }
        WcetSource::Measured => {
            format!(
                "No job takes longer than its measured WCET, the longest time of a measurement ({tasks})."
            )
        }
        WcetSource::Estimated => {
            format!(
                "No job takes longer than its estimated WCET, although an estimate is no bound ({tasks})."
            )
        }
    }
}
