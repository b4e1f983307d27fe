//! Search for the plan with the largest WCET margin. The WCET margin of a plan is the largest
//! common factor by which all WCETs may grow before the plan fails.
//!
//! For a given factor, a search may find a plan that fits the GPU, or it may prove that no plan
//! exists. Every test is monotone in the WCETs. A plan that passes at a factor therefore passes
//! at all smaller factors. If no plan exists at a factor, then no plan exists at a larger factor.
//!
//! Bisection therefore encloses the largest factor between two limits. A plan raises the lower
//! limit, and a proof that no plan exists lowers the upper limit. If the groups of tasks are
//! given, each group gets the fewest SMs on which it passes its test at the factor. The search
//! then increases the factor as long as the GPU has enough SMs for all groups.
//!
//! The search prefers the plan with the largest factor. Ties: the fewest SMs, then the plan that
//! the search finds first.

pub(super) mod growth;
pub(super) mod sensitivity;

use std::time::Instant;

use super::heuristic::traffic::Traffic;
use super::heuristic::{Heuristic, Limits, Objective};
use super::one_search::auto;
use super::problem::{Problem, Scale};
use super::run;
use super::search::budget::Budget;
use super::search::{Candidate, Experience, Found, GroupTester, Outcome, lemmas};
use gpusched_model::plan::{Failure, LARGEST_SCALING, LowerBound, Margin, Plan, SearchStats};
use sensitivity::joint_scaling;

/// The factor 1, in thousandths.
const ONE: u64 = 1000;

/// Total search effort for the largest WCET margin, as a multiple of the search effort of one search.
pub const MARGIN_SEARCHES: u64 = 14;

/// The first attempt to prove that no plan exists uses a factor that is 1/200 (0.5 %) above the factor of the best
/// plan.
const FIRST_STEP: u64 = 200;

/// Phases after the first bisection. The unit of all numbers is the search effort of one search. The first number
/// limits one attempt of a proof. The other numbers limit the total effort so far: at the second number, the search for
/// plans ends, and at the third number, the search for proofs ends.
const PHASES: [(u64, u64, u64); 2] = [(2, 7, 12), (4, MARGIN_SEARCHES, MARGIN_SEARCHES)];

/// The limit counts as near if it exceeds the factor of the best plan by at most 1/`NEAR` of this factor.
const NEAR: u64 = 1000;

/// Returns the plan with the largest WCET margin that `heuristic` finds. The plan states an upper limit on the WCET
/// margin of every plan.
pub(super) fn widest(problem: &Problem<'_>, heuristic: &Heuristic, traffic: Traffic) -> Plan {
    let problem = &problem.sharpened();
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
        phase: MARGIN_SEARCHES,
    };
    let first = search.ask(problem, Objective::Feasible).plan;
    if !first.schedulable {
        return first;
    }
    search.limit = Limit::by_lemmas(problem);
    search.take(&first, ONE);
    search.narrow();
    search.save_sms();
    search.into_plan(first)
}

/// Best plan so far: groups of tasks with their allocation units, and a factor on the WCETs at
/// which all groups pass their tests.
struct Incumbent {
    /// Factor on all WCETs, in thousandths.
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

/// Smallest factor for which gpusched has proven that no plan exists, and the reason.
struct Limit {
    /// Factor on all WCETs, in thousandths.
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

    /// Returns the smallest factor at which a lemma excludes every plan. At this factor, the work of all tasks exceeds
    /// the capacity of the GPU, or one task does not fit on the GPU.
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
    /// Limit on the search effort of the present phase and all earlier phases together. The unit is the effort of one
    /// search.
    phase: u64,
}

impl Search<'_> {
    /// Raises the factor of the best plan and lowers the limit, until the search effort is used up.
    fn narrow(&mut self) {
        let Some(silent) = self.bisect(LARGEST_SCALING + 1) else {
            return;
        };
        let mut silent = Some(silent);
        for (searches, plans, proofs) in PHASES {
            self.phase = plans;
            while let Some(permille) = silent
                && !self.is_spent()
            {
                silent = self.bisect(permille);
            }
            self.phase = proofs;
            self.refute(searches);
        }
    }

