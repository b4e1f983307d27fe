//! Bounds on the execution time of a kernel in a co-run, and the simulated execution times.

use std::collections::BTreeSet;

use super::isolation::{Alone, Bench, LIMIT};
use crate::machine::Machine;
use crate::machine::SECTOR;
use crate::program::FIRST_ADDRESS;
use crate::stress::{Rates, Stress};
use crate::warp_run::{KernelSource, RunKernel, WarpRunShape};
use gpusched_model::error::Result;
use gpusched_model::{Factor, MemoryTime};
use serde::{Deserialize, Serialize};

/// Number of further runs in isolation for a kernel that exceeds its bound in a co-run.
const MORE_RUNS: u64 = 120;

/// A bound on the execution time of a kernel in a co-run.
///
/// A job reads R sectors and writes W sectors at L2. Its memory time is `32·(R + W)/B_L2 + 32·(R + 2·W)/B_DRAM`. If a
/// kernel has its own ways of L2, R + 2·W is replaced by the number of DRAM sectors that the kernel reads and writes in
/// isolation. If a kernel has its own channels and ports, every form of the bound equals its time in isolation.
///
/// Except for `peak`, every form adds the time at the ports of clusters. Replies of another kernel are first at a port
/// for H core cycles. If a cluster has SMs of both kernels, its port also passes the R + W requests of the other kernel,
/// and starts its blocks one after another. If a GPC has SMs of both kernels, its port passes the sectors of the other kernel.
///
/// Except for `peak`, every form uses the cold time in isolation plus the variation. The cold time is the time of one
/// run with an empty L2 cache. If the kernel exceeds `own-drain` or `universal`, it is the longest time of many such
/// runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// The time in isolation plus the time to transfer the DRAM bytes of all other kernels at the peak bandwidth. This
    /// is the supply bound for partitions that share a memory, computed with the bandwidth from a data sheet.
    Peak,
    /// The cold time in isolation plus the memory time of all other kernels at the balanced rates of the machine.
    Balanced,
    /// As `balanced`, but for each other kernel the lower of two rates counts: the balanced rate, or the rate of that
    /// kernel in isolation.
    OwnDrain,
    /// As `balanced`, but at the lowest rates of the machine: the rates of one slice and one bank.
    Universal,
}

impl Form {
    /// All forms, from the least to the most pessimistic.
    pub const ALL: [Form; 4] = [Form::Peak, Form::Balanced, Form::OwnDrain, Form::Universal];

    /// If a kernel exceeds one of these forms, gpusched measures its WCET again with many runs.
    const HOLDING: [Form; 2] = [Form::OwnDrain, Form::Universal];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Form::Peak => "peak",
            Form::Balanced => "balanced",
            Form::OwnDrain => "own-drain",
            Form::Universal => "universal",
        }
    }
}

/// The time and the bounds of one kernel in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Victim {
    /// Name of the kernel.
    pub name: String,
    /// Time from launch to finish in the run [core cycles].
    pub together: u64,
    /// Time from launch to finish in isolation, on the same SMs and with the same addresses [core cycles].
    pub alone: u64,
    /// Bound of each examined form [core cycles].
    pub bounds: Vec<(Form, u64)>,
}

impl Victim {
    /// Returns whether the time exceeds the bound `form`.
    pub fn exceeds(&self, form: Form) -> bool {
        self.bound(form).is_some_and(|bound| self.together > bound)
    }

    /// Returns the bound `form` [core cycles]; `None` if the form was not examined.
    pub fn bound(&self, form: Form) -> Option<u64> {
        let mut bounds = self.bounds.iter();
        bounds.find(|(other, _)| *other == form).map(|&(_, bound)| bound)
    }

    /// Returns the time divided by the bound `form`; `None` if the form was not examined.
    pub fn ratio(&self, form: Form) -> Option<f64> {
        let bound = self.bound(form)?;
        Some(self.together as f64 / bound.max(1) as f64)
    }
}

