//! How long the blocks of a kernel take undisturbed, one after the other.

use rand::Rng as _;
use rand_chacha::ChaCha8Rng;

use crate::error::{Error, Result};
use crate::generation::normal::Truncated;
use crate::generation::streams::{Purpose, stream};
use crate::model::scenario::{BlockTime, BlockTimeForm, DeviceShape, Launch, Need};
use crate::model::wcet::Contention;

/// The block times of one kernel.
#[derive(Clone, Debug)]
pub(super) enum Durations {
    Fixed(u64),
    Uniform(u64, u64, Box<ChaCha8Rng>),
    Normal(Truncated, Box<ChaCha8Rng>),
    Times(Vec<u64>, usize),
}

impl Durations {
    /// Those of `launch`, the kernel of number `index`; random ones depend on `seed` and `index` alone.
    ///
    /// # Errors
    /// [`Error::Usage`] for a distribution that cannot be drawn from.
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
                    Error::Usage(format!("kernels[{index}].block_time.normal: {message}"))
                })?;
                Durations::Normal(truncated, rng())
            }
            BlockTimeForm::Times(times) => Durations::Times(times.iter().map(|time| time.ns()).collect(), 0),
            BlockTimeForm::Wcet(wcet) => {
                let sms = launch.sms.as_ref().map_or(device.sms, |sms| sms.len() as u32);
                let slots = Need::from(launch)
                    .slots(&Need::of_sm(device))
                    .min(device.blocks_per_sm);
                let wave = u64::from(sms) * u64::from(slots);
                let waves = u64::from(launch.blocks).div_ceil(wave.max(1));
                let total = wcet.at(sms, Contention::Isolated).ok_or_else(|| {
                    Error::Usage(format!(
                        "kernels[{index}].block_time.wcet: found no time for {sms} SMs, expected one"
                    ))
                })?;
                Durations::Fixed(total.ns().div_ceil(waves.max(1)).max(1))
            }
        })
    }

    /// The time of the next block [ns]; positive.
    pub fn next(&mut self) -> u64 {
        match self {
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
        }
    }
}
