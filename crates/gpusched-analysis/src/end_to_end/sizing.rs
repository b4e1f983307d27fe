//! Search for partitions of an end-to-end system. The search selects groups of kernels, partition sizes, and
//! alternatives of tasks. With the selected values, the analysis proves every deadline and every limit of a chain.
//!
//! WCETs never increase with the number of SMs, so a schedulable system stays schedulable with larger partitions
//! (`docs/explanation/pipelines.md` has the proof for pipelined tasks). For given groups, [`plan`] first finds for each
//! partition the smallest size that passes while all other partitions have their largest sizes. Starting from these
//! sizes, [`plan`] examines vectors of sizes (one size per partition) in the order of their sums. The first vector that
//! passes has the fewest SMs.

mod effects;
mod groups;

pub use effects::{NO_EFFECT, check_interference, refuse};

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use gpusched_model::end_to_end::{
    Answer, Draft, DraftPolicy, Environment, PartitionDraft, SystemPlan, planned,
};
use gpusched_model::error::Refusal;

use crate::partitioning::{HeuristicKind, Offer};

/// The GPU of the plan.
#[derive(Copy, Clone, Debug)]
pub struct Gpu<'a> {
    /// Number of SMs of the GPU.
    pub sms: u32,
    /// Supported sizes and placements; `None` if every size is supported.
    pub offer: Option<&'a Offer>,
}

/// Options and limits of the search.
#[derive(Copy, Clone, Debug)]
pub struct Search {
    /// Heuristic that groups the kernels.
    pub heuristic: HeuristicKind,
    /// Interference model, with the memory that all resources share.
    pub environment: Environment,
    /// Whether the search may replace the segments of a task by an alternative of this task.
    pub alternatives: bool,
    /// Maximum number of end-to-end tests.
    pub tests: u64,
}

impl Gpu<'_> {
    /// Returns the supported sizes [SMs], ascending.
    fn sizes(&self) -> Vec<u32> {
        let sizes = self.offer.map(Offer::sizes).filter(|sizes| !sizes.is_empty());
        let mut sizes = sizes.unwrap_or_else(|| (1..=self.sms).collect());
        sizes.retain(|&size| size <= self.sms);
        sizes
    }

    /// Whether partitions of these sizes fit on the GPU together.
    fn fits(&self, sizes: &[u32]) -> bool {
        match self.offer {
            Some(offer) => offer.place(sizes).is_some(),
            None => sizes.iter().map(|&sms| u64::from(sms)).sum::<u64>() <= u64::from(self.sms),
        }
    }
}

/// Sizes that a search may use.
struct Room<'a> {
    /// Supported partition sizes [SMs], ascending.
    sizes: &'a [u32],
    /// Maximum number of SMs of all partitions together.
    most: u64,
    /// GPU on which the partitions must fit; `None` if the search ignores the placement.
    gpu: Option<Gpu<'a>>,
}

impl Room<'_> {
    fn fits(&self, sizes: &[u32]) -> bool {
        self.gpu.is_none_or(|gpu| gpu.fits(sizes))
    }
}

/// Effort of a search: the remaining tests and the tests so far.
struct Effort {
    left: u64,
    done: u64,
}

impl Effort {
    /// Tests `draft` with partitions of `sizes`. Returns `None` if the effort is used up.
    fn test(&mut self, draft: &Draft, sizes: &[u32], environment: Environment) -> Option<Option<Answer>> {
        self.left = self.left.checked_sub(1)?;
        self.done += 1;
        let found = super::analyze_draft(&draft.clone().sized(sizes), environment);
        Some(found.ok().map(|found| found.answer))
    }

    fn passes(&mut self, draft: &Draft, sizes: &[u32], environment: Environment) -> Option<bool> {
        self.test(draft, sizes, environment)
            .map(|answer| answer.is_some_and(|answer| answer.schedulable))
    }
}