/// Examines co-runs on one machine.
#[derive(Debug)]
pub struct Examiner {
    /// Simulates kernels in isolation.
    pub(super) bench: Bench,
    pub(super) balanced: Rates,
    pub(super) universal: Rates,
    /// Percentage that a bound adds to the time in isolation. The phases of clocks and queues can change this time.
    pub(super) variation_percent: u32,
}

/// Another kernel of a run, which delays the victim.
#[derive(Clone, Copy)]
struct Other<'a> {
    alone: &'a Alone,
    /// Whether the kernel has its own ways of L2.
    own_ways: bool,
    /// Whether a cluster contains SMs of both kernels.
    shares_cluster: bool,
    /// Whether a GPC contains SMs of both kernels, or a cluster of a machine without GPCs.
    shares_port: bool,
}

impl Examiner {
    /// Creates an examiner that uses the rates of `stress`, which was measured on `machine`.
    pub fn new(machine: Machine, stress: &Stress) -> Examiner {
        Examiner {
            balanced: stress.balanced(),
            universal: stress.universal(),
            variation_percent: MemoryTime::VARIATION,
            bench: Bench::new(machine),
        }
    }

    /// Sets the percentage that a bound adds to the time in isolation. The default is [`MemoryTime::VARIATION`].
    #[must_use]
    pub fn with_variation(self, variation_percent: u32) -> Examiner {
        Examiner {
            variation_percent,
            ..self
        }
    }

    /// Returns the simulated GPU.
    pub fn machine(&self) -> &Machine {
        &self.bench.machine
    }

    /// Simulates `run` and each of its kernels in isolation. Returns `None` if a simulation takes more than `LIMIT`
    /// cycles. The run must contain all programs, with an address for each buffer ([`place`]).
    ///
    /// # Errors
    /// Fails if a kernel cannot be simulated.
    pub fn examine(&self, run: &WarpRunShape) -> Result<Option<Vec<Victim>>> {
        let Some(together) = self.bench.simulate(run, LIMIT)? else {
            return Ok(None);
        };
        let mut alone: Vec<Alone> = Vec::new();
        for kernel in &run.kernels {
            match self.bench.alone(run, kernel)? {
                Some(found) => alone.push(found),
                None => return Ok(None),
            }
        }
        let bounds = |index: usize, kernel: &RunKernel, alone: &[Alone]| {
            let all = run.kernels.iter().zip(alone).enumerate();
            let others = all.filter_map(|(position, (one, alone))| {
                let other = Other {
                    alone,
                    own_ways: one.l2_ways.is_some(),
                    shares_cluster: share(one, kernel, |sm| sm / run.machine.sms_per_cluster),
                    shares_port: share(one, kernel, |sm| run.machine.port_of_sm(sm)),
                };
                (position != index && !apart(one, kernel, other.shares_port)).then_some(other)
            });
            let others: Vec<Other<'_>> = others.collect();
            Form::ALL.map(|form| (form, self.bound(form, (kernel, &alone[index]), &others)))
        };
        let mut victims = Vec::new();
        for (index, (kernel, result)) in run.kernels.iter().zip(&together.kernels).enumerate() {
            let mut victim = Victim {
                name: result.name.clone(),
                together: result.finish.saturating_sub(kernel.launch),
                alone: alone[index].time,
                bounds: bounds(index, kernel, &alone).into(),
            };
            if Form::HOLDING.iter().any(|form| victim.exceeds(*form)) {
                // The WCET must be the longest time in isolation, but it is from one run so far.
                let Some(longest) = self.bench.longest_cold(run, kernel, MORE_RUNS, victim.together)? else {
                    return Ok(None);
                };
                alone[index].longest = longest;
                victim.bounds = bounds(index, kernel, &alone).into();
            }
            victims.push(victim);
        }
        Ok(Some(victims))
    }

