//! Simulator of one kernel. The simulator proceeds from one regulation period to the next.

use super::bursts::Bursts;
use super::cores::Cores;
use super::execution::{Blocks, Execution, random_offset};
use super::governor::{Governor, Process};
use super::machine::Machine;
use super::pattern::{ADVERSARIAL, AccessPattern, Placement, scatter};
use super::period::{Period, Run, tolerance};
use super::replay::Replay;
use super::{REQUESTS_PER_NS, Setting};
use gpusched_analysis::bandwidth::inverse::memory_time;
use gpusched_analysis::bandwidth::{Allocator, BudgetPolicy, RemainingTable};
use gpusched_analysis::kernel_wcet::trace::MAX_BLOCKS;
use gpusched_model::Kernel;
use gpusched_model::error::{Error, Result};
use gpusched_model::interrupt;
use gpusched_model::streams::{Purpose, stream};
use gpusched_model::time::Time;

/// Maximum number of regulation periods in one run.
const MAX_PERIODS: u64 = 10_000_000;

/// Simulator of one kernel under one set of assumptions.
#[derive(Clone, Debug)]
pub struct Simulator {
    pub(super) table: RemainingTable,
    blocks: Blocks,
    clusters: usize,
    pub(super) active: usize,
    pub(super) period: Time,
    pub(super) cores: Cores,
    setting: Setting,
    seed: u64,
}

impl Simulator {
    /// Prepares a simulation of `kernel`.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if there are too many blocks or regulation periods, or if
    /// the offset or the lead is one period or longer. Also fails if the profile lacks times that
    /// the setting uses.
    pub fn new(kernel: &Kernel, setting: Setting, seed: u64) -> Result<Simulator> {
        let table = RemainingTable::new(kernel);
        let blocks = || Blocks::new(kernel, setting.blocks, &table, seed);
        Simulator::prepare(kernel, blocks, setting.clone(), seed)
    }

    /// Prepares a simulation of `kernel` with the block times of the trace in `replay`.
    ///
    /// # Errors
    /// Fails under the same conditions as [`Simulator::new`].
    pub fn replaying(kernel: &Kernel, replay: Replay, setting: Setting, seed: u64) -> Result<Simulator> {
        let blocks = || Ok(Blocks::Replayed(replay));
        Simulator::prepare(kernel, blocks, setting, seed)
    }

    fn prepare(
        kernel: &Kernel,
        blocks: impl FnOnce() -> Result<Blocks>,
        setting: Setting,
        seed: u64,
    ) -> Result<Simulator> {
        let period = kernel.regulation_period();
        if kernel.blocks() > MAX_BLOCKS {
            let found = format!("{} blocks", kernel.blocks());
            return Err(Error::parameter(
                "kernel",
                found,
                format!("at most {MAX_BLOCKS} blocks"),
            ));
        }
        let clusters = kernel.clusters().iter();
        let work: u64 = clusters
            .map(|cluster| cluster.blocks() * cluster.contended().ns())
            .sum();
        let periods = work / u64::from(kernel.active_blocks().max(1)) / period.ns().max(1);
        if periods > MAX_PERIODS {
            let found = format!("{period}, so the kernel may take {periods} regulation periods");
            let expected = format!("at most {MAX_PERIODS} regulation periods");
            return Err(Error::parameter("regulation_period", found, expected));
        }
        for (name, time) in [
            ("offset", setting.offset_ns.unwrap_or(Time::ZERO)),
            ("lead", setting.lead_ns),
        ] {
            if time >= period {
                let expected = format!("less than {period}, the regulation period");
                return Err(Error::parameter(name, time, expected));
            }
        }
        Ok(Simulator {
            cores: Cores::new(&setting, period)?,
            blocks: blocks()?,
            table: RemainingTable::new(kernel),
            clusters: kernel.clusters().len(),
            active: usize::try_from(kernel.active_blocks()).unwrap_or(usize::MAX),
            period,
            setting,
            seed,
        })
    }

    /// Returns the start offset and the block times of the run with number `run`. The result
    /// depends only on the settings, the seed and `run`.
    pub fn execution(&self, run: u64) -> Execution {
        let offset = self.setting.offset_ns;
        Execution {
            run,
            seed: self.seed,
            offset: offset.unwrap_or_else(|| random_offset(self.seed, run, self.period)),
            blocks: self.blocks.of(run),
        }
    }

    /// Simulates the run `execution` under `policy`. `allocator` decides on the budgets. If
    /// `record` is true, the result contains a record of each period.
    pub fn run(
        &self,
        execution: &Execution,
        policy: BudgetPolicy,
        allocator: &mut Allocator,
        record: bool,
    ) -> Run {
        let process = match policy {
            BudgetPolicy::Nominal => Process::default(),
            _ => self.setting.process(self.period),
        };
        self.simulate(execution, policy, allocator, process, record)
    }

