//! Plans with the fewest SMs beside a shared memory: `optimal` equals exhaustive search over all divisions of the tasks and
//! all sizes.

use gpusched::interference::Interference;
use gpusched::interference::model_of;
use gpusched::model::TaskSet;
use gpusched::model::plan::EndedBy;
use gpusched::partitioning::{HeuristicKind, Options, Problem, partition};
use gpusched::validation::shared::draw::policies;
use gpusched::verification::verify;
use rand::Rng;

use super::plans::{draw, memory};
use super::{between, rng, set};

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
        if sum + (groups.len() - sizes.len()) as u32 > most {
            return;
        }
        if sizes.len() < groups.len() {
            for sms in 1..=most - sum {
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

/// The variable `GPUSCHED_SYSTEMS` sets the number of systems.
#[test]
fn optimal_finds_the_fewest_sms_of_all_divisions_and_sizes() {
    let systems = std::env::var("GPUSCHED_SYSTEMS").map_or(400, |count| count.parse().unwrap());
    let mut rng = rng(81);
    let policies = policies();
    let (mut plans, mut none, mut above) = (0, 0, 0);
    for system in 0..systems {
        let count = between(&mut rng, 2, 4) as usize;
        let (set, memory) = (few(&mut rng, count), memory(&mut rng));
        let sms = between(&mut rng, 3, 7) as u32;
        let policy = policies[system % policies.len()];
        let model = [Interference::Conflict, Interference::None][system % 3 / 2];
        let problem = Problem::new(&set, sms, policy, model_of(model)).unwrap();
        let problem = problem.sharing(memory).unwrap();
        let plan = partition(&problem, &HeuristicKind::Optimal.into());
        let expected = fewest(&problem);
        let what = || {
            format!(
                "{policy} {memory:?} {sms} {}",
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
        let isolated = Problem::new(&set, sms, policy, model_of(model)).unwrap();
        above += usize::from(expected > fewest_isolated(&isolated));
        plans += usize::from(expected.is_some());
        none += usize::from(expected.is_none());
    }
    println!(
        "{plans} plans, {none} systems without a plan, {above} with more SMs than without memory traffic"
    );
    assert!(
        plans > systems / 4 && none > systems / 10 && above > systems / 20,
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
