//! Partition sizes against exhaustive search.

use gpusched::end_to_end::{Gpu, Search, analyze, plan};
use gpusched::model::Interference;
use gpusched::model::end_to_end::{Draft, System};
use gpusched::model::reader::Document as _;
use gpusched::partitioning::HeuristicKind;
use rayon::prelude::*;

/// Returns a system of two or three tasks whose kernels have random speed-ups.
pub fn random(index: u64) -> Draft {
    let mut state = index.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xdead_beef;
    let mut below = |bound: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % bound
    };
    let count = 2 + below(2);
    let policy = ["np-fifo", "np-fp", "fp"][usize::try_from(below(3)).unwrap()];
    let tasks: Vec<String> = (0..count)
        .map(|task| {
            let (work, conflict) = (8 + below(60), 1 + below(2));
            format!(
                r#"{{"name":"t{task}","period":{},"wait":"suspend","segments":[{{"on":"cpu","wcet":{}}},
                {{"on":"gpu","wcet":{{"amdahl":{{"work":{work},"serial":0.1,"conflict":{conflict}}}}}}},{{"on":"cpu","wcet":1}}]}}"#,
                24 + 8 * below(4),
                1 + below(4)
            )
        })
        .collect();
    let text = format!(
        r#"{{"cores":[{{"name":"cpu","policy":"fp"}}],"partitions":[{{"name":"gpu","policy":"{policy}"}}],"tasks":[{}]}}"#,
        tasks.join(",")
    );
    Draft::from_json(&text).map_err(|(_, refusal)| refusal).unwrap()
}

/// Returns the fewest SMs of all divisions of the kernels and all sizes.
fn exhaustive(draft: &Draft, sms: u32) -> Option<u32> {
    let count = draft.tasks.len();
    let mut best = None;
    // Partition of each task, as a number below the number of tasks.
    for code in 0..count.pow(u32::try_from(count).unwrap()) {
        let groups: Vec<usize> = (0..count)
            .map(|task| code / count.pow(u32::try_from(task).unwrap()) % count)
            .collect();
        let mut divided = draft.clone();
        let original = divided.partitions.remove(0);
        for group in 0..count {
            let mut partition = original.clone();
            partition.name = format!("g{group}");
            divided.partitions.push(partition);
        }
        for (task, group) in divided.tasks.iter_mut().zip(&groups) {
            task.segments[1].on = format!("g{group}");
        }
        let used: Vec<bool> = (0..count).map(|group| groups.contains(&group)).collect();
        for sizes in 0..u64::from(sms).pow(u32::try_from(count).unwrap()) {
            let sizes: Vec<u32> = (0..count)
                .map(|group| {
                    1 + u32::try_from(
                        sizes / u64::from(sms).pow(u32::try_from(group).unwrap()) % u64::from(sms),
                    )
                    .unwrap()
                })
                .collect();
            // Unused partitions have one size only.
            if sizes.iter().zip(&used).any(|(&size, &used)| !used && size > 1) {
                continue;
            }
            let total: u32 = sizes
                .iter()
                .zip(&used)
                .filter(|(_, used)| **used)
                .map(|(size, _)| size)
                .sum();
            if total > sms || best.is_some_and(|best| total >= best) {
                continue;
            }
            let system = System::new(&divided.clone().sized(&sizes), Interference::Conflict).unwrap();
            if analyze(&system).schedulable {
                best = Some(total);
            }
        }
    }
    best
}

#[test]
fn optimal_plans_have_the_fewest_sms() {
    let sms = 6;
    let schedulable: usize = (0..120u64)
        .into_par_iter()
        .map(|index| {
            let draft = random(index + 1);
            let search = |heuristic| Search {
                heuristic,
                environment: Interference::Conflict.into(),
                alternatives: false,
                tests: 100_000,
            };
            let gpu = Gpu { sms, offer: None };
            let fewest = exhaustive(&draft, sms);
            let optimal = plan(&draft, gpu, search(HeuristicKind::Optimal)).unwrap();
            assert!(optimal.proven);
            assert_eq!(optimal.schedulable.then_some(optimal.sms_used), fewest, "{index}");
            for heuristic in [
                HeuristicKind::Auto,
                HeuristicKind::Savings,
                HeuristicKind::Sms,
                HeuristicKind::Bf,
            ] {
                let found = plan(&draft, gpu, search(heuristic)).unwrap();
                if found.schedulable {
                    assert!(fewest.is_some_and(|fewest| fewest <= found.sms_used && found.sms_used <= sms));
                    let system = System::new(found.system.as_ref().unwrap(), Interference::Conflict).unwrap();
                    assert!(analyze(&system).schedulable);
                    found.check_system(&draft).unwrap();
                }
            }
            usize::from(fewest.is_some())
        })
        .sum();
    assert!((20..=110).contains(&schedulable), "{schedulable}");
}
