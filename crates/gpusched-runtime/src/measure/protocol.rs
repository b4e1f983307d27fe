//! The samples of a measurement.

use gpusched_model::Times;
use gpusched_model::error::{Error, Result};
use gpusched_model::time::Time;

use super::Conditions;

/// Content of the caches at the start of a sample.
#[derive(Copy, Clone, PartialEq, Eq, Debug, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Cache {
    /// As the previous job left them.
    Warm,
    /// Without data of the kernel.
    Cold,
}

/// How another kernel contends with the measured kernel in the same partition.
#[derive(
    Copy, Clone, PartialEq, Eq, Debug, Default, strum::Display, strum::EnumMessage, strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Contention {
    /// Each sample directly follows a job of the other kernel, as under a dispatcher that runs one job at a time.
    #[default]
    Alternate,
    /// Both kernels run at the same time on the same SMs, as in the measurements of [Singh21]. For a partition that runs one job at a
    /// time, this is pessimistic.
    Concurrent,
}

/// A kernel of gpusched that loads one part of the memory all the time.
#[derive(Copy, Clone, PartialEq, Eq, Debug, strum::Display, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Load {
    /// Reads of DRAM.
    DramRead,
    /// Writes to DRAM.
    DramWrite,
    /// Reads of L2.
    L2Read,
    /// Writes to L2.
    L2Write,
}

/// The other kernel of a series, by its position in the list of other kernels.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Neighbor {
    /// In the same partition.
    Inside(usize, Contention),
    /// On all other SMs of the GPU.
    Beside(usize),
}

/// Samples under equal conditions.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Series {
    /// Number of SMs.
    pub sms: u32,
    /// Content of the caches.
    pub cache: Cache,
    /// The other kernel. `None`: the kernel runs in isolation.
    pub neighbor: Option<Neighbor>,
}

/// One measured job.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    /// Time of the job [ns]. [`Executor::times`] states what the time includes.
    pub time_ns: u64,
    /// Time on the GPU alone [ns]; `None` if it is unknown.
    pub gpu_ns: Option<u64>,
}

/// Runs the jobs of a measurement.
pub trait Executor {
    /// Returns the name of the measured kernel, and the names of the other kernels.
    fn names(&self) -> (String, Vec<String>);

    /// Returns the numbers of SMs that a measurement covers by default, ascending. The last of them is the whole GPU.
    fn sizes(&self) -> Vec<u32>;

    /// Whether a partition can have `sms` SMs.
    fn grants(&self, sms: u32) -> bool {
        self.sizes().contains(&sms)
    }

    /// Returns what [`Sample::time_ns`] includes.
    fn times(&self) -> Times;

    /// Runs `count` jobs under the conditions of `series`, in order. `done` receives the number of jobs that ended since its last call.
    ///
    /// # Errors
    /// Fails if a job cannot run, or if the partition has another number of SMs than `series` states.
    fn run(&mut self, series: &Series, count: u64, done: &(dyn Fn(u64) + Sync)) -> Result<Vec<Sample>>;

    /// Returns the number of SMs of the kernels that ran beside a partition of `_sms` SMs; `None` if it is unknown.
    fn beside(&self, _sms: u32) -> Option<u32> {
        None
    }

    /// Returns the GPU, and its state during all jobs so far.
    fn conditions(&self) -> Conditions;
}

/// A measurement of one kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Protocol {
    /// Numbers of SMs; empty for all numbers that a partition can have.
    pub sizes: Vec<u32>,
    /// Number of jobs at the start of each series whose times do not count.
    pub discarded: u64,
    /// Number of samples of each series; at least 1.
    pub samples: u64,
    /// Whether to measure also with cold caches.
    pub cold: bool,
    /// Neighbors: the kernel runs in isolation, and with each of them.
    pub neighbors: Vec<Neighbor>,
}

/// A series with its samples.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measured {
    /// Conditions of the samples.
    pub series: Series,
    /// Samples in the order of the jobs; at least one.
    pub samples: Vec<Sample>,
}

impl Protocol {
    /// Returns the series of the measurement, sorted by number of SMs. Each number of SMs begins in isolation.
    ///
    /// # Errors
    /// Refuses a number of SMs that `executor` does not grant, and the largest number for a kernel beside others.
    pub fn series(&self, executor: &dyn Executor) -> Result<Vec<Series>> {
        let possible = executor.sizes();
        if let Some(wrong) = self.sizes.iter().find(|size| !executor.grants(**size)) {
            let listed: Vec<String> = possible.iter().map(u32::to_string).collect();
            let expected = match possible.len() {
                0 => "no size, because the GPU grants none".to_owned(),
                _ => format!("sizes that the GPU grants: {}", listed.join(", ")),
            };
            return Err(Error::parameter("sms", wrong, expected));
        }
        // On all SMs, no other kernel runs on other SMs.
        let beside = { self.neighbors.iter() }.any(|neighbor| matches!(neighbor, Neighbor::Beside(_)));
        let all = possible.iter().max().copied().filter(|_| beside);
        if let Some(all) = all.filter(|all| self.sizes.contains(all)) {
            let expected = "fewer SMs, because the other kernel needs SMs of its own";
            return Err(Error::parameter("sms", all, expected));
        }
        let mut sizes = match self.sizes.is_empty() {
            true => possible,
            false => self.sizes.clone(),
        };
        sizes.retain(|&sms| Some(sms) != all);
        sizes.sort_unstable();
        sizes.dedup();
        let caches = [Some(Cache::Warm), self.cold.then_some(Cache::Cold)];
        let of_size = |&sms: &u32| {
            let isolated = caches.into_iter().flatten().map(move |cache| Series {
                sms,
                cache,
                neighbor: None,
            });
            let contending = self.neighbors.iter().map(move |&neighbor| Series {
                sms,
                cache: Cache::Warm,
                neighbor: Some(neighbor),
            });
            isolated.chain(contending)
        };
        Ok(sizes.iter().flat_map(of_size).collect())
    }
}

/// Runs all jobs of `protocol`. `done` receives the number of jobs that ended since its last call.
///
/// # Errors
/// Refuses a number of SMs that the GPU does not grant, and a number of samples of 0. Fails in the same cases as [`Executor::run`]. Fails
/// with [`Error::Internal`] if the executor returns another number of samples, or a time that is not a valid [`Time`].
pub fn measure(
    executor: &mut dyn Executor,
    protocol: &Protocol,
    done: &(dyn Fn(u64) + Sync),
) -> Result<Vec<Measured>> {
    if protocol.samples == 0 {
        return Err(Error::parameter("samples", 0, "at least 1"));
    }
    let series = protocol.series(&*executor)?;
    let count = protocol.discarded.saturating_add(protocol.samples);
    let mut all = Vec::with_capacity(series.len());
    for series in series {
        let mut samples = executor.run(&series, count, done)?;
        if samples.len() as u64 != count {
            let text = format!("found {} samples, expected {count}", samples.len());
            return Err(Error::Internal(text));
        }
        // `count` is the length of a list.
        samples.drain(..usize::try_from(protocol.discarded).unwrap_or(0));
        let valid = 1..Time::LIMIT.ns();
        if let Some(wrong) = samples.iter().find(|sample| !valid.contains(&sample.time_ns)) {
            let text = format!("found a job of {} ns, expected a positive time", wrong.time_ns);
            return Err(Error::Internal(text));
        }
        all.push(Measured { series, samples });
    }
    Ok(all)
}
