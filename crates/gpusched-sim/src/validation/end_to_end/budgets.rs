//! Validation of WCETs under memory bandwidth budgets: random systems with budgets, and best-effort cores that access
//! memory whenever it hurts.
//!
//! The analysis computes bounds on the system with its budgets. The runs execute the system with its WCETs in isolation,
//! and a [`Regulation`] adds the delays by best-effort accesses. A kernel with a profile takes its WCET under its budget,
//! because `gpusched budget simulate` validates this WCET.

use std::collections::BTreeMap;

use gpusched_analysis::bandwidth::BudgetPolicy;
use gpusched_analysis::end_to_end::analyze_draft;
use gpusched_model::end_to_end::{Answer, BudgetsDraft, Draft, Jobs, KindBudgets, Profile, System, share};
use gpusched_model::error::{Error, Result};
use gpusched_model::streams::{Purpose, below, stream};
use gpusched_model::time::Time;
use gpusched_model::{Cluster, Contention, Factor, Interference, WcetFunction};
use rand::Rng;

use super::campaign::{Excess, Longest, Record, Report, Tally, excess, patterns};
use super::{draw, pipelines, turns};
use crate::campaign::{self, Header};
use crate::end_to_end::{Attack, Carry, Exposed, Regulation, Simulator, Slack, isolated};

/// Name of the task that chooses budgets.
const PROCESS: &str = "process";

/// Parameters of a validation campaign over systems with budgets.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Campaign {
    /// Number of systems to validate.
    pub systems: u64,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Memory time by which best-effort cores exceed each budget in the runs [ns]. The default is 0. Tests of the campaign use
    /// larger numbers, because a campaign must then find runs that exceed bounds.
    pub beyond: u64,
}

impl Campaign {
    /// Creates a campaign where best-effort cores keep to their budgets.
    pub fn new(systems: u64, seed: u64) -> Campaign {
        Campaign {
            systems,
            seed,
            beyond: 0,
        }
    }

    /// Returns system `index`, which has budgets.
    ///
    /// # Errors
    /// Fails with [`Error::Internal`] if the system cannot be generated.
    pub fn draft(&self, index: u64) -> Result<Draft> {
        let drawn = draw::system(self.seed, index).and_then(|draft| drawn(draft, (self.seed, index)));
        drawn.ok_or_else(|| Error::Internal(format!("no system {index}")))
    }

    fn examine(&self, index: u64) -> Result<(Tally, Option<Excess>)> {
        let draft = self.draft(index)?;
        let budgeted = analyze_draft(&draft, Interference::None.into())?;
        let (system, mut segments) = isolated(&draft, &budgeted)?;
        // Without a budget, the WCET in isolation has no slack for any accesses.
        for segment in segments.iter_mut().flatten().filter(|segment| segment.burst > 0) {
            segment.burst += self.beyond;
        }
        let period = draft
            .budgets
            .as_ref()
            .map_or(Time::from_ns(1), |found| found.regulation_period);
        let mut simulator = Simulator::new(&system, None)?;
        let slacks = BudgetPolicy::ALL.map(|policy| Slack::new(policy, &draft, &budgeted));
        let mut late = 0;
        let mut longest = Longest::new(&system);
        for (number, pattern) in (0..).zip(patterns()) {
            let numbers = (self.seed, index * 16 + number);
            for attack in 0..3 {
                let numbers = (self.seed, numbers.1 + (attack << 40));
                // The policy NOMINAL has constant budgets. Its slack states the nominal schedule that the run must keep.
                let policy = (index + number + attack) % slacks.len() as u64;
                let regulation = Regulation {
                    slack: slacks.get(usize::try_from(policy).unwrap_or(0)).cloned(),
                    ..regulation(&system, (period, &segments), numbers)
                };
                simulator.regulate(&system, regulation)?;
                simulator.set_turns(turns::turns(numbers));
                longest.run(&mut simulator, &system, (&pattern, numbers))?;
                late += simulator.late_segments();
            }
        }
        let mut answer = budgeted.answer.clone();
        forget_delays(&mut answer, &slacks[0]);
        let found = excess(&system, &answer, &longest).or_else(|| {
            (late > 0).then(|| Excess {
                system: index,
                of: format!("{late} segments, nominal schedule"),
                bound_ns: Time::ZERO,
                simulated_ns: Time::ZERO,
                enforced: false,
            })
        });
        let found = found.map(|found| Excess {
            system: index,
            ..found
        });
        let tally = Tally {
            exceeded: u64::from(found.is_some()),
            ..longest.tally(&budgeted.answer)
        };
        Ok((tally, found))
    }
}