/// Partition sizes that a search found for given groups.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Sized {
    /// The sizes with the fewest SMs in total.
    Fewest(Vec<u32>),
    /// Sizes that pass. The search effort is used up, so a plan with fewer SMs may exist.
    Some(Vec<u32>),
    /// No sizes pass.
    None,
    /// The search effort is used up before the search found sizes that pass.
    Unknown,
}

/// Best plan so far: the system with its groups, the sizes, and the alternatives.
type Found = (Draft, Vec<u32>, Vec<usize>);

/// Chooses partitions for the system in `draft` on `gpu`.
///
/// # Errors
/// Fails if the draft is invalid for all partition sizes, or if the heuristic does not support end-to-end systems.
pub fn plan(draft: &Draft, gpu: Gpu, search: Search) -> Result<SystemPlan, Refusal> {
    let sizes = gpu.sizes();
    let (Some(&largest), false) = (sizes.last(), draft.partitions.is_empty()) else {
        return Refusal::refuse(
            "partitions",
            "an empty list",
            "at least one partition for the kernels",
        );
    };
    let sliced = |partition: &PartitionDraft| partition.policy == DraftPolicy::TimeSliced;
    if let Some(index) = draft.partitions.iter().position(sliced) {
        let expected = "another policy, because the search does not choose sizes of time-sliced partitions";
        let refusal = Refusal::new(format!("partitions[{index}].policy"), "time-sliced", expected);
        return Err(refusal.hint("state `sms`, and use `gpusched test`"));
    }
    // Finds faults of the file that exist with all partition sizes.
    let largest = vec![largest; draft.partitions.len()];
    let at_most = super::analyze_draft(&draft.clone().sized(&largest), search.environment)?;
    let mut effort = Effort {
        left: search.tests,
        done: 0,
    };
    let mut best: Option<Found> = None;
    let mut proven = true;
    for choice in choices(draft, search.alternatives)? {
        let chosen = draft.clone().chosen(&choice);
        for grouped in groups::candidates(&chosen, search.heuristic)? {
            let limit = best.as_ref().map(|(_, sizes, _)| sizes.iter().sum());
            let (grouped, sized) = groups::improve(grouped, gpu, search, (limit, &mut effort));
            let (sizes, fewest) = match sized {
                Sized::Fewest(sizes) => (Some(sizes), true),
                Sized::Some(sizes) => (Some(sizes), false),
                Sized::None => (None, true),
                Sized::Unknown => (None, false),
            };
            proven &= fewest;
            if let Some(sizes) = sizes
                && limit.is_none_or(|limit| sizes.iter().sum::<u32>() < limit)
            {
                best = Some((grouped, sizes, choice.clone()));
            }
        }
    }
    let proven = proven && groups::is_exhaustive(draft, search.heuristic);
    let Some((grouped, sizes, choice)) = best else {
        let verdict = at_most.with_assumptions(draft).answer;
        return Ok(SystemPlan {
            schedulable: false,
            sms_used: 0,
            partitions: Vec::new(),
            alternatives: None,
            proven,
            tests: effort.done,
            system: None,
            verdict: Some(verdict),
            identity: None,
        });
    };
    let mut system_draft = grouped.sized(&sizes);
    for task in &mut system_draft.tasks {
        task.alternatives.clear();
    }
    let found = super::analyze_draft(&system_draft, search.environment)?;
    let verdict = found.with_assumptions(&system_draft).answer;
    Ok(SystemPlan {
        schedulable: verdict.schedulable,
        sms_used: sizes.iter().sum(),
        partitions: planned(&system_draft),
        alternatives: choice.iter().any(|&choice| choice > 0).then_some(choice),
        proven,
        tests: effort.done,
        system: Some(system_draft),
        verdict: Some(verdict),
        identity: None,
    })
}

/// Maximum number of combinations of alternatives.
const CHOICES: usize = 4096;

