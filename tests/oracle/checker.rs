//! Independent check of a plan: partitions cover the tasks without overlap, Σ SMs ≤ M, and every partition passes with conflicts.

use gpusched::model::{Plan, Task};

use super::demand;

/// Returns why the plan does not prove schedulability under EDF; `Ok` if it does.
pub fn check(tasks: &[Task], sms: u32, plan: &Plan, conflicts: bool) -> Result<(), String> {
    let mut placed: Vec<usize> = plan.partitions.iter().flat_map(|p| p.tasks.clone()).collect();
    placed.sort();
    if placed != (0..tasks.len()).collect::<Vec<_>>() {
        return Err(format!("tasks placed: {placed:?}"));
    }
    let used: u32 = plan.partitions.iter().map(|p| p.sms).sum();
    if used > sms || used != plan.sms_used {
        return Err(format!(
            "{used} SMs in the partitions, {} stated, {sms} there",
            plan.sms_used
        ));
    }
    for partition in &plan.partitions {
        let set = demand::sporadic(tasks, &partition.tasks, partition.sms, conflicts)
            .ok_or_else(|| format!("unknown WCET in {partition:?}"))?;
        if !demand::edf_by_enumeration(&set) {
            return Err(format!("{partition:?} misses deadlines: {set:?}"));
        }
        if !partition.verdict.schedulable {
            return Err(format!("{partition:?} carries a negative verdict"));
        }
    }
    Ok(())
}
