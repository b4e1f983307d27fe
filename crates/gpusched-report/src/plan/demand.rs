//! Demand against supply for each partition under EDF.

use gpusched_analysis::schedulability::Demand;
use gpusched_analysis::schedulability::edf::demand_bound;
use gpusched_model::time::Time;
use gpusched_model::{Evidence, Partition, Plan, Policy, TaskSet};
use serde::Serialize;

use super::memory::is_divided;
use super::system::System;
use crate::figure::Figure;
use crate::steps::Steps;

/// Two limits on the number of steps. The first is for all charts of a page together, and the second is for one chart.
const STEPS: (usize, usize) = (20_000, 400);

/// Minimum number of steps in one chart.
const FEWEST: usize = 40;

/// Maximum number of checked intervals in one chart.
const CHECKED: usize = 100;

/// Figures about the demand, with remarks about partitions without a figure.
#[derive(Serialize)]
pub struct Section {
    figures: Vec<Figure>,
    notes: Vec<String>,
}

/// Returns the charts of all partitions of `plan`.
pub fn section(plan: &Plan, set: &TaskSet, system: Option<&System<'_>>) -> Section {
    let mut section = Section {
        figures: Vec::new(),
        notes: Vec::new(),
    };
    let Some(system) = system else {
        if !plan.partitions.is_empty() {
            let note = "The page shows no demand, because the verifier does not confirm the plan.";
            section.notes.push(note.to_owned());
        }
        return section;
    };
    // Under MIG, only other sources than the tasks delay an instance.
    let shared = plan.memory.is_some() && !(is_divided(plan) && set.other_traffic().is_empty());
    let most = (STEPS.0 / plan.partitions.len().max(1)).clamp(FEWEST, STEPS.1);
    let mut without = Vec::new();
    for (index, partition) in plan.partitions.iter().enumerate() {
        let is_edf = matches!(
            partition.verdict.policy,
            Policy::Edf | Policy::NpEdf | Policy::LpEdf
        );
        let demands = system.demands(partition).filter(|_| is_edf);
        match demands.and_then(|demands| figure(index, partition, &demands, shared, most)) {
            Some(figure) => section.figures.push(figure),
            None => without.push(index.to_string()),
        }
    }
    if !without.is_empty() {
        let noun = if without.len() == 1 {
            "Partition"
        } else {
            "Partitions"
        };
        section.notes.push(format!(
            "{noun} {}: the test has no demand curve. The table of tasks shows the response times that the test bounds.",
            without.join(", ")
        ));
    }
    section
}

/// Returns the demand with deadlines D − J, as the tests of EDF use it. Returns `None` if J ≥ D.
fn without_jitter(demands: &[Demand]) -> Option<Vec<Demand>> {
    let demands = demands.iter().map(|demand| {
        let deadline = demand.deadline.checked_sub(demand.jitter)?;
        (deadline > Time::ZERO).then_some(Demand { deadline, ..*demand })
    });
    demands.collect()
}

/// Returns at most `most` steps of the demand bound function up to `end`, and the length up to which the steps are
/// complete.
pub fn steps(demands: &[Demand], end: u64, most: usize) -> (Vec<(u64, u128)>, u64) {
    let mut steps = Vec::new();
    let mut at = 0u64;
    loop {
        // The next deadline after `at` in the synchronous schedule.
        let next = demands.iter().filter_map(|demand| {
            let (deadline, period) = (demand.deadline.ns(), demand.period.ns().max(1));
            match at.checked_sub(deadline) {
                None => Some(deadline),
                Some(since) => deadline.checked_add((since / period + 1).checked_mul(period)?),
            }
        });
        let Some(next) = next.min().filter(|&next| next <= end) else {
            return (steps, end);
        };
        if steps.len() == most {
            return (steps, next - 1);
        }
        steps.push((next, demand_bound(demands, next)));
        at = next;
    }
}

fn figure(
    index: usize,
    partition: &Partition,
    demands: &[Demand],
    shared: bool,
    most: usize,
) -> Option<Figure> {
    let tasks = without_jitter(demands)?;
    // At least two jobs of each task.
    let jobs = tasks
        .iter()
        .map(|task| task.deadline.ns().saturating_add(2 * task.period.ns()));
    let longest = jobs.max()?;
    let (limit, mut checked, excess) = match &partition.verdict.evidence {
        Evidence::DemandWithinSupply { interval_ns, checked } => {
            let checked: Vec<(u64, u64)> = checked
                .iter()
                .map(|(at, demand)| (at.ns(), demand.ns()))
                .collect();
            (interval_ns.ns(), checked, None)
        }
        Evidence::DemandExceedsInterval {
            interval_ns,
            demand_ns,
        } => {
            let at = interval_ns.ns();
            (at.saturating_add(at / 10), Vec::new(), Some((at, *demand_ns)))
        }
        _ => (0, Vec::new(), None),
    };
    let whole = limit.max(longest).max(1);
    let (demand, end) = steps(&tasks, whole, most);
    let in_view = checked.iter().filter(|&&(at, _)| at <= end).count();
    checked.sort_unstable();
    if checked.len() > CHECKED {
        checked.truncate(CHECKED);
    }
    let stated = match (in_view, shared) {
        (0, _) => "",
        (_, false) => "",
        (_, true) => {
            " The circles contain the interference delay by other partitions, and the line does not."
        }
    };
    let cut = match end < limit {
        true => format!(
            " The chart ends after {most} steps, at {}. The evidence covers intervals up to {}.",
            Time::from_ns(end),
            Time::from_ns(limit)
        ),
        false => String::new(),
    };
    let mark = match excess {
        Some((at, demand)) => format!(
            " The cross marks the interval of {} whose demand of {} is too high.",
            Time::from_ns(at),
            Time::from_ns(demand)
        ),
        None => String::new(),
    };
    let last = demand.last().map_or(0, |&(_, demand)| demand);
    let last = Time::from_ns(u64::try_from(last).unwrap_or(u64::MAX));
    let alternative = format!(
        "Step chart of partition {index}. In an interval of {}, the demand is {last}.{mark}",
        Time::from_ns(end)
    );
    let caption = format!("Partition {index}.{stated}{mark}{cut}");
    let chart = Steps {
        end,
        demand,
        checked,
        excess,
    };
    Some(Figure {
        framed: false,
        zoom: false,
        ..Figure::new(format!("demand-{index}"), caption, alternative, &chart.svg())
    })
}
