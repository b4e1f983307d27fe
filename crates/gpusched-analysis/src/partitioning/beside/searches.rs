//! Heuristic searches that treat memory traffic in different ways.

use std::time::{Duration, Instant};

use crate::partitioning::heuristic::traffic::Traffic;
use crate::partitioning::heuristic::{Heuristic, HeuristicKind};
use crate::partitioning::improve::{merge_by_traffic, repair};
use crate::partitioning::one_search::{mergeable, search_and_bound, search_from};
use crate::partitioning::search::tester::expected_traffic::ExpectedTraffic;
use crate::partitioning::search::{Candidate, Found, GroupTester, Outcome, lemmas};
use gpusched_model::SharedMemory;
use gpusched_model::plan::{Failure, LowerBound, Plan};

/// One search: its heuristic, and how it treats memory traffic.
pub(super) type Step = (Heuristic, Traffic);

/// Several searches with one time limit.
pub(super) struct Searches<'t, 'p> {
    tester: &'t mut GroupTester<'p>,
    singles: &'t [Candidate],
    /// Heuristic that the user requests.
    heuristic: &'t Heuristic,
    memory: SharedMemory,
    start: Instant,
    /// Divisions of the tasks that the searches found.
    divisions: Vec<Vec<Vec<usize>>>,
    /// Lower bound from searches without memory traffic.
    bound: Option<LowerBound>,
    /// Whether a lower bound proves that no plan exists.
    excluded: bool,
}

impl<'t, 'p> Searches<'t, 'p> {
    /// Prepares the searches. One time limit applies to all searches together. After this time, every test with memory
    /// traffic fails, so searches with memory traffic contribute no lower bound.
    pub fn new(
        tester: &'t mut GroupTester<'p>,
        singles: &'t [Candidate],
        heuristic: &'t Heuristic,
        memory: SharedMemory,
    ) -> Searches<'t, 'p> {
        let start = Instant::now();
        let limit = heuristic.options().time_limit;
        tester.stop_at(limit.and_then(|limit| start.checked_add(limit)));
        Searches {
            tester,
            singles,
            heuristic,
            memory,
            start,
            divisions: Vec::new(),
            bound: None,
            excluded: false,
        }
    }

    /// Returns the remaining time, or `None` without a time limit.
    pub fn time_left(&self) -> Option<Duration> {
        let limit = self.heuristic.options().time_limit;
        limit.map(|limit| limit.saturating_sub(self.start.elapsed()))
    }

    /// Runs the searches of `steps` until one finds a plan or proves that no plan exists. `improves` states whether another
    /// search follows.
    pub fn first_plan(&mut self, steps: &[Step], improves: bool) -> Found {
        let mut best: Option<Plan> = None;
        for (index, (heuristic, traffic)) in steps.iter().enumerate() {
            if best.is_some() && self.tester.is_late() {
                break;
            }
            // Each search gets half of the remaining time. The last search gets all of the remaining time.
            let mut later = steps.iter().skip(index + 1);
            let is_last = !improves && later.all(|(heuristic, _)| !heuristic.has_limits());
            let left = self.time_left();
            let left = left.map(|left| if is_last { left } else { left / 2 });
            let plan = self.plan(&heuristic.within(left), *traffic);
            let plan = match best {
                Some(before) => self.more_useful(before, plan, heuristic.kind()),
                None => plan,
            };
            let ends = plan.schedulable || plan.failure == Some(Failure::BoundExceedsGpu);
            best = Some(plan);
            if self.excluded || ends {
                break;
            }
        }
        Found {
            plan: best.unwrap_or_else(|| Outcome::default().into_plan(self.tester.problem())),
            excluded: self.excluded,
        }
    }

    /// Returns the plan of one search, with the best lower bound so far.
    fn plan(&mut self, heuristic: &Heuristic, traffic: Traffic) -> Plan {
        let mut found = self.outcome(heuristic, traffic);
        // A group that passes with memory traffic also passes without memory traffic, so a bound from tests without
        // traffic is valid. With traffic, the number of SMs that a group needs depends on the other partitions. A bound
        // from tests with traffic is therefore invalid.
        if traffic != Traffic::Heed {
            self.bound = found.bound.take().or(self.bound.take());
            self.excluded |= found.excluded;
        }
        found.bound.clone_from(&self.bound);
        let plan = found.into_plan(self.tester.problem());
        let division = plan.partitions.iter().map(|part| part.tasks.clone());
        self.divisions.push(division.collect());
        plan
    }

    /// Returns the more useful plan of `before` and `plan`, with the statistics of both. If `plan` fails, too, gpusched
    /// keeps the earlier plan in two cases: the earlier plan fits the GPU, or the user did not request the heuristic
    /// `kind` of `plan`.
    fn more_useful(&self, before: Plan, plan: Plan, kind: HeuristicKind) -> Plan {
        let stats = plan.stats.plus(&before.stats);
        let fits = lemmas::fits(before.sms_used, self.tester.problem().capacity());
        let keeps = !plan.schedulable && (fits || kind != self.heuristic.kind());
        let useful = if keeps { before } else { plan };
        Plan { stats, ..useful }
    }

    /// Runs `heuristic`. `traffic` states how the search treats memory traffic.
    fn outcome(&mut self, heuristic: &Heuristic, traffic: Traffic) -> Outcome {
        let tester = &mut *self.tester;
        let problem = tester.problem();
        let merges = matches!(heuristic.kind(), HeuristicKind::Sms | HeuristicKind::Bf);
        tester.expect(None);
        match traffic {
            Traffic::Heed => {
                tester.expect(Some(ExpectedTraffic::new(problem, self.singles)));
                // With the memory traffic of all other tasks, a task may fail on every partition size. Such a task keeps
                // its smallest size without traffic, because a later merge may help.
                let grown = self.singles.iter().map(|single| {
                    let task = single.tasks.first().copied().unwrap_or_default();
                    lemmas::smallest_partition(tester, task).unwrap_or_else(|| single.clone())
                });
                let grown: Vec<Candidate> = grown.collect();
                let found = search_from(tester, grown, heuristic);
                let partitions = match merges {
                    true => repair(tester, found.partitions),
                    false => found.partitions,
                };
                Outcome {
                    stats: found.stats,
                    ..Outcome::untested(partitions)
                }
            }
            Traffic::Merge if merges => {
                let singles = mergeable(problem, self.singles.to_vec());
                let merged = merge_by_traffic(tester, self.memory, singles);
                search_from(tester, merged, heuristic)
            }
            _ => search_and_bound(tester, self.singles.to_vec(), heuristic),
        }
    }

    /// Returns divisions of all tasks: the divisions of the searches so far, the divisions of further searches by merges,
    /// and the two extreme divisions.
    pub fn divisions(&mut self) -> Vec<Vec<Vec<usize>>> {
        for traffic in Traffic::EACH {
            if !self.tester.is_late() {
                let found = self.outcome(&HeuristicKind::Sms.into(), traffic);
                let division = found.partitions.into_iter().map(|part| part.tasks);
                self.divisions.push(division.collect());
            }
        }
        let count = self.tester.problem().tasks().len();
        let mut all = std::mem::take(&mut self.divisions);
        all.push((0..count).map(|task| vec![task]).collect());
        all.push(vec![(0..count).collect()]);
        all.retain(|groups| groups.iter().map(Vec::len).sum::<usize>() == count);
        all
    }
}
