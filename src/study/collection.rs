//! The results of the chunks that are done, added up.

use sha2::{Digest as _, Sha256};

use super::tally::Tally;
use super::work::Work;

/// Which chunks of a study are done, and the tallies of each point. Its size does not depend on the number of sets
/// (beyond a few bytes per chunk).
#[derive(Clone, Debug)]
pub struct Collection {
    work: Work,
    /// Readings × algorithms.
    cells: usize,
    /// By point, then reading, then algorithm.
    tallies: Vec<Tally>,
    /// What tells results of a chunk apart, where it is done.
    done: Vec<Option<u64>>,
    chunks: usize,
    sets: u64,
}

/// What became of the results of one chunk.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Added {
    /// Counted.
    New,
    /// The same results were there already.
    Again,
    /// Other results were there already.
    Conflict,
    /// No results of such a chunk.
    Malformed,
}

impl Collection {
    /// Nothing done yet.
    pub fn new(work: Work, cells: usize) -> Collection {
        Collection {
            work,
            cells,
            tallies: vec![Tally::default(); work.points() * cells],
            done: vec![None; work.len()],
            chunks: 0,
            sets: 0,
        }
    }

    /// Adds the results of chunk `index`.
    pub fn add(&mut self, index: usize, cells: &[Tally]) -> Added {
        let Some(chunk) = self.work.chunk(index) else {
            return Added::Malformed;
        };
        let sets = chunk.sets.end - chunk.sets.start;
        if cells.len() != self.cells || cells.iter().any(|cell| cell.schedulable > sets) {
            return Added::Malformed;
        }
        let digest = digest(cells);
        match self.done[index] {
            Some(other) if other == digest => return Added::Again,
            Some(_) => return Added::Conflict,
            None => self.done[index] = Some(digest),
        }
        let first = chunk.point * self.cells;
        for (sum, cell) in self.tallies[first..].iter_mut().zip(cells) {
            sum.add(cell);
        }
        self.chunks += 1;
        self.sets += sets;
        Added::New
    }

    /// Whether chunk `index` is done.
    pub fn contains(&self, index: usize) -> bool {
        self.done.get(index).is_some_and(Option::is_some)
    }

    /// The number of chunks done.
    pub fn chunks(&self) -> usize {
        self.chunks
    }

    /// The number of sets done.
    pub fn sets(&self) -> u64 {
        self.sets
    }

    /// The positions of the chunks that are not done.
    pub fn missing(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.work.len()).filter(|&index| !self.contains(index))
    }

    /// The tallies of a point: by reading, then algorithm.
    pub fn point(&self, point: usize) -> &[Tally] {
        self.tallies
            .chunks(self.cells.max(1))
            .nth(point)
            .unwrap_or_default()
    }
}

fn digest(cells: &[Tally]) -> u64 {
    let mut hash = Sha256::new();
    for number in cells.iter().flat_map(Tally::stable) {
        hash.update(number.to_le_bytes());
    }
    let mut first = [0; 8];
    for (byte, from) in first.iter_mut().zip(hash.finalize()) {
        *byte = from;
    }
    u64::from_le_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(schedulable: u64, search_ns: u64) -> Tally {
        Tally::from([schedulable, 10 * schedulable, 3, 4, search_ns, 0])
    }

    #[test]
    fn chunks_count_once() {
        let work = Work::new(2, 4).unwrap();
        assert_eq!(work.len(), 8);
        let mut collection = Collection::new(work, 2);
        assert_eq!(collection.add(5, &[cell(1, 7), cell(0, 7)]), Added::New);
        assert_eq!(collection.add(5, &[cell(1, 9), cell(0, 9)]), Added::Again);
        assert_eq!(collection.add(5, &[cell(1, 7), cell(1, 7)]), Added::Conflict);
        assert_eq!(collection.add(4, &[cell(1, 1), cell(1, 1)]), Added::New);
        assert_eq!(collection.point(1)[0], Tally::from([2, 20, 6, 8, 8, 0]));
        assert_eq!(collection.point(0), [Tally::default(); 2]);
        assert_eq!((collection.chunks(), collection.sets()), (2, 2));
        assert_eq!(collection.missing().collect::<Vec<_>>(), [0, 1, 2, 3, 6, 7]);
    }

    #[test]
    fn malformed_results_are_refused() {
        let mut collection = Collection::new(Work::new(2, 4).unwrap(), 2);
        assert_eq!(collection.add(8, &[cell(1, 0); 2]), Added::Malformed);
        assert_eq!(collection.add(0, &[cell(1, 0); 3]), Added::Malformed);
        assert_eq!(collection.add(0, &[cell(2, 0); 2]), Added::Malformed);
        assert_eq!(collection.chunks(), 0);
    }
}