    /// Simulates the run `execution` with the decisions of `governor`. `process` states the lead
    /// and the memory traffic of the decisions.
    pub fn simulate(
        &self,
        execution: &Execution,
        policy: BudgetPolicy,
        governor: &mut impl Governor,
        process: Process,
        record: bool,
    ) -> Run {
        governor.restart();
        let period = self.period.ns() as f64;
        let offset = execution.offset.ns() as f64;
        let traffic = process.traffic.ns() as f64;
        let look = period - process.lead.ns() as f64;
        let mut machine = Machine::new(&execution.blocks);
        let mut bursts = Bursts::default();
        let mut remaining = vec![0; self.clusters];
        self.table.remaining(0, [], &mut remaining);
        let mut budget = governor.nominal();
        let mut known = true; // True if the governor knows the remaining blocks.
        let (mut requests, mut sum, mut squares) = (0.0, 0.0, 0.0);
        let (mut course, mut cores) = (self.cores.start(), vec![0.0; self.cores.count()]);
        let mut periods = Vec::new();
        let mut count = 0u64;
        loop {
            interrupt::check();
            let elapsed = count
                .saturating_mul(self.period.ns())
                .saturating_sub(execution.offset.ns());
            let elapsed = Time::from_ns(elapsed);
            if count > 0 && known {
                budget = governor.decide(elapsed, &remaining);
            }
            let granted = budget.ns().saturating_sub(process.traffic.ns());
            let used = self.cores.spend(granted, &mut course);
            let granted = granted as f64;
            let memory = (used + traffic).min(period);
            let begin = if count == 0 { offset } else { 0.0 };
            self.place(execution, &machine, &mut bursts, memory, count, begin);
            self.begin(&mut machine, count, begin, &bursts);
            let row = record.then(|| self.row(elapsed, granted / period, &remaining, governor));
            known = begin <= look;
            if known {
                machine.run_to(look, &bursts);
                let (next, running) = machine.state();
                self.table.remaining(next, running, &mut remaining);
            }
            machine.run_to(period, &bursts);
            let end = if machine.is_done() { machine.ended } else { period };
            let share = if memory > 0.0 { used / memory } else { 0.0 };
            let now = (bursts.before(end) - bursts.before(begin)) * share.min(1.0) * REQUESTS_PER_NS;
            requests += now;
            for (core, &share) in cores.iter_mut().zip(&course.shares) {
                *core += if share > 0 {
                    now * (share as f64 / used)
                } else {
                    0.0
                };
            }
            let q = granted / period;
            sum += q;
            squares += q * q;
            periods.extend(row.map(|row| Period { requests: now, ..row }));
            count += 1;
            if machine.is_done() {
                break;
            }
        }
        let mean = sum / count as f64;
        let finish = (count - 1) as f64 * period + machine.ended - offset;
        let deadline = governor.deadline();
        Run {
            run: execution.run,
            policy,
            finish,
            late: finish > deadline.ns() as f64 + tolerance(deadline, self.period),
            requests,
            cores,
            tasks: course.tasks,
            core_time: Time::from_ns(count.saturating_mul(self.period.ns())),
            q_mean: mean,
            q_std: (squares / count as f64 - mean * mean).max(0.0).sqrt(),
            count,
            periods,
        }
    }

    /// Starts period `count` of the run. In the first period, the kernel starts at time `begin`
    /// of the period.
    fn begin(&self, machine: &mut Machine<'_>, count: u64, begin: f64, bursts: &Bursts) {
        match count {
            0 => machine.start(self.active, begin, bursts),
            _ => machine.resume(bursts),
        }
    }

    /// Adds bursts with a total length of `memory` ns to period `count`. In this period, the
    /// kernel runs from time `begin` on.
    fn place(
        &self,
        execution: &Execution,
        machine: &Machine<'_>,
        bursts: &mut Bursts,
        memory: f64,
        count: u64,
        begin: f64,
    ) {
        let period = self.period.ns() as f64;
        match self.setting.pattern {
            AccessPattern::Front => Placement::At(0.0).fill(bursts, memory, period),
            AccessPattern::Back => Placement::At(1.0).fill(bursts, memory, period),
            AccessPattern::Uniform => Placement::Spread.fill(bursts, memory, period),
            AccessPattern::Random => {
                let mut rng = stream(execution.seed, Purpose::RegulationBursts, count, execution.run);
                scatter(bursts, memory, period, &mut rng);
            }
            AccessPattern::Adversarial => {
                let mut worst: Option<(f64, Placement)> = None;
                for placement in ADVERSARIAL.into_iter().chain([Placement::From(begin)]) {
                    placement.fill(bursts, memory, period);
                    let mut future = machine.clone();
                    self.begin(&mut future, count, begin, bursts);
                    future.run_to(period, bursts);
                    // If the kernel ends in this period under several placements, the placement
                    // with the latest end is the worst.
                    let backlog = future.backlog()
                        + if future.is_done() {
                            future.ended / period
                        } else {
                            1.0
                        };
                    if worst.is_none_or(|(most, _)| backlog > most) {
                        worst = Some((backlog, placement));
                    }
                }
                let placement = worst.map_or(Placement::At(0.0), |worst| worst.1);
                placement.fill(bursts, memory, period);
            }
        }
    }

    /// Returns the record of a period with the values at the start of the period.
    fn row(&self, elapsed: Time, q: f64, remaining: &[u64], governor: &impl Governor) -> Period {
        let window = governor.deadline().ns().saturating_sub(elapsed.ns());
        let slack = governor.memory(window, remaining).map(|memory| {
            let nominal = memory_time(governor.nominal().ns(), window, self.period.ns());
            i64::try_from(i128::from(memory) - i128::from(nominal)).unwrap_or(i64::MAX)
        });
        Period {
            time: elapsed,
            q,
            remaining: remaining.to_vec(),
            requests: 0.0,
            slack,
        }
    }
}
