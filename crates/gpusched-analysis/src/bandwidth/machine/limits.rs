//! Comments that state what a regulation of best-effort cores does not guarantee.

use super::{Allowance, Machine};

/// The regulation counts the misses of each core in each period.
pub(super) const COUNTERS: [&str; 4] = [
    "The tool counts misses of the last-level cache. Prefetches, uncached accesses and DMA may be invisible to the counter.",
    "MemGuard and BWLOCK++ do not count misses in kernel mode, such as copies by system calls.",
    "A core stops after an interrupt. The limit covers at most the stated overshoot of each core.",
    "Each core has its own timer, and the periods of all cores must begin together. Only WCETs from `e1` are valid without this condition.",
];

/// Start of the first comment of a script whose tool limits the average rate only.
const NOT_PROVEN: &str = "# DEADLINES ARE NOT PROVEN with this script. The analysis requires that the cores access memory for at most Q of each \
     regulation period, and this tool limits only their average rate. So WCETs and bounds under the budget are only estimates.\n";

/// Returns the first comments of a script: the budget, its misses, and the numbered list of what is not guaranteed. `counts` states
/// whether the tool counts the misses of each core in each period.
pub(super) fn head(
    machine: &Machine,
    allowance: &Allowance,
    (tool, counts): (&str, bool),
    open: &[&str],
) -> String {
    let Allowance { q, period, .. } = allowance;
    let not_proven = if counts { "" } else { NOT_PROVEN };
    let process = match machine.process_misses {
        0 => String::new(),
        misses => format!("; process that computes budgets: {misses} of them"),
    };
    let mut text = format!(
        "#!/bin/sh\n\
         {not_proven}\
         # {tool}: memory bandwidth budget Q = {q} of the best-effort cores {}, regulation period {period}\n\
         # All cores: {} misses of {} bytes per period at {}{process}; each core: {}\n",
        list(&machine.cores),
        allowance.of_budget,
        machine.line,
        machine.rate,
        allowance.per_core,
    );
    if machine.process_misses > 0 {
        text += &format!(
            "# The process starts {} before each period. Without such a process, budgets are constant.\n",
            machine.lead
        );
    }
    text += "# Not guaranteed by gpusched:\n";
    let rate = format!(
        "While any segment is in progress, the unlimited best-effort cores together reach at least {}, the smallest rate in all \
         experiments that gave e1. At a lower rate, the budget is too large.",
        machine.rate
    );
    let one = "Misses of cores that access memory one after the other delay no longer than misses of all cores together. \
               Otherwise, state the rate of one core alone."
        .to_owned();
    let others = "Other cores and devices cause no memory traffic that delays the segments.".to_owned();
    let pinned = "Each best-effort program runs only on the best-effort cores. A program without CPU affinity escapes the budget.".to_owned();
    let open = [rate, one, others, pinned]
        .into_iter()
        .chain(open.iter().map(|text| (*text).to_owned()));
    for (number, sentence) in (1..).zip(open) {
        text += &format!("# {number}. {sentence}\n");
    }
    text + HELPERS
}

/// Functions of all scripts. `online` checks that a CPU exists and is online.
const HELPERS: &str = "\
set -e
sys=\"${SYSFS:-/sys}\"
fail() { echo \"error: $1\" >&2; exit 1; }
online() {
  folder=\"$sys/devices/system/cpu/cpu$1\"
  [ -d \"$folder\" ] || fail \"cpu$1: found no such CPU, expected an online CPU\"
  [ ! -e \"$folder/online\" ] || [ \"$(cat \"$folder/online\")\" = 1 ] || fail \"cpu$1: found an offline CPU, expected an online CPU\"
}
";

/// Returns the CPU numbers in ascending order, with commas.
pub(super) fn list(cores: &[u32]) -> String {
    let mut sorted = cores.to_vec();
    sorted.sort_unstable();
    let names: Vec<String> = sorted.iter().map(u32::to_string).collect();
    names.join(",")
}