impl campaign::Campaign for Campaign {
    type Record = Record;
    type Report = Report;
    const CHUNK: u64 = 64;

    fn header(&self) -> Result<Header> {
        Header::new(self.systems, self.seed).of("budgets", &self.beyond)
    }

    fn record(&self, chunk: u64) -> Record {
        Record::new(chunk)
    }

    fn check(&self, index: u64, record: &mut Record) -> Result<()> {
        record.count(self.examine(index)?);
        Ok(())
    }

    fn report(&self, Record { tally, excess, .. }: Record) -> Result<Report> {
        let draft = excess.as_ref().map(|excess| self.draft(excess.system));
        Ok(Report {
            tally,
            excess,
            draft: draft.transpose()?,
        })
    }
}

/// Removes the bounds on delays from the releases of segments that use slack of earlier segments of their jobs. Such a delay may be longer,
/// but the segment still ends within its bound from the arrival of the job.
fn forget_delays(answer: &mut Answer, slack: &Slack) {
    for (task, nominal) in answer.evidence.bounds.0.iter_mut().zip(&slack.segments) {
        for (delay, nominal) in task.delays_ns.iter_mut().zip(nominal) {
            if nominal.is_some_and(|nominal| nominal.carry == Carry::Job) {
                *delay = None;
            }
        }
    }
}

/// Returns the regulation of a run, with a random first boundary and random accesses.
fn regulation(
    system: &System,
    (period, segments): (Time, &[Vec<Exposed>]),
    (seed, run): (u64, u64),
) -> Regulation {
    let rng = &mut stream(seed, Purpose::RegulatedRuns, run, 1);
    let within = usize::try_from(period.ns()).unwrap_or(usize::MAX);
    let attack = match below(rng, 8) {
        0..3 => Attack::Always,
        3..6 => {
            let task = below(rng, system.tasks().len());
            let segment = below(rng, system.tasks()[task].segments.len());
            Attack::On { task, segment }
        }
        6 => Attack::Late(Time::from_ns(below(rng, within) as u64)),
        _ => Attack::Random {
            most: Time::from_ns(1 + below(rng, within) as u64),
            numbers: (seed, run),
        },
    };
    Regulation {
        period,
        phase: Time::from_ns(below(rng, within) as u64),
        segments: segments.to_vec(),
        attack,
        slack: None,
    }
}

/// Gives the segments of system `index` memory times, and the system budgets. Some systems have pipelined tasks, time slices, or a process
/// that chooses budgets.
fn drawn(draft: Draft, numbers: (u64, u64)) -> Option<Draft> {
    let rng = &mut stream(numbers.0, Purpose::BudgetedSystems, numbers.1, 0);
    let mut draft = match below(rng, 6) {
        0 => pipelines::with_pipelines(draft, numbers),
        1 => turns::with_time_slices(draft, numbers),
        _ => draft,
    };
    // Long periods leave time for the delays, so that more systems have bounds.
    let slower = [1, 1, 2, 5][below(rng, 4)];
    let longest = 1 + [3, 20, 100, 400][below(rng, 4)];
    let most = 1 + below(rng, longest) as u64;
    let period = Time::from_ns(most);
    let kernels: Vec<String> = draft.partitions.iter().map(|found| found.name.clone()).collect();
    for task in &mut draft.tasks {
        task.period = Time::from_ns(task.period.ns() * slower);
        for segment in &mut task.segments {
            let alone = segment.wcet.as_ref()?.at(1, Contention::Isolated)?.ns();
            let plain = kernels.contains(&segment.on);
            if plain && below(rng, 6) == 0 {
                segment.profile = Some(profile(rng, alone)?);
                (segment.wcet, segment.block) = (None, None);
                // The least WCET of the profile may be shorter than the drawn BCET.
                segment.bcet = None;
                continue;
            }
            let delay = match below(rng, 4) {
                0 => 0,
                1 => 2 * alone,
                _ => below(rng, usize::try_from(alone).ok()? + 1) as u64,
            };
            segment.e1 = Some(Time::from_ns(alone + delay));
            // At least δ/e1, rounded up to nine decimals.
            let least = (delay * 1_000_000_000).div_ceil(alone + delay);
            if below(rng, 2) == 0 {
                let spare = usize::try_from(1_000_000_000 - least).ok()? + 1;
                let rate = (least + [0, below(rng, spare) as u64][below(rng, 2)]).max(1);
                segment.delay_rate = Factor::from_billionths(rate);
            }
        }
    }
    let policy = with_process(&mut draft, period, numbers);
    let q = |rng: &mut dyn Rng| {
        let of = usize::try_from(most).unwrap_or(usize::MAX - 1);
        let burst = match below(&mut &mut *rng, 6) {
            0 => 0,
            1 => most,
            2 => most.min(1),
            _ => (below(&mut &mut *rng, of + 1) / 2) as u64,
        };
        share(burst, period)
    };
    let mut budgets = BudgetsDraft {
        regulation_period: period,
        q: None,
        by_kind: None,
        by_task: None,
        policy,
        process: policy.map(|_| PROCESS.to_owned()),
    };
    match below(rng, 3) {
        0 => budgets.q = Some(q(rng)),
        1 => {
            budgets.by_kind = Some(KindBudgets {
                cpu: Some(q(rng)),
                copy: Some(q(rng)),
                kernel: Some(q(rng)),
            });
        }
        _ => {
            let tasks = draft.tasks.iter().map(|task| (task.name.clone(), q(rng)));
            budgets.by_task = Some(tasks.collect::<BTreeMap<_, _>>());
        }
    }
    draft.budgets = Some(budgets);
    Some(draft)
}

