//! Plans with the fewest SMs beside a shared memory: `optimal` equals exhaustive search over all divisions of the tasks and
//! all sizes.

use gpusched::interference::Interference;
use gpusched::interference::model_of;
use gpusched::model::TaskSet;
use gpusched::model::device::{Device, Granularity};
use gpusched::model::plan::EndedBy;
use gpusched::model::{Arbitration, Bandwidth, SharedMemory};
use gpusched::partitioning::{HeuristicKind, Offer, Options, Problem, partition};
use gpusched::simulator::validation::shared::draw::policies;
use gpusched::verification::verify;
use rand::Rng;

use super::plans::{draw, memory};
use super::{between, rng, set};

use crate::support::rounds;

/// Returns the first tasks of a random set, with its other traffic.
fn few(rng: &mut impl Rng, most: usize) -> TaskSet {
    let mut json = serde_json::to_value(draw(rng)).unwrap();
    json["tasks"].as_array_mut().unwrap().truncate(most);
    set(&json.to_string())
}

/// Returns the fewest SMs of any plan: tries every division of the tasks and every size of every group.
fn fewest(problem: &Problem<'_>) -> Option<u32> {
    fn divide(problem: &Problem<'_>, task: usize, groups: &mut Vec<Vec<usize>>, best: &mut Option<u32>) {
        if task == problem.tasks().len() {
            size(problem, groups, &mut Vec::new(), best);
            return;
        }
        for place in 0..=groups.len() {
            match groups.get_mut(place) {
                Some(group) => group.push(task),
                None => groups.push(vec![task]),
            }
            divide(problem, task + 1, groups, best);
            groups[place].pop();
            groups.retain(|group| !group.is_empty());
        }
    }
    fn size(problem: &Problem<'_>, groups: &[Vec<usize>], sizes: &mut Vec<u32>, best: &mut Option<u32>) {
        let sum: u32 = sizes.iter().sum();
        let most = best.map_or(problem.sms(), |best| best - 1);
        let supported = |&sms: &u32| problem.offer().is_none_or(|offer| offer.sms_of(sms) == sms);
        if sum + (groups.len() - sizes.len()) as u32 > most {
            return;
        }
        if sizes.len() < groups.len() {
            for sms in (1..=most - sum).filter(supported) {
                sizes.push(sms);
                size(problem, groups, sizes, best);
                sizes.pop();
            }
            return;
        }
        let parts: Vec<(&[usize], u32)> = groups
            .iter()
            .zip(&*sizes)
            .map(|(tasks, &sms)| (&tasks[..], sms))
            .collect();
        if problem.verdicts(&parts).iter().all(|verdict| verdict.schedulable) {
            *best = Some(sum);
        }
    }
    let mut best = None;
    divide(problem, 0, &mut Vec::new(), &mut best);
    best
}

/// Returns a small device whose partitions are whole TPCs, green contexts or MPS chunks.
fn offer(rng: &mut impl Rng, sms: u32) -> Offer {
    let sms = sms + sms % 2;
    let json = format!(
        r#"{{"name":"small","sms":{sms},"sms_per_tpc":2,"green_context":{{"min":3,"step":1}},"mps":{{"chunk":2}}}}"#
    );
    let granularities = [
        Granularity::Sm,
        Granularity::Tpc,
        Granularity::GreenContext,
        Granularity::Mps,
    ];
    let granularity = granularities[between(rng, 0, 3) as usize];
    Offer::new(&serde_json::from_str(&json).unwrap(), granularity).unwrap()
}

fn on_device<'a>(problem: Problem<'a>, offer: Option<&'a Offer>) -> Problem<'a> {
    match offer {
        None => problem,
        Some(offer) => problem.offered(offer).unwrap(),
    }
}

