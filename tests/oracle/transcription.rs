//! Reference implementation of Algorithms 1–3 of [Singh21] §3.5 as printed, with the errata of
//! docs/errata.md: linear scans, sets of pairs, no caches. A benchmark compares the library with
//! this implementation, and the plans must be equal.

use std::collections::HashSet;

use gpusched::interference::Interference;
use gpusched::model::{Policy, Task, TaskSet};
use gpusched::partitioning::forbidden::Forbidden;
use gpusched::partitioning::order::{BfDirection, BfMeasure, ListOrder, SmsTies};
use gpusched::partitioning::{Heuristic, HeuristicKind};

use super::demand::{self, Sporadic};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub sms: u32,
    pub tasks: Vec<usize>,
}

/// A partition in the list of Algorithm 1. A merge gives a new partition.
#[derive(Clone)]
struct Listed {
    id: u32,
    part: Part,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    pub schedulable: bool,
    pub parts: Vec<Part>,
    pub merges: u64,
    pub prefill: u64,
}

/// Whether tasks pass on this number of SMs.
pub type Test<'a> = dyn Fn(&[usize], u32) -> bool + 'a;

pub struct Machine<'a> {
    pub tasks: &'a [Task],
    pub sms: u32,
    pub policy: Policy,
    pub interference: Interference,
    /// A schedulability test that replaces the test of §3.5.5.
    pub test: Option<&'a Test<'a>>,
}

