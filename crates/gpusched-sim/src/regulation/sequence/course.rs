//! Simulation of one job from its start to its end. The starts of regulation periods divide the
//! job into stretches.

use crate::regulation::Block;
use crate::regulation::bursts::Bursts;
use crate::regulation::governor::{Governor, Process};
use crate::regulation::machine::Machine;
use crate::regulation::pattern::{ADVERSARIAL, AccessPattern, Placement, scatter};
use crate::regulation::period::tolerance;
use crate::regulation::{REQUESTS_PER_NS, Setting};
use gpusched_analysis::bandwidth::RemainingTable;
use gpusched_analysis::bandwidth::inverse::memory_time;
use gpusched_model::streams::{Purpose, stream};
use gpusched_model::time::Time;

/// A job that is about to start, with the parameters of its simulation.
#[derive(Clone, Debug)]
pub(super) struct Course<'a> {
    pub table: &'a RemainingTable,
    pub clusters: usize,
    pub active: usize,
    pub blocks: &'a [Block],
    /// Regulation period T [ns].
    pub period: u64,
    /// Time from the start of the job to the next regulation period [ns]. If the job starts
    /// together with a period, this time is T.
    pub first: u64,
    pub setting: &'a Setting,
    pub process: Process,
    /// Random stream of the bursts. The seed, the number of the run, and the number of the job in the run select the
    /// stream.
    pub random: (u64, u64, u64),
}

/// A stretch is the execution of a job within one regulation period.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Step {
    /// Start of the stretch, counted from the start of the job [ns].
    pub elapsed: u64,
    /// Maximum length of the stretch [ns]. The stretch is shorter if the job ends earlier.
    pub length: u64,
    pub q: f64,
    pub remaining: Vec<u64>,
    pub requests: f64,
    pub slack: Option<i64>,
}

/// The result of simulating one job.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Arrival {
    /// Time from the start of the job to its end, rounded up [ns]; at least 1.
    pub length: u64,
    pub requests: f64,
}

impl Course<'_> {
    /// Simulates the job with the decisions of `governor`. If `record` is true, calls `each` with
    /// every stretch.
    ///
    /// Times within a stretch count from its start and are floating-point numbers, as in a
    /// [`Simulator`](crate::regulation::Simulator).
    pub fn run(&self, governor: &mut impl Governor, record: bool, mut each: impl FnMut(Step)) -> Arrival {
        governor.restart();
        let period = self.period as f64;
        let traffic = self.process.traffic.ns() as f64;
        let mut machine = Machine::new(self.blocks);
        let mut bursts = Bursts::default();
        let mut remaining = vec![0; self.clusters];
        self.table.remaining(0, [], &mut remaining);
        let mut budget = governor.nominal(); // The job starts with the full nominal budget.
        let mut known = true; // True if the governor knows the remaining blocks.
        let (mut elapsed, mut length, mut count) = (0u64, self.first, 0u64);
        let mut requests = 0.0;
        loop {
            if count > 0 && known {
                budget = governor.decide(Time::from_ns(elapsed), &remaining);
            }
            let room = length as f64;
            let granted = (budget.ns() as f64 - traffic).max(0.0);
            let used = granted.min(self.setting.demand.as_f64() * room);
            let memory = (used + traffic).min(room);
            self.place(&machine, &mut bursts, memory, count, room);
            self.begin(&mut machine, count, &bursts);
            let step = record.then(|| Step {
                elapsed,
                length,
                q: granted / period,
                remaining: remaining.clone(),
                requests: 0.0,
                slack: self.slack(elapsed, &remaining, governor),
            });
            let look = room - self.process.lead.ns() as f64;
            known = look >= 0.0;
            if known {
                machine.run_to(look, &bursts);
                let (next, running) = machine.state();
                self.table.remaining(next, running, &mut remaining);
            }
            machine.run_to(room, &bursts);
            let end = if machine.is_done() { machine.ended } else { room };
            let share = if memory > 0.0 { used / memory } else { 0.0 };
            let now = bursts.before(end) * share.min(1.0) * REQUESTS_PER_NS;
            requests += now;
            if let Some(step) = step {
                each(Step {
                    requests: now,
                    ..step
                });
            }
            if machine.is_done() {
                break;
            }
            elapsed = elapsed.saturating_add(length);
            (length, count) = (self.period, count + 1);
        }
        let finish = elapsed as f64 + machine.ended;
        let rounding = tolerance(governor.deadline(), Time::from_ns(self.period));
        Arrival {
            length: ((finish - rounding).ceil() as u64).max(1),
            requests,
        }
    }

    fn begin(&self, machine: &mut Machine<'_>, count: u64, bursts: &Bursts) {
        match count {
            0 => machine.start(self.active, 0.0, bursts),
            _ => machine.resume(bursts),
        }
    }

    /// Adds bursts with a total length of `memory` ns to stretch `count`, which is `room` ns
    /// long.
    fn place(&self, machine: &Machine<'_>, bursts: &mut Bursts, memory: f64, count: u64, room: f64) {
        match self.setting.pattern {
            AccessPattern::Front => Placement::At(0.0).fill(bursts, memory, room),
            AccessPattern::Back => Placement::At(1.0).fill(bursts, memory, room),
            AccessPattern::Uniform => Placement::Spread.fill(bursts, memory, room),
            AccessPattern::Random => {
                let (seed, job, run) = self.random;
                let mut rng = stream(seed, Purpose::RegulationBursts, (job << 32) | count, run);
                scatter(bursts, memory, room, &mut rng);
            }
            AccessPattern::Adversarial => {
                let mut worst: Option<(f64, Placement)> = None;
                for placement in ADVERSARIAL {
                    placement.fill(bursts, memory, room);
                    let mut future = machine.clone();
                    self.begin(&mut future, count, bursts);
                    future.run_to(room, bursts);
                    // If the kernel ends in this stretch under several placements, the placement
                    // with the latest end is the worst.
                    let end = if future.is_done() {
                        future.ended / room
                    } else {
                        1.0
                    };
                    let backlog = future.backlog() + end;
                    if worst.is_none_or(|(most, _)| backlog > most) {
                        worst = Some((backlog, placement));
                    }
                }
                let placement = worst.map_or(Placement::At(0.0), |worst| worst.1);
                placement.fill(bursts, memory, room);
            }
        }
    }

    /// Returns the largest memory time of best-effort cores with which the remaining blocks still meet the deadline,
    /// minus the nominal budgets of all remaining periods [ns].
    fn slack(&self, elapsed: u64, remaining: &[u64], governor: &impl Governor) -> Option<i64> {
        let window = governor.deadline().ns().saturating_sub(elapsed);
        let memory = governor.memory(window, remaining)?;
        let nominal = memory_time(governor.nominal().ns(), window, self.period);
        i64::try_from(i128::from(memory) - i128::from(nominal))
            .ok()
            .or(Some(i64::MAX))
    }
}
