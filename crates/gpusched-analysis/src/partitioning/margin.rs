//! The largest margin: the plan for M SMs whose WCETs may all grow by the largest common factor.
//!
//! At a fixed factor this is the question whether any plan fits, which the searches answer. Every test is monotone in the
//! WCETs: a plan that passes at a factor passes at all smaller ones, and where no plan exists at a factor, none exists at a
//! larger one. So two bisections bracket the largest factor: a plan raises the lower end, a proof that no plan exists lowers
//! the upper end. For a fixed grouping of the tasks, the best division of the SMs is known: each group gets the fewest SMs
//! on which it passes at the factor, and the factor is raised as long as they are there.
//!
//! Ties: of the groupings found, the largest factor first, then the fewest SMs, then the first found.

use std::time::Instant;

use super::heuristic::Heuristic;
use super::run;
use super::search::{
    Candidate, Experience, GroupTester, Objective, Outcome, Problem, Scale, SearchLimits, lemmas,
};
use super::sensitivity::{LARGEST_SCALING, joint_scaling};
use super::traffic::Traffic;
use gpusched_model::plan::{Failure, LowerBound, Margin, Plan, SearchStats};

/// The factor 1, in thousandths.
const ONE: u64 = 1000;

/// How many times the budget of one search the searches for the largest margin have together.
pub const MARGIN_SEARCHES: u64 = 12;

/// Factors at which a proof is sought beyond the best plan, each twice as far from it as the one before.
const STEPS: u32 = 7;

/// The first is at such a part of the plan's factor beyond it, 0.5 %, and, where budget is left, 0.75 %.
const FIRST_STEPS: [u64; 2] = [200, 133];

/// The plan with the largest margin that `heuristic` finds, and a limit for all plans.
pub(super) fn widest(problem: &Problem<'_>, heuristic: &Heuristic, traffic: Traffic) -> Plan {
    let mut search = Search {
        problem,
        heuristic,
        traffic,
        start: Instant::now(),
        stats: SearchStats::default(),
        best: Incumbent {
            permille: ONE,
            parts: Vec::new(),
        },
        limit: Limit::NONE,
        experience: Experience::default(),
    };
    let (first, _) = search.ask(problem, Objective::Feasible);
    if !first.schedulable {
        return first;
    }
    search.limit = Limit::by_lemmas(problem);
    search.take(&first, ONE);
    search.narrow();
    search.save_sms();
    search.into_plan(first)
}

/// Groups of tasks with their shares of the GPU, and a factor at which all pass.
struct Incumbent {
    /// In thousandths.
    permille: u64,
    parts: Vec<Candidate>,
}

impl Incumbent {
    fn shares(&self) -> u32 {
        self.parts
            .iter()
            .fold(0, |sum, part| sum.saturating_add(part.sms))
    }
}

/// From which factor on no plan exists, and why.
struct Limit {
    /// In thousandths.
    permille: u64,
    failure: Option<Failure>,
    bound: Option<LowerBound>,
}

impl Limit {
    const NONE: Limit = Limit {
        permille: LARGEST_SCALING + 1,
        failure: None,
        bound: None,
    };

    /// From which factor on the work of all tasks, or one task alone, is too much for the GPU.
    fn by_lemmas(problem: &Problem<'_>) -> Limit {
        let (mut open, mut limit) = (ONE, Limit::NONE);
        while let Some(permille) = between(open, limit.permille) {
            let scaled = problem.scaled(Scale::permille(permille));
            match lemmas::smallest_partitions(&mut GroupTester::new(&scaled)) {
                Err(failure) if failure != Failure::HeuristicFailed => {
                    limit = Limit {
                        permille,
                        failure: Some(failure),
                        bound: None,
                    };
                }
                _ => open = permille,
            }
        }
        limit
    }
}

struct Search<'p> {
    problem: &'p Problem<'p>,
    heuristic: &'p Heuristic,
    traffic: Traffic,
    start: Instant,
    stats: SearchStats,
    best: Incumbent,
    limit: Limit,
    experience: Experience,
}

