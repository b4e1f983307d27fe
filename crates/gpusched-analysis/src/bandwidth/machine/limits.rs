//! Comments that state what a regulation of best-effort cores does not guarantee.

use super::{Allowance, Machine};

/// The regulation counts the misses of each core in each period.
pub(super) const COUNTERS: [&str; 4] = [
    "The tool counts misses of the last-level cache. Prefetches, uncached accesses and DMA may be invisible to the counter.",
    "MemGuard and BWLOCK++ do not count misses in kernel mode, such as copies by system calls.",
    "A core stops after an interrupt. The limit covers at most the stated overshoot of each core.",
    "Each core has its own timer, and the periods of all cores must begin together. Only WCETs from `e1` are valid without this condition.",
];

/// Returns the first comments of a script: the budget, its misses, and the numbered list of what is not guaranteed.
pub(super) fn head(machine: &Machine, allowance: &Allowance, tool: &str, open: &[&str]) -> String {
    let Allowance { q, period, .. } = allowance;
    let mut text = format!(
        "#!/bin/sh\n\
         # {tool}: memory bandwidth budget Q = {q} of the best-effort cores {}, regulation period {period}\n\
         # All cores: {} misses of {} bytes per period at {}; process that computes budgets: {} of them; each core: {}\n\
         # The process starts {} before each period. Without such a process, budgets are constant.\n\
         # Not guaranteed by gpusched:\n",
        list(&machine.cores),
        allowance.of_budget,
        machine.line,
        machine.rate,
        machine.process_misses,
        allowance.per_core,
        machine.lead,
    );
    let rate = format!(
        "While a kernel runs, the unlimited best-effort cores together reach at least {}. At a lower rate, the budget is too large.",
        machine.rate
    );
    let one = "Misses of cores that access memory one after the other delay no longer than misses of all cores together. \
               Otherwise, state the rate of one core alone."
        .to_owned();
    let others = "Other cores and devices cause no memory traffic that delays the kernel.".to_owned();
    let open = [rate, one, others]
        .into_iter()
        .chain(open.iter().map(|text| (*text).to_owned()));
    for (number, sentence) in (1..).zip(open) {
        text += &format!("# {number}. {sentence}\n");
    }
    text + "set -e\nsys=\"${SYSFS:-/sys}\"\nfail() { echo \"error: $1\" >&2; exit 1; }\n"
}

/// Returns the CPU numbers in ascending order, with commas.
pub(super) fn list(cores: &[u32]) -> String {
    let mut sorted = cores.to_vec();
    sorted.sort_unstable();
    let names: Vec<String> = sorted.iter().map(u32::to_string).collect();
    names.join(",")
}
