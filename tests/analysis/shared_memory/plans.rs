//! Plans under `conflict+bandwidth`: found, verified, and rejected after a change.

use gpusched::interference::Interference;
use gpusched::interference::model_of;
use gpusched::model::plan::Plan;
use gpusched::model::{Arbitration, Bandwidth, Evidence, Policy, SharedMemory, TaskSet};
use gpusched::partitioning::{
    Heuristic, HeuristicKind, Problem, Traffic, partition, partition_by, sensitivity,
};
use gpusched::simulator::validation::shared::draw::policies;
use gpusched::time::Time;
use gpusched::verification::verify;
use rand::Rng;

use crate::shared_memory::{between, rng, set};
use crate::support::rounds;

pub const SMS: u32 = 16;

pub fn draw(rng: &mut impl Rng) -> TaskSet {
    let tasks: Vec<String> = (0..between(rng, 3, 8))
        .map(|_| {
            let period = between(rng, 1, 10) * 10;
            let work = period * between(rng, 20, 200) / 100;
            let kind = ["compute", "memory"][usize::from(between(rng, 0, 1) == 0)];
            let traffic = match between(rng, 0, 5) {
                0 => String::new(),
                1 => format!(r#""bandwidth":"{}GB/s","#, between(rng, 1, 30)),
                2 => format!(
                    r#""bandwidth":[[2,"{}GB/s"],[16,"60GB/s"]],"traffic":"{}MB","#,
                    between(rng, 1, 30),
                    between(rng, 1, 60)
                ),
                _ => format!(r#""traffic":"{}MB","bandwidth":"{}GB/s","#, between(rng, 0, 80), between(rng, 5, 90)),
            };
            format!(
                r#"{{"period":"{period}ms","kind":"{kind}",{traffic}"wcet":{{"amdahl":{{"work":"{work}ms","serial":0.02,"conflict":1.3}}}}}}"#
            )
        })
        .collect();
    let other = match between(rng, 0, 2) {
        0 => format!(
            r#","other_traffic":[{{"traffic":"900kB","period":"1ms","bandwidth":"4GB/s"}},
             {{"traffic":"8MB","period":"30ms","deadline":"5ms","bandwidth":"6GB/s","batch":{}}}]"#,
            between(rng, 0, 1) == 0
        ),
        _ => String::new(),
    };
    set(&format!(r#"{{"tasks":[{}]{other}}}"#, tasks.join(",")))
}

pub fn memory(rng: &mut impl Rng) -> SharedMemory {
    SharedMemory::new(
        Bandwidth::new(between(rng, 20, 400) * 1_000_000_000).unwrap(),
        [Arbitration::Any, Arbitration::MaxMin][usize::from(between(rng, 0, 1) == 0)],
    )
}

/// Returns plans of all heuristics and policies, with their sets.
fn plans(count: usize) -> Vec<(TaskSet, Plan)> {
    let mut rng = rng(21);
    let kinds = [
        HeuristicKind::Sms,
        HeuristicKind::Bf,
        HeuristicKind::OneGpu,
        HeuristicKind::OnePerPartition,
        HeuristicKind::Ffd,
        HeuristicKind::Wfd,
    ];
    let policies = policies();
    (0..count)
        .map(|round| {
            let (set, memory) = (draw(&mut rng), memory(&mut rng));
            let policy = policies[round % policies.len()];
            let model = if round % 7 == 0 {
                Interference::None
            } else {
                Interference::Conflict
            };
            let problem = Problem::new(&set, SMS, policy, model_of(model))
                .unwrap()
                .sharing(memory)
                .unwrap();
            let plan = partition(
                &problem,
                &Heuristic::from(kinds[round / policies.len() % kinds.len()]),
            );
            (set, plan)
        })
        .collect()
}

#[test]
fn plans_are_verified_and_their_changes_noticed() {
    let (mut schedulable, mut disturbed, mut poorer, mut later) = (0, 0, 0, 0);
    for (set, plan) in plans(1_200) {
        verify(&plan, &set).unwrap_or_else(|fault| panic!("{fault}: {plan:?}"));
        if !plan.schedulable {
            continue;
        }
        schedulable += 1;
        let memory = plan.memory.unwrap();
        let sufficient = |strength| strength == gpusched::model::policy::Strength::Sufficient;
        if !plan
            .partitions
            .iter()
            .any(|partition| sufficient(partition.verdict.strength))
        {
            continue;
        }
        disturbed += 1;
        let mut changed = plan.clone();
        changed.memory = None;
        assert_eq!(verify(&changed, &set).unwrap_err().field, "memory");
        // With half the bandwidth, a number of the evidence usually changes, unless fairness compensates for it.
        let half = Bandwidth::new(memory.bandwidth.bytes_per_second() / 2).unwrap();
        changed.memory = Some(SharedMemory {
            bandwidth: half,
            ..memory
        });
        poorer += usize::from(verify(&changed, &set).is_err());
        for partition in 0..plan.partitions.len() {
            let mut changed = plan.clone();
            let verdict = &mut changed.partitions[partition].verdict;
            let one_less = |time: &mut Time| *time = Time::from_ns(time.ns() - 1);
            match &mut verdict.evidence {
                Evidence::ResponseTimes {
                    response_times_ns, ..
                } => one_less(&mut response_times_ns[0]),
                Evidence::DemandWithinSupply { checked, .. } if !checked.is_empty() => {
                    one_less(&mut checked[0].1)
                }
                _ => continue,
            }
            assert!(verify(&changed, &set).is_err(), "{changed:?}");
            later += 1;
        }
    }
    assert!(
        schedulable > 200 && disturbed > 100 && later > 200,
        "{schedulable} {disturbed} {later}"
    );
    assert!(poorer * 2 > disturbed, "{poorer} of {disturbed}");
}

/// A plan with traffic is also valid without traffic. Some sets have a plan only without traffic.
#[test]
fn traffic_only_takes_away() {
    let mut refused = 0;
    for (set, plan) in plans(600) {
        let Some(first) = plan.partitions.first() else {
            continue;
        };
        let model = model_of(plan.interference.unwrap());
        let blind = Problem::new(&set, SMS, first.verdict.policy, model).unwrap();
        let holds = plan
            .partitions
            .iter()
            .all(|part| blind.verdict(&part.tasks, part.sms).schedulable);
        assert!(holds || !plan.schedulable, "{plan:?}");
        refused += usize::from(holds && !plan.schedulable && plan.sms_used <= SMS);
    }
    assert!(refused > 20, "{refused}");
}

/// A scaled WCET passes, and a WCET larger by one thousandth fails.
#[test]
fn sensitivity_looks_at_all_partitions() {
    let mut looked = 0;
    for (set, plan) in plans(400) {
        let Some(policy) = plan
            .partitions
            .first()
            .map(|part| part.verdict.policy)
            .filter(|_| plan.schedulable)
        else {
            continue;
        };
        let model = model_of(plan.interference.unwrap());
        let problem = Problem::new(&set, SMS, policy, model)
            .unwrap()
            .sharing(plan.memory.unwrap())
            .unwrap();
        let found = sensitivity(&problem, &plan).unwrap();
        for (partition, slack) in plan.partitions.iter().zip(&found.partitions) {
            assert!(slack.spare_sms < partition.sms);
            let parts: Vec<(&[usize], u32)> = plan
                .partitions
                .iter()
                .map(|other| {
                    (
                        &other.tasks[..],
                        other.sms - if other == partition { slack.spare_sms } else { 0 },
                    )
                })
                .collect();
            assert!(problem.verdicts(&parts).iter().all(|verdict| verdict.schedulable));
            assert!(slack.tasks.iter().all(|task| task.wcet_scaling_permille >= 1000));
        }
        looked += 1;
    }
    assert!(looked > 50, "{looked}");
}

/// The search `all` accepts a set iff `heed`, `gather` or `ignore` accepts it. Each of these
/// searches accepts sets that another search rejects.
#[test]
fn searches_complement_each_other() {
    let mut rng = rng(22);
    let ways = [Traffic::Heed, Traffic::Merge, Traffic::Ignore];
    let mut alone = [0; 2];
    let mut calm = 0;
    for _ in 0..rounds(300) {
        let (set, memory) = (draw(&mut rng), memory(&mut rng));
        let problem = Problem::new(&set, SMS, Policy::Edf, model_of(Interference::Conflict)).unwrap();
        let problem = problem.sharing(memory).unwrap();
        let by = |traffic| partition_by(&problem, &HeuristicKind::Sms.into(), traffic);
        let plans = ways.map(by);
        let [heed, gather, ignore] = plans.each_ref().map(|plan| plan.schedulable);
        assert_eq!(by(Traffic::All).schedulable, heed || gather || ignore);
        alone[0] += usize::from(heed && !ignore);
        alone[1] += usize::from(gather && !ignore);
        // If the peaks of all partitions fit, no time is lost, and verdicts equal the verdicts without traffic.
        for plan in plans
            .iter()
            .filter(|plan| set.other_traffic().is_empty() && !plan.partitions.is_empty())
        {
            let peak = |part: &gpusched::model::Partition| {
                let of = |&task: &usize| {
                    let task = &set.tasks()[task];
                    let silent = task.traffic().is_some_and(|bytes| bytes.bytes() == 0);
                    let peak = task
                        .bandwidth(part.sms)
                        .unwrap_or(memory.bandwidth)
                        .min(memory.bandwidth);
                    if silent { 0 } else { peak.bytes_per_second() }
                };
                part.tasks.iter().map(of).max().unwrap()
            };
            if plan.partitions.iter().map(peak).sum::<u64>() <= memory.bandwidth.bytes_per_second() {
                for part in &plan.partitions {
                    let blind =
                        Problem::new(&set, SMS, Policy::Edf, model_of(Interference::Conflict)).unwrap();
                    assert_eq!(part.verdict, blind.verdict(&part.tasks, part.sms));
                    calm += 1;
                }
            }
        }
    }
    assert!(
        alone[0] > 3 && alone[1] > 0 && calm > rounds(50),
        "{alone:?} {calm}"
    );
}