impl Search<'_> {
    /// Narrows the range between the best plan and the limit, as far as the budget goes.
    fn narrow(&mut self) {
        let Some(silent) = self.bisect(LARGEST_SCALING + 1) else {
            return;
        };
        self.refute(FIRST_STEPS[0]);
        let mut silent = Some(silent);
        while let Some(permille) = silent {
            silent = self.bisect(permille);
        }
        self.refute(FIRST_STEPS[1]);
    }

    /// Looks for a proof beyond the best plan, at growing distances; the first is 1/`first` of its factor.
    ///
    /// Where one factor resists, a larger one nearby may not. The nearer it is, the more its proof says.
    fn refute(&mut self, first: u64) {
        let from = self.best.permille;
        for step in 0..STEPS {
            let permille = from + (from << step) / first;
            if permille >= self.limit.permille || self.is_spent() {
                return;
            }
            self.look(permille);
        }
    }

    /// Looks between the best plan and the lesser of `high` and the limit; ends at the first factor without an answer.
    fn bisect(&mut self, high: u64) -> Option<u64> {
        while let Some(permille) = between(self.best.permille, high.min(self.limit.permille)) {
            if self.is_spent() {
                break;
            }
            if !self.look(permille) {
                return Some(permille);
            }
        }
        None
    }

    /// Looks for a plan at the factor `permille`, or for a proof that there is none; whether one of them was found.
    fn look(&mut self, permille: u64) -> bool {
        let scaled = self.problem.scaled(Scale::permille(permille));
        let (plan, excluded) = self.ask(&scaled, Objective::Feasible);
        if plan.schedulable {
            self.take(&plan, permille);
            return true;
        }
        let failure = match plan.failure {
            Some(Failure::HeuristicFailed) if excluded => Some(Failure::BoundExceedsGpu),
            Some(Failure::HeuristicFailed) | None => None,
            failure => failure,
        };
        if failure.is_some() {
            self.limit = Limit {
                permille,
                // A bound on shares that are no SMs may exclude a plan where that on SMs does not.
                bound: plan.bound.filter(|bound| {
                    failure == Some(Failure::BoundExceedsGpu) && bound.sms > self.problem.sms()
                }),
                failure: failure.clone(),
            };
        }
        failure.is_some()
    }

    /// Of the plans with the factor that was reached, looks for one with fewer SMs.
    fn save_sms(&mut self) {
        let permille = self.best.permille;
        let scaled = self.problem.scaled(Scale::permille(permille));
        let (plan, _) = self.ask(&scaled, Objective::Sms);
        if plan.schedulable {
            self.take(&plan, permille);
        }
    }

    /// Searches for a plan of `problem`, a version of this one.
    fn ask(&mut self, problem: &Problem<'_>, objective: Objective) -> (Plan, bool) {
        let heuristic = self.heuristic.towards(objective, self.limits());
        let found = run::search(problem, &heuristic, self.traffic, &mut self.experience);
        self.stats = found.0.stats.plus(&self.stats);
        found
    }

    /// What one search may spend.
    fn limits(&self) -> SearchLimits {
        let given = self.heuristic.limits().unwrap_or_default();
        SearchLimits {
            budget: given.budget.map(|budget| budget.div_ceil(MARGIN_SEARCHES)),
            time: given.time.map(|limit| limit.saturating_sub(self.start.elapsed())),
        }
    }

    /// Whether the budget or the time limit of all searches is spent.
    fn is_spent(&self) -> bool {
        let spent = self.stats.merges_tested.saturating_add(self.stats.other_work);
        let (tasks, beside_traffic) = (self.problem.tasks().len(), self.problem.memory().is_some());
        let each = self.heuristic.spends(self.limits(), tasks, beside_traffic);
        each.of_all(MARGIN_SEARCHES).start().is_spent(spent)
    }

    /// Keeps the groups of `plan`, which passes at the factor `permille`, if they pass at a larger one than the best so far, or
    /// on fewer SMs.
    fn take(&mut self, plan: &Plan, permille: u64) {
        let groups: Vec<&[usize]> = plan
            .partitions
            .iter()
            .map(|partition| &partition.tasks[..])
            .collect();
        let found = match self.problem.memory() {
            Some(_) => self.as_it_is(plan),
            None => self.divided(&groups, permille),
        };
        let Some(found) = found else { return };
        let rank = |incumbent: &Incumbent| (incumbent.permille, std::cmp::Reverse(incumbent.shares()));
        if self.best.parts.is_empty() || rank(&found) > rank(&self.best) {
            self.best = found;
        }
    }

    /// The partitions of `plan`: beside traffic, other sizes may hold up others.
    fn as_it_is(&self, plan: &Plan) -> Option<Incumbent> {
        let parts = plan.partitions.iter().map(|partition| {
            let shares = self.problem.shares_of(partition.sms);
            Candidate::unmerged(self.problem, shares, partition.tasks.clone())
        });
        Some(Incumbent {
            permille: joint_scaling(self.problem, &plan.partitions),
            parts: parts.collect(),
        })
    }

    /// `groups` on the fewest SMs at the largest factor at which they fit together, `permille` or larger; `None` if they do not
    /// at `permille`.
    fn divided(&self, groups: &[&[usize]], permille: u64) -> Option<Incumbent> {
        let at = |permille: u64| {
            let parts = divide(&self.problem.scaled(Scale::permille(permille)), groups)?;
            Some(Incumbent { permille, parts })
        };
        let mut best = at(permille)?;
        let (mut fails, mut step) = (self.limit.permille, 1);
        while let Some(middle) = between(best.permille, fails) {
            // In growing steps, then by bisection: the largest factor is near as a rule.
            let next = middle.min(best.permille + step);
            match at(next) {
                Some(found) => {
                    best = found;
                    step *= 2;
                }
                None => fails = next,
            }
        }
        Some(best)
    }

    /// The best plan at the factor 1, with its margin; `first` is one that passes there for certain.
    fn into_plan(self, first: Plan) -> Plan {
        let found = Outcome {
            partitions: self.best.parts,
            ..Outcome::default()
        };
        let plan = Some(found.into_plan(self.problem)).filter(|plan| plan.schedulable);
        let plan = plan.unwrap_or(first);
        let wcet_scaling_permille = joint_scaling(self.problem, &plan.partitions);
        // A test that stops at its step limit fails, and may pass at a larger factor. Then nothing is proven.
        let limit = match wcet_scaling_permille < self.limit.permille {
            true => self.limit,
            false => Limit::NONE,
        };
        let open = wcet_scaling_permille + 1 < limit.permille;
        Plan {
            bound: None,
            margin: Some(Margin {
                wcet_scaling_permille,
                at_most_permille: limit.permille - 1,
                limit: limit.failure,
                bound: limit.bound,
            }),
            stats: SearchStats {
                ended_by: self.stats.ended_by.filter(|_| open),
                ..self.stats
            },
            ..plan
        }
    }
}

/// Each of `groups` on the fewest shares on which it passes; `None` if they do not fit on the GPU together.
fn divide(problem: &Problem<'_>, groups: &[&[usize]]) -> Option<Vec<Candidate>> {
    let mut left = problem.shares();
    let mut parts = Vec::with_capacity(groups.len());
    for &tasks in groups {
        let shares = lemmas::smallest(1, left, |shares| match problem.sms_of(shares) {
            0 => false, // no partition is so small
            sms => problem.accepts(tasks, sms),
        })?;
        left -= shares;
        parts.push(Candidate::unmerged(problem, shares, tasks.to_vec()));
    }
    // In the order in which a plan places them.
    parts.sort_by(|a, b| b.sms.cmp(&a.sms).then_with(|| a.tasks.cmp(&b.tasks)));
    problem.fits(parts.iter().map(|part| part.sms)).then_some(parts)
}

/// The middle between `low` and `high`; `None` if nothing is between them.
fn between(low: u64, high: u64) -> Option<u64> {
    let width = high.checked_sub(low).filter(|&width| width > 1)?;
    Some(low + width / 2)
}