impl Machine<'_> {
    fn sporadic(&self, tasks: &[usize], sms: u32) -> Option<Vec<Sporadic>> {
        demand::sporadic(
            self.tasks,
            tasks,
            sms,
            self.interference == Interference::Conflict,
        )
    }

    /// Schedulability test of §3.5.5.
    pub fn passes(&self, tasks: &[usize], sms: u32) -> bool {
        if let Some(test) = self.test {
            return test(tasks, sms);
        }
        let Some(set) = self.sporadic(tasks, sms) else {
            return false;
        };
        match self.policy {
            Policy::Edf => qpa(&set),
            policy => {
                let h: u128 = 4_000_000_000_000; // a multiple of every period of these tests
                let work: u128 = tasks
                    .iter()
                    .map(|&i| self.work(tasks, i) * (h / u128::from(self.tasks[i].period().ns())))
                    .sum();
                let in_time = policy == Policy::WorkCapacity || set.iter().all(|&(c, d, _)| c <= d);
                in_time && work <= h * u128::from(sms)
            }
        }
    }

    /// min over m of m·C(m). A scan up to M is enough for the tables of these tests.
    fn work(&self, members: &[usize], task: usize) -> u128 {
        let conflict =
            self.interference == Interference::Conflict && demand::in_conflict(self.tasks, members, task);
        (1..=self.sms.max(64))
            .filter_map(|m| {
                demand::wcet(&self.tasks[task], m, conflict).map(|c| u128::from(m) * u128::from(c))
            })
            .min()
            .unwrap()
    }

    /// Σ C/T in multiples of 2⁻⁴⁸, with each term rounded down, which is the documented measure of the list order.
    pub fn utilization(&self, tasks: &[usize], sms: u32) -> Option<u128> {
        Some(
            self.sporadic(tasks, sms)?
                .iter()
                .map(|&(c, _, t)| (u128::from(c) << 48) / u128::from(t))
                .sum(),
        )
    }

    fn bf_key(&self, measure: BfMeasure, p1: &Part, p2: &Part) -> Option<u128> {
        let (tasks, sms) = (union(p1, p2), p1.sms.max(p2.sms));
        match measure {
            BfMeasure::Utilization => self.utilization(&tasks, sms),
            BfMeasure::Demand => Some(
                self.sporadic(&tasks, sms)?
                    .iter()
                    .map(|&(c, _, _)| u128::from(c))
                    .sum(),
            ),
        }
    }

    /// Algorithm 2 with a linear scan.
    fn merge(&self, p1: &Part, p2: &Part) -> Option<Part> {
        let tasks = union(p1, p2);
        (p1.sms.max(p2.sms)..p1.sms + p2.sms)
            .find(|&sms| self.passes(&tasks, sms))
            .map(|sms| Part { sms, tasks })
    }

    /// Algorithm 1, or an equal split after the same lemmas.
    pub fn partition_and_allocate(&self, heuristic: &Heuristic) -> Answer {
        let mut answer = Answer {
            schedulable: false,
            parts: vec![],
            merges: 0,
            prefill: 0,
        };
        // Lemma 1 over a common multiple of the periods of these tests.
        let h: u128 = 4_000_000_000_000;
        let work: u128 = (0..self.tasks.len())
            .map(|i| self.work(&[i], i) * (h / u128::from(self.tasks[i].period().ns())))
            .sum();
        if work > h * u128::from(self.sms) {
            return answer;
        }
        // Lemma 2 with a linear scan.
        let mut pars: Vec<Listed> = Vec::new();
        for task in 0..self.tasks.len() {
            match (1..=self.sms).find(|&m| self.passes(&[task], m)) {
                Some(sms) => pars.push(Listed {
                    id: task as u32,
                    part: Part {
                        sms,
                        tasks: vec![task],
                    },
                }),
                None => return answer,
            }
        }
        // Order of the partners, and the selected partner: the first that merges, or the partner with the fewest SMs.
        let options = heuristic.options();
        let list_forbidden = options.forbidden.unwrap_or(Forbidden::Ina);
        let list_order = options.order.unwrap_or(ListOrder::Decreasing);
        let sms_ties = options.sms_ties.unwrap_or(SmsTies::Saving);
        let measure = options.bf_measure.unwrap_or(BfMeasure::Utilization);
        let direction = options.bf_direction.unwrap_or(BfDirection::Ascending);
        let best_fit = match heuristic.kind() {
            HeuristicKind::Sms => None,
            HeuristicKind::Bf => Some((measure, direction)),
            HeuristicKind::Ffd | HeuristicKind::Wfd => return self.equal_split(heuristic.kind()),
            _ => panic!("{heuristic:?} has no transcription"),
        };
        let mut next_id = self.tasks.len() as u32;
        let mut forbidden: HashSet<(u32, u32)> = HashSet::new(); // pairs of partitions
        let mut forbidden_tasks: HashSet<(usize, usize)> = HashSet::new();
        if list_forbidden == Forbidden::Act {
            for i in 0..pars.len() {
                for j in i + 1..pars.len() {
                    answer.prefill += 1;
                    if self.merge(&pars[i].part, &pars[j].part).is_none() {
                        forbidden_tasks.insert((i, j));
                    }
                }
            }
        }
        while pars.iter().map(|p| p.part.sms).sum::<u32>() > self.sms {
            pars.sort_by_cached_key(|p| {
                let u = self.utilization(&p.part.tasks, p.part.sms).unwrap();
                let key = if list_order == ListOrder::Decreasing {
                    u128::MAX - u
                } else {
                    u
                };
                (key, p.part.tasks[0])
            });
            // Algorithm 3
            let is_forbidden = |a: &Listed, b: &Listed| {
                forbidden.contains(&(a.id.min(b.id), a.id.max(b.id)))
                    || (!forbidden_tasks.is_empty()
                        && a.part.tasks.iter().any(|&i| {
                            b.part
                                .tasks
                                .iter()
                                .any(|&j| forbidden_tasks.contains(&(i.min(j), i.max(j))))
                        }))
            };
            let selected = pars.iter().find_map(|p1| {
                let eligible: Vec<Listed> = pars
                    .iter()
                    .filter(|p2| p2.id != p1.id && !is_forbidden(p1, p2))
                    .cloned()
                    .collect();
                (!eligible.is_empty()).then(|| (p1.clone(), eligible))
            });
            let Some((p1, mut eligible)) = selected else { break };
            let mut best: Option<(Listed, Part)> = None; // (P2, P3)
            if let Some((measure, direction)) = best_fit {
                eligible.sort_by_cached_key(|p2| {
                    let key = self.bf_key(measure, &p1.part, &p2.part).map(|key| {
                        if direction == BfDirection::Ascending {
                            key
                        } else {
                            u128::MAX - key
                        }
                    });
                    (key.is_none(), key, p2.part.tasks[0])
                });
            }
            for p2 in eligible {
                answer.merges += 1;
                match self.merge(&p1.part, &p2.part) {
                    None => {
                        forbidden.insert((p1.id.min(p2.id), p1.id.max(p2.id)));
                    }
                    Some(p3) if best_fit.is_some() => {
                        best = Some((p2, p3));
                        break;
                    }
                    Some(p3) => {
                        // Fewest SMs, then the larger saving, then the first in the list; or the lowest position.
                        let better = best.as_ref().is_none_or(|(b2, b3)| {
                            let wins_tie = match sms_ties {
                                SmsTies::Saving => p2.part.sms > b2.part.sms,
                                SmsTies::Position => p2.part.tasks[0] < b2.part.tasks[0],
                            };
                            p3.sms < b3.sms || (p3.sms == b3.sms && wins_tie)
                        });
                        if better {
                            best = Some((p2, p3));
                        }
                    }
                }
            }
            if let Some((p2, p3)) = best {
                pars.retain(|p| p.id != p1.id && p.id != p2.id);
                pars.push(Listed {
                    id: next_id,
                    part: p3,
                });
                next_id += 1;
            }
        }
        answer.parts = pars.into_iter().map(|p| p.part).collect();
        answer.schedulable = answer.parts.iter().map(|p| p.sms).sum::<u32>() <= self.sms;
        answer
            .parts
            .sort_by(|a, b| b.sms.cmp(&a.sms).then(a.tasks.cmp(&b.tasks)));
        answer
    }
}

