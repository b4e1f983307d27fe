//! Places of the words in the file.

use super::super::Heading;
use crate::program::{Part, PlannedTask};

/// Words of the header and of a record.
pub const WORDS: usize = 8;
/// Words of the start of a block.
pub const START: usize = 16;
/// First word of the file. All checksums depend on it, so a damaged version is found.
pub const MAGIC: u64 = u64::from_le_bytes(*b"GPURING3");
/// First word of a file of the previous version, and words of the start of its blocks.
pub const PREVIOUS: (u64, usize) = (u64::from_le_bytes(*b"GPURING2"), 8);
/// Positions of words in the header.
pub const LENGTH: usize = 1;
pub const SUM: usize = 2;
pub const ORIGIN: usize = 3;
pub const ORIGIN_SUM: usize = 4;

/// First words of a block with counts of replaced records, and with the same counts again.
pub const REPLACED: usize = 2;
pub const AGAIN: usize = REPLACED + COUNTED.len();

/// Bits of a record that a block counts when the record is replaced: last, missed, overrun, late wake-up, failed, overhead.
pub const COUNTED: [u32; 6] = [5, 0, 1, 2, 3, 4];

/// Places of the records in the file.
#[derive(Debug)]
pub struct Layout {
    pub blocks: Vec<Block>,
    /// Number of words of the file.
    pub words: usize,
    /// Whether later records replace earlier ones.
    pub wraps: bool,
}

/// Place of the records of a partition in the file.
#[derive(Clone, Debug)]
pub struct Block {
    /// First word of the block.
    pub start: usize,
    /// Number of places for records.
    pub places: usize,
    /// By position of the task: whether its records state their arrivals, because these do not follow from the numbers of the jobs.
    pub stated: Vec<bool>,
}

/// Returns the places of the records. `text` is the length of the heading in bytes, and `counts` the number of words at the start of a block.
pub fn layout(heading: &Heading, text: usize, counts: usize) -> Option<Layout> {
    let mut start = WORDS.checked_add(text.div_ceil(8).checked_next_multiple_of(WORDS)?)?;
    let block = |part: &Part| {
        let launches = || {
            let work = heading.work.as_ref()?;
            usize::try_from(work.launches(&part.tasks, heading.duration)).ok()
        };
        let places = match heading.places {
            Some(places) => places.checked_mul(part.tasks.len())?,
            None => launches()?,
        };
        // A record has 24 bits for the position of a task.
        if part.tasks.len() > 1 << 24 {
            return None;
        }
        let sporadic = |task: &PlannedTask| task.sporadic && heading.places.is_some();
        let block = Block {
            start,
            places,
            stated: part.tasks.iter().map(sporadic).collect(),
        };
        start = places
            .checked_mul(WORDS)?
            .checked_add(counts)?
            .checked_add(start)?;
        Some(block)
    };
    let blocks: Option<Vec<Block>> = heading.program.partitions.iter().map(block).collect();
    // The length in bytes is a signed number of 64 bits.
    (start < usize::MAX >> 4).then_some(Layout {
        blocks: blocks?,
        words: start,
        wraps: heading.places.is_some(),
    })
}