/// Adds the process that chooses budgets to one of four systems: a task with the regulation period as its period. Returns its policy.
fn with_process(draft: &mut Draft, period: Time, numbers: (u64, u64)) -> Option<BudgetPolicy> {
    let rng = &mut stream(numbers.0, Purpose::BudgetedSystems, numbers.1, 1);
    if below(rng, 4) > 0 || period.ns() < 4 {
        return None;
    }
    let within = |rng: &mut _, most: u64| 1 + below(rng, usize::try_from(most).unwrap_or(1)) as u64;
    let wcet = within(rng, period.ns() / 4);
    let core = &draft.cores[below(rng, draft.cores.len())];
    let mut process = draft.tasks.first()?.clone();
    let mut segment = process.segments.first()?.clone();
    segment.on.clone_from(&core.name);
    segment.wcet = WcetFunction::constant(Time::from_ns(wcet)).ok();
    segment.bcet = Some(Time::from_ns(within(rng, wcet)));
    segment.e1 = Some(Time::from_ns(wcet + within(rng, wcet) - 1));
    (segment.block, segment.profile, segment.delay_rate) = (None, None, None);
    process.name = PROCESS.to_owned();
    process.period = period;
    process.deadline = (below(rng, 2) == 0).then(|| Time::from_ns(within(rng, period.ns())));
    // The most urgent task of its core, or a task among others.
    process.priority = Some([0, u32::try_from(below(rng, 100)).unwrap_or(0)][below(rng, 2)]);
    process.segments = vec![segment];
    (process.jitter, process.jobs, process.buffers) = (None, Jobs::Sequential, None);
    // Longer periods leave time for the process.
    for task in &mut draft.tasks {
        task.period = Time::from_ns(task.period.ns() * 2);
    }
    draft.tasks.push(process);
    Some([BudgetPolicy::Fair, BudgetPolicy::Greedy, BudgetPolicy::Smooth][below(rng, 3)])
}

/// Returns a profile with one or two clusters. In isolation, the kernel takes about `alone` ns on one SM.
fn profile(rng: &mut impl Rng, alone: u64) -> Option<Profile> {
    let blocks_per_sm = 1 + u32::try_from(below(rng, 3)).ok()?;
    let clusters = (0..1 + below(rng, 2)).map(|_| {
        let blocks = 1 + below(rng, 6) as u64;
        let e0 = 1 + alone / (2 * blocks);
        let e1 = e0 + below(rng, usize::try_from(e0).ok()? + 1) as u64;
        Cluster::new(blocks, Time::from_ns(e0), Time::from_ns(e1)).ok()
    });
    Some(Profile {
        blocks_per_sm,
        clusters: clusters.collect::<Option<Vec<Cluster>>>()?,
    })
}