    fn bound(&self, form: Form, victim: (&RunKernel, &Alone), others: &[Other<'_>]) -> u64 {
        let (kernel, victim) = victim;
        if others.is_empty() {
            return victim.time;
        }
        let delay: u128 = others.iter().map(|other| self.delay(form, *other)).sum();
        let varied = |time: u64| (u128::from(time) * u128::from(100 + self.variation_percent)).div_ceil(100);
        let own = match form {
            Form::Peak => u128::from(victim.time),
            // Other kernels evict no line from the ways of the kernel.
            _ if kernel.l2_ways.is_some() => varied(victim.time.max(victim.longest)),
            _ => varied(victim.cold.max(victim.longest)),
        };
        u64::try_from(own + delay.div_ceil(1 << 32)).unwrap_or(u64::MAX)
    }

    /// Returns the time for which `other` delays a kernel: its memory time and its time at ports [2^-32 core cycles].
    fn delay(
        &self,
        form: Form,
        Other {
            alone,
            own_ways,
            shares_cluster,
            shares_port,
        }: Other<'_>,
    ) -> u128 {
        let machine = self.machine();
        let core = u128::from(machine.clocks.core_khz) * 1000;
        // Time for `count` units at `rate` units per second, in 2^-32 cycles, rounded up.
        let time = |count: u128, rate: u64| ((count * core) << 32).div_ceil(u128::from(rate.max(1)));
        let transfer = |sectors: u64, rate: u64| time(u128::from(sectors) * u128::from(SECTOR), rate);
        let rates = match form {
            Form::Peak => return transfer(alone.dram, machine.dram_bytes_per_second()),
            Form::Balanced => self.balanced,
            Form::OwnDrain => self.balanced.min(alone.drain),
            Form::Universal => self.universal,
        };
        let sectors = alone.reads + alone.writes;
        let at_dram = match own_ways {
            true => alone.dram_in_all,
            false => alone.reads + 2 * alone.writes,
        };
        // The requests and the new blocks pass a port one after another, as the replies do.
        let in_cluster = match shares_cluster {
            true => sectors + alone.blocks,
            false => 0,
        };
        let packets = u128::from(alone.hold) + u128::from(in_cluster);
        let passes = |sectors: u64, rate: Factor| {
            let (numerator, denominator) = rate.ratio();
            ((u128::from(sectors) * u128::from(denominator)) << 32).div_ceil(u128::from(numerator.max(1)))
        };
        let in_gpc = match machine.interconnect.gpcs.as_ref().filter(|_| shares_port) {
            Some(gpcs) => {
                passes(alone.reads, gpcs.reads_per_cycle) + passes(alone.writes, gpcs.writes_per_cycle)
            }
            None => 0,
        };
        in_gpc
            + transfer(sectors, rates.l2)
            + transfer(at_dram, rates.dram)
            + time(packets, machine.packets_per_second())
    }
}

/// Returns whether two kernels use different channels of the memory and different ports. Such kernels share no part of
/// the GPU.
fn apart(one: &RunKernel, other: &RunKernel, share_port: bool) -> bool {
    match (&one.channels, &other.channels) {
        (Some(channels), Some(others)) => !share_port && !channels.overlaps(others),
        _ => false,
    }
}

/// Returns whether both kernels have SMs in one group. `group` returns the group of an SM. A kernel without a list of SMs may
/// use all SMs.
fn share(one: &RunKernel, other: &RunKernel, group: impl Fn(u32) -> u32) -> bool {
    let (Some(sms), Some(of_other)) = (&one.sms, &other.sms) else {
        return true;
    };
    let groups: BTreeSet<u32> = of_other.indices().iter().map(|sm| group(*sm)).collect();
    sms.indices().iter().any(|sm| groups.contains(&group(*sm)))
}

/// Sets the address of each buffer of the kernels in `run`. The first buffer starts `shift` bytes after the first
/// address, and the other buffers follow. A kernel in isolation keeps the addresses that it has in the run.
pub fn place(run: &mut WarpRunShape, shift: u64) {
    let mut next = FIRST_ADDRESS + shift;
    for kernel in &mut run.kernels {
        if let KernelSource::Program(program) = &mut kernel.program {
            for (_, buffer) in &mut program.buffers {
                let address = *buffer.address.insert(next);
                next = (address + buffer.bytes).next_multiple_of(256);
            }
        }
    }
}