    /// Tries to prove that no plan exists, at factors above the factor of the best plan. Each attempt may use the
    /// search effort of `searches` searches. The step from one factor to the next doubles after each attempt.
    ///
    /// A proof may fail at one factor and succeed at a slightly larger factor. A proof at a smaller factor gives a tighter
    /// limit.
    fn refute(&mut self, searches: u64) {
        let (mut failed, mut step) = (self.best.permille, self.best.permille / FIRST_STEP);
        while let Some(middle) = between(failed.max(self.best.permille), self.limit.permille) {
            let near = self.limit.permille - self.best.permille <= self.best.permille / NEAR;
            if near || self.is_spent() {
                return;
            }
            let permille = middle.min(failed.max(self.best.permille) + step.max(1));
            if !self.prove(permille, searches) {
                failed = permille;
            }
            step = step.saturating_mul(2);
        }
    }

    /// Searches for a proof that no plan exists at the factor `permille`. Returns whether it finds a proof or a plan.
    fn prove(&mut self, permille: u64, searches: u64) -> bool {
        if self.problem.has_places() {
            // The search also enumerates plans with a placement.
            return self.look(permille);
        }
        let each = self.one_search(Objective::Feasible);
        let tests = self.limits(&each).tests.saturating_mul(searches);
        let heuristic = each.spending(Some(tests));
        let spare = (searches < 4).then_some(auto::SPARE);
        let scaled = self.problem.scaled(Scale::permille(permille)).without_traffic();
        let found = run::prove(&scaled, &heuristic, spare, &mut self.experience);
        self.stats = found.plan.stats.plus(&self.stats);
        if found.plan.schedulable && self.problem.memory().is_some() {
            return false; // the plan may fail with memory traffic
        }
        self.learn(&found, permille)
    }

    /// Bisects between the factor of the best plan and an upper end: `high` or the proven limit,
    /// whichever is smaller. Returns the first factor at which gpusched finds neither a plan nor
    /// a proof that no plan exists.
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

    /// Searches for a plan at the factor `permille`, or for a proof that no plan exists. Returns
    /// whether it finds a plan or a proof.
    fn look(&mut self, permille: u64) -> bool {
        let scaled = self.problem.scaled(Scale::permille(permille));
        let found = self.ask(&scaled, Objective::Feasible);
        self.learn(&found, permille)
    }

    /// Keeps the result of a search at the factor `permille`: a plan, or a proof that no plan exists. Returns whether the
    /// result is a plan or a proof.
    fn learn(&mut self, Found { plan, excluded }: &Found, permille: u64) -> bool {
        if plan.schedulable {
            self.take(plan, permille);
            return true;
        }
        let failure = match &plan.failure {
            Some(Failure::HeuristicFailed) if *excluded => Some(Failure::BoundExceedsGpu),
            Some(Failure::HeuristicFailed) | None => None,
            failure => failure.clone(),
        };
        if failure.is_some() {
            self.limit = Limit {
                permille,
                // Under MIG, the bound on allocation units may exclude every plan although the bound on SMs does not.
                bound: plan.bound.clone().filter(|bound| {
                    failure == Some(Failure::BoundExceedsGpu) && bound.sms > self.problem.capacity()
                }),
                failure,
            };
            return true;
        }
        false
    }

    /// Searches for a plan with fewer SMs at the factor of the best plan.
    fn save_sms(&mut self) {
        let permille = self.best.permille;
        let scaled = self.problem.scaled(Scale::permille(permille));
        let plan = self.ask(&scaled, Objective::Sms).plan;
        if plan.schedulable {
            self.take(&plan, permille);
        }
    }

