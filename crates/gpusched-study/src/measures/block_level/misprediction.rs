//! Metric that computes the share of mispredicted configurations. In such a configuration, a round-robin model predicts
//! a wrong SM for at least one block ([Sanudo20] Fig. 3).

use serde::{Deserialize, Serialize};

use super::placement::{long, run};
use crate::measures::limits::{finite, within};
use crate::measures::statistics::ratio;
use crate::measures::{Files, Labels, Measure, Parameters, Row};
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::scenario::{BlockScheduler, Device, Launch, ScenarioShape};
use gpusched_model::streams::{Purpose, below, stream};

/// Simulates random configurations of concurrent kernels. Each kernel has its own stream.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "MispredictionCase"))]
pub struct MispredictionParameters {
    /// Simulated GPU on which the kernels run.
    platform: Device,
    /// Numbers of streams to simulate. Each stream has one kernel.
    streams: Vec<u32>,
    /// Smallest and largest number of blocks of a kernel.
    blocks: [u32; 2],
    /// Smallest and largest number of threads of a block.
    threads: [u32; 2],
    /// Number of random configurations for each number of streams.
    configurations: u64,
    /// Published share of mispredicted configurations, for each number of streams in `streams`.
    #[serde(default)]
    published: Option<Vec<f64>>,
}

/// Maximum number of blocks in one configuration.
const MAX_BLOCKS: u64 = 100_000;

/// Maximum number of configurations in one case.
const MAX_CONFIGURATIONS: u64 = 10_000_000;

/// Random configurations with checked parameters, ready for the simulation.
#[derive(Debug)]
pub struct Mispredictions {
    parameters: MispredictionParameters,
}

impl Parameters for MispredictionParameters {
    const NAME: &'static str = "misprediction";
    const KEYS: &'static [&'static str] = &["streams", "configurations"];
    type Measure = Mispredictions;

    fn prepare(self, _files: &mut Files) -> Result<Mispredictions, Refusal> {
        let ascending = |[from, to]: [u32; 2]| from >= 1 && from <= to;
        let threads = self.platform.shape().threads_per_sm;
        if self.streams.is_empty() || self.streams.contains(&0) {
            let found = format!("{:?}", self.streams);
            return Err(Refusal::new(
                "streams",
                found,
                "one or more positive numbers of streams",
            ));
        }
        if !ascending(self.threads) || self.threads[1] > threads {
            let expected = format!("two ascending positive numbers up to {threads}");
            return Err(Refusal::new(
                "threads",
                format_args!("{:?}", self.threads),
                expected,
            ));
        }
        let most = self.streams.iter().max().copied().unwrap_or(0);
        if !ascending(self.blocks) || u64::from(self.blocks[1]) * u64::from(most) > MAX_BLOCKS {
            let expected = format!(
                "two ascending positive numbers with at most {MAX_BLOCKS} blocks in all streams together"
            );
            return Err(Refusal::new(
                "blocks",
                format_args!("{:?}", self.blocks),
                expected,
            ));
        }
        within("configurations", self.configurations, 1..=MAX_CONFIGURATIONS)?;
        finite(self.published.iter().flatten())?;
        if let Some(published) = &self.published
            && published.len() != self.streams.len()
        {
            let expected = format!("{} numbers, one for each number in `streams`", self.streams.len());
            return Err(Refusal::new("published", format_args!("{published:?}"), expected));
        }
        Ok(Mispredictions { parameters: self })
    }
}

impl Mispredictions {
    /// Returns whether at least one block has different SMs under the block schedulers `slots` and `round-robin`.
    fn differ(&self, seed: u64, streams: u32, configuration: u64) -> Result<bool> {
        let parameters = &self.parameters;
        let mut rng = stream(
            seed,
            Purpose::LaunchConfigurations,
            u64::from(streams),
            configuration,
        );
        let mut draw = |[from, to]: [u32; 2]| from + below(&mut rng, (to - from) as usize + 1) as u32;
        let kernels = (0..streams).map(|stream| {
            let (blocks, threads) = (draw(parameters.blocks), draw(parameters.threads));
            Launch::new(stream, blocks, threads, long())
        });
        let mut shape = ScenarioShape::new(parameters.platform.clone(), kernels.collect());
        let mut place = |scheduler| {
            shape.block_scheduler = scheduler;
            Ok::<_, Error>(run(shape.clone(), seed)?.blocks)
        };
        Ok(place(BlockScheduler::Slots)? != place(BlockScheduler::RoundRobin)?)
    }

    fn table(&self, wrong: impl Fn(u32) -> Result<u64>) -> Result<Vec<Row>> {
        let parameters = &self.parameters;
        let rows = parameters.streams.iter().enumerate().map(|(index, &streams)| {
            let share = ratio(wrong(streams)?, parameters.configurations);
            let published = parameters.published.as_ref().and_then(|list| list.get(index));
            let of = Labels::of("streams", streams).with("configurations", parameters.configurations);
            Ok(of
                .decimal("misprediction", share, "share")
                .beside(published.copied()))
        });
        rows.collect()
    }
}

impl Measure for Mispredictions {
    fn rows(&self, seed: u64) -> Result<Vec<Row>> {
        self.table(|streams| {
            let mut wrong = 0;
            for configuration in 0..self.parameters.configurations {
                wrong += u64::from(self.differ(seed, streams, configuration)?);
            }
            Ok(wrong)
        })
    }

    fn outline(&self, _seed: u64) -> Result<Vec<Row>> {
        self.table(|_| Ok(0))
    }
}
