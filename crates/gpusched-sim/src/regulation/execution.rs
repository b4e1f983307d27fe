//! Properties of a run that do not depend on the budgets.

use serde::{Deserialize, Serialize};

use super::machine::Block;
use super::replay::Replay;
use gpusched_analysis::bandwidth::RemainingTable;
use gpusched_analysis::kernel_wcet::synthesis::Synthesizer;
use gpusched_analysis::kernel_wcet::trace::Level;
use gpusched_model::Kernel;
use gpusched_model::error::{Error, Result};
use gpusched_model::streams::{Purpose, stream};
use gpusched_model::time::Time;

/// Choice of the execution times of thread blocks.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum BlockTimes {
    /// Each block takes its WCET.
    #[default]
    Wcet,
    /// Each block takes the mean time that the profile states for its cluster.
    Mean,
    /// Each block takes a random time. The profile states a normal distribution for this time. The time is at most the
    /// WCET of the block.
    Drawn,
    /// Each block takes its measured time from a trace. Simulated runs use the recorded runs in
    /// turn.
    Trace,
}

/// The properties of one run: its blocks in order, its start, and its random seed.
#[derive(Clone, PartialEq, Debug)]
pub struct Execution {
    /// Number of the run.
    pub run: u64,
    /// Seed of the random bursts of [`AccessPattern::Random`](super::AccessPattern::Random).
    pub seed: u64,
    /// Start of the kernel, counted from the start of a regulation period; less than one period.
    pub offset: Time,
    /// Blocks in the order of their numbers.
    pub blocks: Vec<Block>,
}

/// Source of the blocks for each run.
#[derive(Clone, Debug)]
pub enum Blocks {
    /// The blocks are equal in every run.
    Fixed(Vec<Block>),
    /// Every run has blocks with new random times.
    Drawn(Box<Synthesizer>),
    /// Blocks have measured times. Simulated runs use the recorded runs in turn.
    Replayed(Replay),
}

impl Blocks {
    /// Creates the blocks of `kernel`. `table` states the cluster of each block.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if a distribution that `times` uses is missing, or if
    /// `times` is [`BlockTimes::Trace`]. For traces, use [`Blocks::Replayed`] instead.
    pub fn new(kernel: &Kernel, times: BlockTimes, table: &RemainingTable, seed: u64) -> Result<Blocks> {
        let mut clusters = Vec::with_capacity(kernel.clusters().len());
        for (index, cluster) in kernel.clusters().iter().enumerate() {
            let (e0, e1) = (cluster.isolated().ns() as f64, cluster.contended().ns() as f64);
            clusters.push(match times {
                BlockTimes::Drawn => return Ok(Blocks::Drawn(Box::new(Synthesizer::new(kernel, seed)?))),
                BlockTimes::Trace => {
                    return Err(Error::parameter(
                        "trace",
                        "none",
                        "a trace with the measured times of all blocks",
                    ));
                }
                BlockTimes::Wcet => Block::new(e0, e1),
                BlockTimes::Mean => {
                    let mean = |name: &str,
                                distribution: Option<&gpusched_model::kernel::Distribution>,
                                wcet: f64| {
                        let found = distribution.map(|distribution| distribution.mean_ns);
                        found.filter(|&mean| mean > 0.0 && mean <= wcet).ok_or_else(|| {
                            let found = found.map_or("none".to_owned(), |mean| format!("{mean:?}"));
                            Error::parameter(
                                format!("clusters[{index}].{name}.mean_ns"),
                                found,
                                format!("a positive number up to the WCET, {wcet} ns"),
                            )
                        })
                    };
                    let alone = mean("isolated", cluster.isolated_distribution(), e0)?;
                    Block::new(
                        alone,
                        mean("interference", cluster.interference_distribution(), e1)?,
                    )
                }
            });
        }
        let numbers = 0..kernel.blocks();
        let blocks = numbers.filter_map(|block| clusters.get(table.cluster_of(block)?).copied());
        Ok(Blocks::Fixed(blocks.collect()))
    }

    /// Returns the blocks of the run with number `run`.
    pub(super) fn of(&self, run: u64) -> Vec<Block> {
        match self {
            Blocks::Fixed(blocks) => blocks.clone(),
            Blocks::Replayed(replay) => replay.blocks(run),
            Blocks::Drawn(synthesizer) => {
                let mut alone = Vec::new();
                synthesizer.durations(Level::Isolated, run, |time| alone.push(time));
                let mut blocks = Vec::with_capacity(alone.len());
                let mut alone = alone.into_iter();
                synthesizer.durations(Level::Interference, run, |contended| {
                    if let Some(alone) = alone.next() {
                        blocks.push(Block::new(alone as f64, contended as f64));
                    }
                });
                blocks
            }
        }
    }
}

/// Returns a random start time from 0 to `period` − 1 for the run with number `run`.
pub(super) fn random_offset(seed: u64, run: u64, period: Time) -> Time {
    use rand::Rng as _;
    let word = stream(seed, Purpose::RegulationOffset, 0, run).next_u64();
    let scaled = (u128::from(word) * u128::from(period.ns())) >> 64;
    Time::from_ns(u64::try_from(scaled).unwrap_or(0))
}