    /// Searches for a plan of `problem`, which is `self.problem` with a factor on all WCETs.
    fn ask(&mut self, problem: &Problem<'_>, objective: Objective) -> Found {
        let heuristic = self.one_search(objective);
        let found = run::search(problem, &heuristic, self.traffic, &mut self.experience);
        self.stats = found.plan.stats.plus(&self.stats);
        found
    }

    /// Returns the heuristic of one of the searches, with its share of the search effort and with the remaining time.
    fn one_search(&self, objective: Objective) -> Heuristic {
        let options = self.heuristic.options();
        let tests = options.search_effort.map(|tests| tests.div_ceil(MARGIN_SEARCHES));
        let left = options.time_limit;
        let left = left.map(|limit| limit.saturating_sub(self.start.elapsed()));
        self.heuristic.towards(objective).spending(tests).within(left)
    }

    /// Returns the limits of `heuristic`.
    fn limits(&self, heuristic: &Heuristic) -> Limits {
        heuristic.limits(self.problem.tasks().len(), self.problem.memory().is_some())
    }

    /// Whether all searches together have reached the limit on search effort or time.
    fn is_spent(&self) -> bool {
        let spent = self.stats.merges_tested.saturating_add(self.stats.other_work);
        let each = self.limits(&self.one_search(Objective::Feasible));
        Budget::start(each.of_all(self.phase)).is_spent(spent)
    }

    /// Keeps the groups of `plan` as the best plan if they permit a larger factor, or an equal
    /// factor with fewer SMs. `plan` passes its tests at the factor `permille`.
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

    /// Returns the groups of `plan` with unchanged partition sizes. Other sizes may cause more memory interference.
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

    /// Returns the largest factor at which `groups` fit on the GPU together. Each group gets the fewest SMs. The factor
    /// is at least `permille`. Returns `None` if the groups do not fit at `permille`.
    fn divided(&self, groups: &[&[usize]], permille: u64) -> Option<Incumbent> {
        let at = |permille: u64| {
            let parts = divide(&self.problem.scaled(Scale::permille(permille)), groups)?;
            Some(Incumbent { permille, parts })
        };
        let mut best = at(permille)?;
        let (mut fails, mut step) = (self.limit.permille, 1);
        while let Some(middle) = between(best.permille, fails) {
            // The step doubles after each success, because the largest factor is usually near the
            // factor of the best plan.
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

    /// Returns the best plan at the factor 1, with its WCET margin. `first` is a plan that passes
    /// at factor 1.
    fn into_plan(self, first: Plan) -> Plan {
        let found = Outcome::untested(self.best.parts);
        let plan = Some(found.into_plan(self.problem)).filter(|plan| plan.schedulable);
        let plan = plan.unwrap_or(first);
        let wcet_scaling_permille = joint_scaling(self.problem, &plan.partitions);
        // A test that stops at its step limit counts as failed. At a larger factor, the test may still pass, so the
        // limit is not proven.
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

/// Assigns to each group the fewest allocation units on which the group passes its test. Returns
/// `None` if the groups do not fit on the GPU together.
fn divide(problem: &Problem<'_>, groups: &[&[usize]]) -> Option<Vec<Candidate>> {
    let mut left = problem.shares();
    let mut parts = Vec::with_capacity(groups.len());
    for &tasks in groups {
        let shares = lemmas::smallest(1, left, |shares| match problem.sms_of(shares) {
            0 => false, // every supported size needs more units
            sms => problem.accepts(tasks, sms),
        })?;
        left -= shares;
        parts.push(Candidate::unmerged(problem, shares, tasks.to_vec()));
    }
    // A plan lists its partitions in this order.
    parts.sort_by(|a, b| b.sms.cmp(&a.sms).then_with(|| a.tasks.cmp(&b.tasks)));
    problem.fits(parts.iter().map(|part| part.sms)).then_some(parts)
}

/// Returns the middle between `low` and `high`, or `None` if no integer lies between them.
fn between(low: u64, high: u64) -> Option<u64> {
    let width = high.checked_sub(low).filter(|&width| width > 1)?;
    Some(low + width / 2)
}