/// In half of the systems, a device supports only some partition sizes.
#[test]
fn optimal_finds_the_fewest_sms_of_all_divisions_and_sizes() {
    let systems = rounds(400);
    let mut rng = rng(81);
    let policies = policies();
    let (mut plans, mut none, mut above) = (0, 0, 0);
    for system in 0..systems {
        let count = between(&mut rng, 2, 4) as usize;
        let (set, memory) = (few(&mut rng, count), memory(&mut rng));
        let sms = between(&mut rng, 3, 7) as u32;
        let policy = policies[system % policies.len()];
        let model = [Interference::Conflict, Interference::None][system % 3 / 2];
        let offer = (system % 2 == 1).then(|| offer(&mut rng, sms));
        let sms = offer.as_ref().map_or(sms, Offer::shares);
        let problem = on_device(
            Problem::new(&set, sms, policy, model_of(model)).unwrap(),
            offer.as_ref(),
        );
        let problem = problem.sharing(memory).unwrap();
        let plan = partition(&problem, &HeuristicKind::Optimal.into());
        let expected = fewest(&problem);
        let what = || {
            format!(
                "{policy} {memory:?} {sms} {:?} {}",
                offer.as_ref().map(|offer| offer.hardware().granularity),
                serde_json::to_string(&set).unwrap()
            )
        };
        assert_eq!(plan.schedulable.then_some(plan.sms_used), expected, "{}", what());
        verify(&plan, &set).unwrap_or_else(|fault| panic!("{fault}: {}", what()));
        assert_eq!(plan.stats.ended_by, None, "{}", what());
        match (expected, &plan.bound) {
            (Some(fewest), Some(bound)) => assert_eq!(bound.sms, fewest, "{}", what()),
            (None, Some(bound)) => assert!(bound.sms > sms, "{}", what()),
            (Some(_), None) => panic!("no bound: {}", what()),
            (None, None) => {} // Lemma 1 or 2
        }
        let isolated = on_device(
            Problem::new(&set, sms, policy, model_of(model)).unwrap(),
            offer.as_ref(),
        );
        above += usize::from(expected > fewest_isolated(&isolated));
        plans += usize::from(expected.is_some());
        none += usize::from(expected.is_none());
    }
    println!(
        "{plans} plans, {none} systems without a plan, {above} with more SMs than without memory traffic"
    );
    assert!(
        plans > systems / 4 && none > systems / 10 && above >= systems / 20,
        "{plans} {none} {above}"
    );
}

fn fewest_isolated(problem: &Problem<'_>) -> Option<u32> {
    let plan = partition(problem, &HeuristicKind::Optimal.into());
    plan.schedulable.then_some(plan.sms_used)
}

/// The bound of an interrupted search is at most the SMs of every plan, and a search with more effort finds no worse plan.
#[test]
fn bounds_and_plans_of_interrupted_searches_are_valid() {
    let mut rng = rng(82);
    let (mut better, mut interrupted) = (0, 0);
    for _ in 0..60 {
        let (set, memory) = (draw(&mut rng), memory(&mut rng));
        let problem = Problem::new(&set, 24, policies()[0], model_of(Interference::Conflict)).unwrap();
        let problem = problem.sharing(memory).unwrap();
        let other = partition(&problem, &HeuristicKind::Sms.into());
        let mut fewest = u32::MAX;
        for effort in [1, 100, 3_000] {
            let options = Options {
                search_effort: Some(effort),
                ..Options::default()
            };
            let plan = partition(&problem, &HeuristicKind::Optimal.with(&options).unwrap());
            verify(&plan, &set).unwrap_or_else(|fault| panic!("{fault}"));
            interrupted += usize::from(plan.stats.ended_by == Some(EndedBy::Budget));
            let Some(bound) = plan
                .bound
                .as_ref()
                .filter(|_| other.schedulable || plan.schedulable)
            else {
                continue;
            };
            assert!(!other.schedulable || bound.sms <= other.sms_used);
            assert!(!plan.schedulable || bound.sms <= plan.sms_used);
            fewest = if plan.schedulable { plan.sms_used } else { fewest };
        }
        better += usize::from(other.schedulable && fewest < other.sms_used);
        assert!(
            !other.schedulable || fewest <= other.sms_used,
            "{}",
            serde_json::to_string(&set).unwrap()
        );
    }
    assert!(better > 5 && interrupted > 5, "{better} {interrupted}");
}

