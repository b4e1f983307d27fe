//! The units of work of a study. A study of partitioning has points with task sets. gpusched distributes chunks of task
//! sets to shards and threads. A study of cases has one point, and each case counts as one task set.
//!
//! The division of the work into chunks depends only on the study. Therefore chunks are equal in
//! every run, even in a distributed or interrupted run.

pub(super) mod collection;
pub(super) mod tally;

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use gpusched_model::Factor;
use gpusched_model::error::Error;

/// One point of a study, which has its own task sets.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Point {
    /// Index of the point in the study, from 0. Points are sorted by setting, then by number of tasks, then by utilization.
    pub index: usize,
    /// Index of the setting. A setting is a combination of values on all axes other than the number of tasks and the
    /// utilization.
    pub setting: usize,
    /// Number that selects the random numbers of the task sets. Equal points of different settings have equal numbers.
    pub drawn: u64,
    /// Utilization U of each generated task set. `None` for task sets from a file.
    pub utilization: Option<Factor>,
    /// Number of tasks n of each generated task set. `None` for task sets from a file.
    pub tasks: Option<usize>,
}

/// Some task sets of one point. gpusched computes and records a chunk as a whole. A resumed run repeats an unfinished
/// chunk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chunk {
    /// Index of the chunk in the study, from 0.
    pub index: usize,
    /// Index of the point whose task sets the chunk contains.
    pub point: usize,
    /// Indices of the task sets within the point.
    pub sets: Range<u64>,
}

/// All chunks of a study.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Work {
    points: usize,
    sets: u64,
    /// Number of task sets in each chunk. The last chunk of a point may have fewer task sets.
    size: u64,
    /// Number of chunks for each point.
    per_point: usize,
}

/// Maximum number of chunks in a study.
pub const MAX_CHUNKS: usize = 10_000_000;

impl Work {
    /// Divides `points` × `sets` task sets into chunks. Both numbers are positive. Returns `None` if there would be more
    /// than `MAX_CHUNKS` chunks.
    ///
    /// A chunk has ⌈⌊√sets⌋ / 2⌉ task sets. Small chunks reduce the work that an interruption loses, but large chunks
    /// keep the journal short.
    pub fn new(points: usize, sets: u64) -> Option<Work> {
        let size = sets.isqrt().div_ceil(2).max(1);
        let per_point = usize::try_from(sets.div_ceil(size)).ok()?;
        points
            .checked_mul(per_point)
            .filter(|&chunks| chunks <= MAX_CHUNKS)?;
        Some(Work {
            points,
            sets,
            size,
            per_point,
        })
    }

    /// Returns the number of chunks.
    pub fn len(&self) -> usize {
        self.points * self.per_point
    }

    /// Returns whether there are no chunks.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of points.
    pub fn points(&self) -> usize {
        self.points
    }

    /// Returns the chunk with number `index`, or `None` if `index` is too large.
    pub fn chunk(&self, index: usize) -> Option<Chunk> {
        if index >= self.len() {
            return None;
        }
        let first = (index % self.per_point) as u64 * self.size;
        Some(Chunk {
            index,
            point: index / self.per_point,
            sets: first..(first + self.size).min(self.sets),
        })
    }

    /// Returns all chunks that belong to `shard`.
    pub fn of_shard(&self, shard: Shard) -> impl Iterator<Item = Chunk> + '_ {
        let first = shard.index as usize - 1;
        (first..self.len())
            .step_by(shard.count as usize)
            .filter_map(|index| self.chunk(index))
    }
}

/// The i-th of n shards of a study, written `i/n`. The shard consists of the i-th chunk and every n-th chunk after it.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Shard {
    index: u32,
    count: u32,
}

impl Shard {
    /// The only shard of a study that is not divided.
    pub const WHOLE: Shard = Shard { index: 1, count: 1 };

    /// Creates shard `index` of `count`. Returns `None` if `index` is 0 or greater than `count`.
    pub fn new(index: u32, count: u32) -> Option<Shard> {
        (1..=count).contains(&index).then_some(Shard { index, count })
    }

    /// Returns whether this shard is the whole study.
    pub fn is_whole(self) -> bool {
        self == Shard::WHOLE
    }

    /// Returns i, the number of the shard, from 1.
    pub fn index(self) -> u32 {
        self.index
    }

    /// Returns n, the number of shards.
    pub fn count(self) -> u32 {
        self.count
    }

    /// Returns whether the chunk with index `chunk` belongs to this shard.
    pub fn contains(self, chunk: usize) -> bool {
        chunk % self.count as usize == self.index as usize - 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = Error;

    fn from_str(text: &str) -> Result<Shard, Error> {
        text.split_once('/')
            .and_then(|(index, count)| Shard::new(index.parse().ok()?, count.parse().ok()?))
            .ok_or_else(|| Error::parameter("", format!("{text:?}"), "i/n with 1 ≤ i ≤ n such as 2/8"))
    }
}