fn union(p1: &Part, p2: &Part) -> Vec<usize> {
    let mut tasks = [p1.tasks.as_slice(), &p2.tasks].concat();
    tasks.sort();
    tasks
}

/// QPA as printed by Zhang & Burns (2009), Theorem 5, from the usual bound. Deadlines may be constrained or longer.
fn qpa(set: &[Sporadic]) -> bool {
    let h = demand::hyperperiod(set);
    let load: u128 = set
        .iter()
        .map(|&(c, _, t)| u128::from(c) * (h / u128::from(t)))
        .sum();
    if load > h {
        return false;
    }
    // (T − D)·C/T summed over H, divided by (1 − U)·H; the hyperperiod if U = 1.
    let early: u128 = set
        .iter()
        .filter(|&&(_, d, t)| d < t)
        .map(|&(c, d, t)| u128::from(t - d) * u128::from(c) * (h / u128::from(t)))
        .sum();
    let bound = if load == h { h } else { early / (h - load) + 1 };
    let longest = set.iter().map(|&(_, d, _)| u128::from(d)).max().unwrap();
    // From the longest deadline on, the demand grows by U·H from t to t + H.
    let bound = bound.max(longest).min(longest + h);
    let bound = u64::try_from(bound).unwrap();
    let dbf = |t: u64| -> u64 {
        set.iter()
            .filter(|s| s.1 <= t)
            .map(|&(c, d, p)| ((t - d) / p + 1).saturating_mul(c))
            .fold(0, u64::saturating_add)
    };
    let last_before = |t: u64| {
        set.iter()
            .filter(|s| s.1 < t)
            .map(|&(_, d, p)| d + (t - 1 - d) / p * p)
            .max()
    };
    let first = set.iter().map(|s| s.1).min().unwrap();
    let mut t = last_before(bound + 1).unwrap_or(first);
    loop {
        let demand = dbf(t);
        if demand > t {
            return false;
        }
        if demand <= first {
            return dbf(first) <= first;
        }
        t = if demand < t {
            demand
        } else {
            last_before(t).unwrap_or(first)
        };
    }
}

/// The reference implementation for `set`.
pub fn machine<'a>(set: &'a TaskSet, sms: u32, policy: Policy, interference: Interference) -> Machine<'a> {
    Machine {
        test: None,
        tasks: set.tasks(),
        sms,
        policy,
        interference,
    }
}
