//! Measurements at one interference level.

use rand_chacha::ChaCha8Rng;

use super::Level;
use super::slot::Slot;
use gpusched_model::streams::{Purpose, below, stream};

/// Measurements of all blocks at one interference level. They consist of exact statistics over all runs, and a uniform
/// random sample for each block.
#[derive(Clone, PartialEq, Debug)]
pub struct Measurements {
    level: Level,
    runs: u64,
    max: Vec<u64>,
    mean: Vec<f64>,
    /// Sum of (x − mean)² over the measurements x of each block [ns²].
    squares: Vec<f64>,
    capacity: usize,
    /// Seed of the random sample. If `None`, the sample consists of the first runs.
    seed: Option<u64>,
    slots: Vec<Slot>,
}

/// Exact statistics of a set of measurements.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct Summary {
    /// Number of measurements.
    pub count: u64,
    /// Largest measurement [ns].
    pub max: u64,
    /// Mean of the measurements [ns].
    pub mean: f64,
    /// Sum of (x − mean)² over all measurements x [ns²].
    pub squares: f64,
}

impl Summary {
    /// Returns the standard deviation of n measurements, with the divisor n − 1 [ns]. For one
    /// measurement, the result is 0.
    pub fn std(&self) -> f64 {
        match self.count {
            0 | 1 => 0.0,
            count => (self.squares / (count - 1) as f64).max(0.0).sqrt(),
        }
    }

    /// Combines the statistics of two sets of measurements (Chan, Golub & LeVeque 1983).
    pub fn merge(self, other: Summary) -> Summary {
        if self.count == 0 || other.count == 0 {
            return if self.count == 0 { other } else { self };
        }
        let (a, b) = (self.count as f64, other.count as f64);
        let difference = other.mean - self.mean;
        Summary {
            count: self.count + other.count,
            max: self.max.max(other.max),
            mean: self.mean + difference * (b / (a + b)),
            squares: self.squares + other.squares + difference * difference * (a * b / (a + b)),
        }
    }
}

impl Measurements {
    /// Creates empty measurements that keep at most `capacity` measurements of each block. With a
    /// `seed`, the kept measurements are a random sample. Without a `seed`, the first measurements are kept.
    pub(super) fn new(level: Level, capacity: usize, seed: Option<u64>) -> Measurements {
        Measurements {
            level,
            runs: 0,
            max: Vec::new(),
            mean: Vec::new(),
            squares: Vec::new(),
            capacity,
            seed,
            slots: Vec::new(),
        }
    }

    /// Adds the duration of each block in one run [ns]. All runs must have the same number of blocks.
    pub(super) fn add(&mut self, durations: &[u64]) {
        if self.runs == 0 {
            self.max = vec![0; durations.len()];
            self.mean = vec![0.0; durations.len()];
            self.squares = vec![0.0; durations.len()];
        }
        assert_eq!(durations.len(), self.max.len(), "each block has a duration");
        let run = self.runs;
        self.runs += 1;
        let count = self.runs as f64;
        let figures = self.max.iter_mut().zip(&mut self.mean).zip(&mut self.squares);
        for (((max, mean), squares), &duration) in figures.zip(durations) {
            *max = duration.max(*max);
            // This update formula is from Welford (1962).
            let value = duration as f64;
            let before = value - *mean;
            *mean += before / count;
            *squares += before * (value - *mean);
        }
        if self.slots.len() < self.capacity {
            self.slots.push(Slot::new(durations));
        } else if let Some(seed) = self.seed {
            self.replace(run, durations, seed);
        }
    }

    /// Updates the random sample of each block with Vitter's algorithm R. The measurement of run r, counted from 0,
    /// replaces a kept measurement with probability capacity/(r + 1). The random choice depends on the seed, the level,
    /// r and the block, but not on the order of the blocks in the file.
    fn replace(&mut self, run: u64, durations: &[u64], seed: u64) {
        let point = self.level.q().into();
        let mut rng: ChaCha8Rng = stream(seed, Purpose::BlockSamples, point, run);
        let bound = usize::try_from(self.runs).unwrap_or(usize::MAX);
        for (block, &duration) in durations.iter().enumerate() {
            if let Some(slot) = self.slots.get_mut(below(&mut rng, bound)) {
                slot.set(block, duration);
            }
        }
    }

    /// Returns the interference level of all measurements.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Returns the number of runs.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// Returns the number of blocks in each run.
    pub fn blocks(&self) -> usize {
        self.max.len()
    }

    /// Returns the number of kept measurements per block: the number of runs, but at most the
    /// capacity.
    pub fn kept(&self) -> usize {
        self.slots.len()
    }

    /// Returns the statistics of `block` over all runs.
    ///
    /// # Panics
    /// Panics if the runs have no block with the number `block`.
    pub fn summary(&self, block: usize) -> Summary {
        Summary {
            count: self.runs,
            max: self.max[block],
            mean: self.mean[block],
            squares: self.squares[block],
        }
    }

    /// Returns the kept measurement with index `index` of each block [ns], in the order of the
    /// blocks. If the first runs are kept, these times belong to one run. In a random sample, these times may belong to
    /// different runs.
    pub fn run(&self, index: usize) -> impl Iterator<Item = u64> {
        let slot = self.slots.get(index);
        (0..self.blocks()).map_while(move |block| Some(slot?.get(block)))
    }

    /// Returns the kept measurements of `block` [ns], in no particular order.
    pub fn sample(&self, block: usize) -> impl Iterator<Item = u64> {
        self.slots.iter().map(move |slot| slot.get(block))
    }
}