/// One partition of 4 SMs is the only plan with fewer than 5 SMs. A device whose partitions need no placement gets the
/// same plan. If partitions need a placement, the plan states that the search is incomplete.
#[test]
fn a_device_does_not_end_the_search_early() {
    let json = r#"{"tasks": [
        {"period": 30, "deadline": 30, "wcet": {"table": {"isolated": [[1, 9], [2, 7], [4, 3], [8, 2]],
         "conflict": [[1, 13], [2, 10], [4, 3], [8, 2]]}}, "kind": "memory", "bandwidth": 1562037936},
        {"period": 15, "deadline": 10, "wcet": {"table": {"isolated": [[1, 10], [2, 8], [4, 4], [8, 2]]}},
         "jitter": 2, "traffic": 12, "bandwidth": 1320203978},
        {"period": 15, "deadline": 18, "wcet": {"table": {"isolated": [[1, 2], [2, 1], [4, 1], [8, 1]],
         "conflict": [[1, 3], [2, 1], [4, 1], [8, 1]]}}, "kind": "compute", "jitter": 1}]}"#;
    let set = set(json);
    let memory = SharedMemory::new(Bandwidth::new(2_000_000_000).unwrap(), Arbitration::Any);
    let orin = Device::named("orin").unwrap();
    let plan = |offer: Option<&Offer>, kind: HeuristicKind| {
        let model = model_of(Interference::None);
        let problem = Problem::new(&set, 16, "np-fp-rm".parse().unwrap(), model).unwrap();
        let problem = match offer {
            None => problem,
            Some(offer) => problem.offered(offer).unwrap(),
        };
        let plan = partition(&problem.sharing(memory).unwrap(), &kind.into());
        verify(&plan, &set).unwrap();
        plan
    };
    for kind in [HeuristicKind::Optimal, HeuristicKind::Auto] {
        assert_eq!(plan(None, kind).sms_used, 4);
        for granularity in [Granularity::Sm, Granularity::Tpc, Granularity::GreenContext] {
            let plan = plan(Some(&Offer::new(&orin, granularity).unwrap()), kind);
            assert_eq!(
                (plan.sms_used, plan.stats.ended_by),
                (4, None),
                "{kind} {granularity}"
            );
            assert_eq!(plan.bound.unwrap().sms, 4);
        }
        let placed = plan(Some(&Offer::new(&orin, Granularity::Gpc).unwrap()), kind);
        let proven = placed.bound.is_some_and(|bound| bound.sms == placed.sms_used);
        assert!(proven || placed.stats.ended_by == Some(EndedBy::Choices));
    }
}

/// The local search examines thousands of divisions, but ends soon after its search effort.
#[test]
fn many_tasks_do_not_exceed_the_search_effort() {
    let task = r#"{"period":"10ms","traffic":"2MB","bandwidth":"40GB/s","wcet":{"amdahl":{"work":"6ms","serial":0.02}}}"#;
    let set = set(&format!(r#"{{"tasks":[{}]}}"#, [task; 60].join(",")));
    let memory = SharedMemory::new(Bandwidth::new(100_000_000_000).unwrap(), Arbitration::Any);
    let problem = Problem::new(
        &set,
        200,
        "edf".parse().unwrap(),
        model_of(Interference::Conflict),
    )
    .unwrap();
    let problem = problem.sharing(memory).unwrap();
    let effort = 1_300;
    let options = Options {
        search_effort: Some(effort),
        ..Options::default()
    };
    let plan = partition(&problem, &HeuristicKind::Optimal.with(&options).unwrap());
    assert_eq!(plan.stats.ended_by, Some(EndedBy::Budget));
    // Three searches have this effort each. The merges of the other searches do not count.
    let tested = plan.stats.merges_tested;
    assert!(tested < 25_000 + 3 * effort, "{tested}");
}