/// Returns all combinations of alternatives. The combinations with the fewest alternatives are first.
fn choices(draft: &Draft, alternatives: bool) -> Result<Vec<Vec<usize>>, Refusal> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for task in &draft.tasks {
        let count = if alternatives { task.alternatives.len() } else { 0 };
        all = all
            .iter()
            .flat_map(|choice| (0..=count).map(move |next| [choice.as_slice(), &[next]].concat()))
            .collect();
        if all.len() > CHOICES {
            let found = format!("more than {CHOICES} combinations of alternatives");
            return Refusal::refuse("tasks", found, "fewer alternatives");
        }
    }
    all.sort_by_key(|choice| choice.iter().filter(|&&choice| choice > 0).count());
    Ok(all)
}

/// Searches for the fewest SMs, below `limit`, with which the partitions of `draft` pass.
fn fewest(
    draft: &Draft,
    room: &Room,
    environment: Environment,
    (limit, effort): (Option<u32>, &mut Effort),
) -> Sized {
    let (sizes, count) = (room.sizes, draft.partitions.len());
    let Some(&largest) = sizes.last() else {
        return Sized::None;
    };
    let below = |total: u64| total <= room.most && limit.is_none_or(|limit| total < u64::from(limit));
    match effort.passes(draft, &vec![largest; count], environment) {
        Some(true) => {}
        Some(false) => return Sized::None,
        None => return Sized::Unknown,
    }
    // Lower bounds: the smallest size of each partition, while all other partitions have their largest sizes.
    let mut start = Vec::with_capacity(count);
    for partition in 0..count {
        let (mut low, mut high) = (0, sizes.len() - 1);
        while low < high {
            let middle = (low + high) / 2;
            let mut vector = vec![largest; count];
            vector[partition] = sizes[middle];
            match effort.passes(draft, &vector, environment) {
                Some(true) => high = middle,
                Some(false) => low = middle + 1,
                None => return Sized::Unknown,
            }
        }
        start.push(high);
    }
    let vector = |positions: &[usize]| {
        positions
            .iter()
            .map(|&position| sizes[position])
            .collect::<Vec<u32>>()
    };
    let total = |positions: &[usize]| vector(positions).iter().map(|&sms| u64::from(sms)).sum::<u64>();
    let mut heap = BinaryHeap::from([Reverse((total(&start), start.clone()))]);
    let mut seen = HashSet::from([start]);
    while let Some(Reverse((sum, positions))) = heap.pop() {
        if !below(sum) {
            return Sized::None;
        }
        let current = vector(&positions);
        if room.fits(&current) {
            match effort.passes(draft, &current, environment) {
                Some(true) => return Sized::Fewest(current),
                Some(false) => {}
                None => return descend(draft, room, environment),
            }
        }
        for partition in 0..count {
            let mut next = positions.clone();
            next[partition] += 1;
            if next[partition] < sizes.len() && seen.insert(next.clone()) {
                heap.push(Reverse((total(&next), next)));
            }
        }
    }
    Sized::None
}

/// This search is used if the effort is too small to examine all vectors of sizes. It starts with equal sizes that fit,
/// and removes SMs as long as the system passes.
fn descend(draft: &Draft, room: &Room, environment: Environment) -> Sized {
    let (sizes, count) = (room.sizes, draft.partitions.len());
    // This search is short: at most one test per size and partition.
    let mut effort = Effort {
        left: (sizes.len() * count) as u64 + 1,
        done: 0,
    };
    let sum = |size: u32| u64::from(size) * count as u64;
    let equal = sizes
        .iter()
        .rposition(|&size| sum(size) <= room.most && room.fits(&vec![size; count]));
    let Some(equal) = equal else {
        return Sized::Unknown;
    };
    let mut positions = vec![equal; count];
    let vector = |positions: &[usize]| {
        positions
            .iter()
            .map(|&position| sizes[position])
            .collect::<Vec<u32>>()
    };
    if effort.passes(draft, &vector(&positions), environment) != Some(true) {
        return Sized::Unknown;
    }
    for partition in 0..count {
        while positions[partition] > 0 {
            positions[partition] -= 1;
            if effort.passes(draft, &vector(&positions), environment) != Some(true) {
                positions[partition] += 1;
                break;
            }
        }
    }
    Sized::Some(vector(&positions))
}
