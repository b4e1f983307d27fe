//! Isolated execution times of the blocks of a kernel, in block order.

use rand::Rng as _;
use rand_chacha::ChaCha8Rng;

use super::progress::FULL;
use gpusched_analysis::bandwidth::RemainingTable;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::normal::Truncated;
use gpusched_model::scenario::{BlockTime, BlockTimeForm, DeviceShape, Launch, ProfileTime};
use gpusched_model::streams::{Purpose, stream};
use gpusched_model::time::Time;
use gpusched_model::wcet::Contention;

/// The execution times of the blocks of one kernel.
#[derive(Clone, Debug)]
pub(super) enum Durations {
    Fixed(u64),
    Uniform(u64, u64, Box<ChaCha8Rng>),
    Normal(Truncated, Box<ChaCha8Rng>),
    Times(Vec<u64>, usize),
    Profile(Box<Profile>),
}

/// The amount of work of one block.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Work {
    /// Execution time in isolation [ns]; positive.
    pub alone: u64,
    /// Rate of progress of the block while CPU cores access memory. `None` if the kernel has no
    /// profile.
    pub contended: Option<u64>,
}

/// The blocks of a profile in block order.
#[derive(Clone, Debug)]
pub(super) struct Profile {
    table: RemainingTable,
    /// For each cluster: work of one block.
    work: Vec<Work>,
    /// Number of the next block to start.
    next: u64,
}

impl Profile {
    /// Creates the blocks of `profile`. The profile states the block times of the kernel with
    /// index `index`.
    fn new(profile: &ProfileTime, index: usize) -> Result<Profile> {
        let kernel = profile.kernel(1, Time::from_ns(1));
        let kernel =
            kernel.map_err(|refusal| refusal.within(&format!("kernels[{index}].block_time.profile")))?;
        let work = kernel.clusters().iter().map(|cluster| {
            let (alone, contended) = (cluster.isolated().ns(), cluster.contended().ns());
            // The rate is rounded up. Therefore a block takes exactly e1 if CPU cores access
            // memory all the time.
            let rate = (u128::from(FULL) * u128::from(alone)).div_ceil(u128::from(contended));
            Work {
                alone,
                contended: Some(u64::try_from(rate).unwrap_or(FULL)),
            }
        });
        Ok(Profile {
            table: RemainingTable::new(&kernel),
            work: work.collect(),
            next: 0,
        })
    }

    fn next(&mut self) -> Work {
        let cluster = self.table.cluster_of(self.next);
        self.next += 1;
        let work = cluster.and_then(|cluster| self.work.get(cluster)).copied();
        work.unwrap_or(Work {
            alone: 1,
            contended: None,
        })
    }
}

impl Durations {
    /// Creates the block times of `launch`, the kernel with index `index`. Random block times
    /// depend only on `seed` and `index`.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if the distribution of the block times is invalid.
    pub fn new(launch: &Launch, index: usize, device: &DeviceShape, seed: u64) -> Result<Durations> {
        let form = match &launch.block_time {
            BlockTime::Fixed(time) => return Ok(Durations::Fixed(time.ns())),
            BlockTime::Form(form) => form.as_ref(),
        };
        let rng = || Box::new(stream(seed, Purpose::ScenarioBlocks, index as u64, 0));
        Ok(match form {
            BlockTimeForm::Uniform([least, longest]) => Durations::Uniform(least.ns(), longest.ns(), rng()),
            BlockTimeForm::Normal(normal) => {
                let (mean, std) = (normal.mean.ns() as f64, normal.std.ns() as f64);
                let truncated = Truncated::new(mean, std, normal.max.ns()).map_err(|message| {
                    Refusal::told(format!("kernels[{index}].block_time.normal"), message)
                })?;
                Durations::Normal(truncated, rng())
            }
            BlockTimeForm::Times(times) => Durations::Times(times.iter().map(|time| time.ns()).collect(), 0),
            BlockTimeForm::Profile(profile) => Durations::Profile(Box::new(Profile::new(profile, index)?)),
            BlockTimeForm::Wcet(wcet) => {
                let sms = launch.sms(device);
                let waves = u64::from(launch.blocks).div_ceil(launch.active_blocks(device).max(1));
                let total = wcet.at(sms, Contention::Isolated).ok_or_else(|| {
                    Error::parameter(
                        format!("kernels[{index}].block_time.wcet"),
                        format!("no WCET for {sms} SMs"),
                        format!("a WCET function that is defined for {sms} SMs"),
                    )
                })?;
                Durations::Fixed(total.ns().div_ceil(waves.max(1)).max(1))
            }
        })
    }

    /// Returns the work of the next block.
    pub fn next(&mut self) -> Work {
        let alone = match self {
            Durations::Profile(profile) => return profile.next(),
            Durations::Fixed(time) => *time,
            Durations::Uniform(least, longest, rng) => {
                let range = u128::from(longest.saturating_sub(*least)) + 1;
                let drawn = (u128::from(rng.next_u64()) * range) >> 64;
                *least + u64::try_from(drawn).unwrap_or(0)
            }
            Durations::Normal(truncated, rng) => truncated.draw(rng.as_mut()),
            Durations::Times(times, next) => {
                let time = times.get(*next).copied().unwrap_or(1);
                *next = (*next + 1) % times.len().max(1);
                time
            }
        };
        Work {
            alone,
            contended: None,
        }
    }
}
