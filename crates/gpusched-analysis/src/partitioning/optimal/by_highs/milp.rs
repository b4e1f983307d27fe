//! Counterpart of [`branching`](crate::partitioning::optimal::branching) that uses HiGHS. HiGHS solves the selection from
//! the known groups as a mixed-integer program.
//!
//! HiGHS computes with floats. gpusched checks each plan from HiGHS with integers. If HiGHS claims that no better plan
//! exists, gpusched does not check this claim.

use highs::{ColProblem, HighsModelStatus, HighsSolutionStatus, Model, Sense};

use crate::partitioning::optimal::branching::{Searched, thinned};
use crate::partitioning::search::{Part, Sizes, total};

/// Cost of one simplex iteration per group of the program, as a number of tests. With 3,000 groups, 300 iterations take
/// about 100 ms. In this time, gpusched tests 250,000 groups.
const ITERATION: f64 = 0.25;

/// Searches like [`super::branching::search`], but `complete` is only a claim of HiGHS.
pub(super) fn search(
    sizes: &mut Sizes<'_, '_>,
    tasks: usize,
    groups: &[Part],
    most: u32,
    target: u32,
) -> Searched {
    let nothing = |complete| Searched { best: None, complete };
    if groups.is_empty() {
        return nothing(true);
    }
    // A node of branch and bound takes at least one simplex iteration.
    let nodes = sizes.tests_left() / (groups.len() as f64 * ITERATION).ceil() as u64;
    if sizes.exhausted() || nodes == 0 {
        return nothing(false);
    }
    let Some(solved) = solve(sizes, tasks, groups, most, (target, nodes)) else {
        return nothing(false);
    };
    let iterations = solved.simplex_iteration_count().max(1) as f64;
    sizes.charge((iterations * groups.len() as f64 * ITERATION).ceil() as u64);
    let complete = matches!(
        solved.status(),
        HighsModelStatus::Optimal | HighsModelStatus::Infeasible | HighsModelStatus::ObjectiveBound
    );
    if solved.primal_solution_status() != HighsSolutionStatus::Feasible {
        return nothing(complete);
    }
    let solution = solved.get_solution();
    let shares = groups.iter().zip(solution.columns());
    let cover: Vec<&Part> = shares
        .filter(|&(_, &share)| share > 0.5)
        .map(|(group, _)| group)
        .collect();
    match thinned(tasks, &cover) {
        Some(best) if total(&best) <= most => Searched {
            best: Some(best),
            complete,
        },
        _ => nothing(false), // the solution of HiGHS is invalid, so gpusched ignores its claim
    }
}

/// Minimizes Σ sms·x, with every task covered and at most `most` SMs in total. Returns `None` if HiGHS rejects the program.
fn solve(
    sizes: &Sizes<'_, '_>,
    tasks: usize,
    groups: &[Part],
    most: u32,
    (target, nodes): (u32, u64),
) -> Option<highs::SolvedModel> {
    let mut problem = ColProblem::new();
    let rows: Vec<highs::Row> = (0..tasks).map(|_| problem.add_row(1..)).collect();
    for group in groups {
        let factors = group
            .tasks
            .iter()
            .filter_map(|&task| Some((*rows.get(task)?, 1.0)));
        problem.add_integer_column(f64::from(group.sms), 0..=1, factors);
    }
    let mut model = Model::try_new(problem).ok()?;
    model.set_sense(Sense::Minimise);
    let mut set = |option: &str, value: f64| model.try_set_option(option, value).ok();
    set("objective_bound", f64::from(most) + 0.5)?;
    set("objective_target", f64::from(target) + 0.5)?;
    set("mip_rel_gap", 0.0)?;
    set("mip_abs_gap", 0.5)?; // numbers of SMs are integers
    if let Some(left) = sizes.time_left() {
        set("time_limit", left.as_secs_f64())?;
    }
    let nodes = i32::try_from(nodes).unwrap_or(i32::MAX);
    model.try_set_option("mip_max_nodes", nodes).ok()?;
    // The seed is constant and HiGHS uses one thread, so the results are the same in every run.
    model.try_set_option("random_seed", 0).ok()?;
    model.try_set_option("threads", 1).ok()?;
    model.try_set_option("parallel", "off").ok()?;
    model.try_solve().ok()
}
