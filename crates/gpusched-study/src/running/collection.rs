//! The results of the chunks that are done, put together.

use sha2::{Digest as _, Sha256};

use super::tally::Tally;
use super::work::Work;

/// The results of one chunk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Content {
    /// Partitioning: by reading, then algorithm.
    Tallies(Vec<Tally>),
    /// A case: rows of the results table, as text.
    Rows(Vec<Vec<String>>),
}

/// Which chunks of a study are done, and their results: tallies are added up by point, rows are kept by chunk.
#[derive(Clone, Debug)]
pub struct Collection {
    work: Work,
    content: Collected,
    /// What tells results of a chunk apart, where it is done.
    done: Vec<Option<u64>>,
    chunks: usize,
    units: u64,
}

#[derive(Clone, Debug)]
enum Collected {
    Tallies {
        /// Readings × algorithms.
        cells: usize,
        /// By point, then reading, then algorithm. Their number does not depend on the number of sets.
        tallies: Vec<Tally>,
    },
    Rows {
        /// The number of columns.
        width: usize,
        /// By chunk.
        rows: Vec<Vec<Vec<String>>>,
    },
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
    /// Nothing done yet, of a study with so many `cells` per task set.
    pub fn of_tallies(work: Work, cells: usize) -> Collection {
        let tallies = vec![Tally::default(); work.points() * cells];
        Collection::new(work, Collected::Tallies { cells, tallies })
    }

    /// Nothing done yet, of a study whose table has so many columns.
    pub fn of_rows(work: Work, width: usize) -> Collection {
        let rows = vec![Vec::new(); work.len()];
        Collection::new(work, Collected::Rows { width, rows })
    }

    fn new(work: Work, content: Collected) -> Collection {
        Collection {
            work,
            content,
            done: vec![None; work.len()],
            chunks: 0,
            units: 0,
        }
    }

    /// Adds the results of chunk `index`.
    pub fn add(&mut self, index: usize, content: &Content) -> Added {
        let Some(chunk) = self.work.chunk(index) else {
            return Added::Malformed;
        };
        let units = chunk.sets.end - chunk.sets.start;
        if !self.content.fits(content, units) {
            return Added::Malformed;
        }
        let digest = digest(content);
        match self.done[index] {
            Some(other) if other == digest => return Added::Again,
            Some(_) => return Added::Conflict,
            None => self.done[index] = Some(digest),
        }
        match (&mut self.content, content) {
            (Collected::Tallies { cells, tallies }, Content::Tallies(new)) => {
                for (sum, cell) in tallies[chunk.point * *cells..].iter_mut().zip(new) {
                    sum.add(cell);
                }
            }
            (Collected::Rows { rows, .. }, Content::Rows(new)) => rows[index] = new.clone(),
            _ => return Added::Malformed,
        }
        self.chunks += 1;
        self.units += units;
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

    /// The number of sets done, or cases.
    pub fn units(&self) -> u64 {
        self.units
    }

    /// The positions of the chunks that are not done.
    pub fn missing(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.work.len()).filter(|&index| !self.contains(index))
    }

    /// The tallies of a point: by reading, then algorithm.
    pub fn point(&self, point: usize) -> &[Tally] {
        match &self.content {
            Collected::Tallies { cells, tallies } => {
                tallies.chunks((*cells).max(1)).nth(point).unwrap_or_default()
            }
            Collected::Rows { .. } => &[],
        }
    }

    /// The rows of all cases, in their order.
    pub fn rows(&self) -> Vec<Vec<String>> {
        match &self.content {
            Collected::Tallies { .. } => Vec::new(),
            Collected::Rows { rows, .. } => rows.concat(),
        }
    }
}

impl Collected {
    /// Whether `content` can be the results of a chunk of so many units.
    fn fits(&self, content: &Content, units: u64) -> bool {
        match (self, content) {
            (Collected::Tallies { cells, .. }, Content::Tallies(new)) => {
                new.len() == *cells && new.iter().all(|cell| cell.schedulable <= units)
            }
            (Collected::Rows { width, .. }, Content::Rows(new)) => new.iter().all(|row| row.len() == *width),
            _ => false,
        }
    }
}

/// The beginning of the hash of all that must be the same in every run.
fn digest(content: &Content) -> u64 {
    let mut hash = Sha256::new();
    match content {
        Content::Tallies(cells) => {
            for number in cells.iter().flat_map(Tally::stable) {
                hash.update(number.to_le_bytes());
            }
        }
        Content::Rows(rows) => hash_rows(&mut hash, rows),
    }
    let mut first = [0; 8];
    for (byte, from) in first.iter_mut().zip(hash.finalize()) {
        *byte = from;
    }
    u64::from_le_bytes(first)
}

/// Rows with their lengths, so that no two tables hash the same bytes.
pub(super) fn hash_rows(hash: &mut Sha256, rows: &[Vec<String>]) {
    for row in rows {
        hash.update((row.len() as u64).to_le_bytes());
        for cell in row {
            hash.update((cell.len() as u64).to_le_bytes());
            hash.update(cell.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(schedulable: u64, search_ns: u64) -> Tally {
        Tally::from([schedulable, 10 * schedulable, 3, 4, search_ns, 0])
    }

    fn tallies(cells: &[Tally]) -> Content {
        Content::Tallies(cells.to_vec())
    }

    fn rows(rows: &[[&str; 2]]) -> Content {
        Content::Rows(rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect())
    }

    #[test]
    fn chunks_count_once() {
        let work = Work::new(2, 4).unwrap();
        assert_eq!(work.len(), 8);
        let mut collection = Collection::of_tallies(work, 2);
        assert_eq!(collection.add(5, &tallies(&[cell(1, 7), cell(0, 7)])), Added::New);
        assert_eq!(
            collection.add(5, &tallies(&[cell(1, 9), cell(0, 9)])),
            Added::Again
        );
        assert_eq!(
            collection.add(5, &tallies(&[cell(1, 7), cell(1, 7)])),
            Added::Conflict
        );
        assert_eq!(collection.add(4, &tallies(&[cell(1, 1), cell(1, 1)])), Added::New);
        assert_eq!(collection.point(1)[0], Tally::from([2, 20, 6, 8, 8, 0]));
        assert_eq!(collection.point(0), [Tally::default(); 2]);
        assert_eq!((collection.chunks(), collection.units()), (2, 2));
        assert_eq!(collection.missing().collect::<Vec<_>>(), [0, 1, 2, 3, 6, 7]);
    }

    #[test]
    fn malformed_results_are_refused() {
        let mut collection = Collection::of_tallies(Work::new(2, 4).unwrap(), 2);
        assert_eq!(collection.add(8, &tallies(&[cell(1, 0); 2])), Added::Malformed);
        assert_eq!(collection.add(0, &tallies(&[cell(1, 0); 3])), Added::Malformed);
        assert_eq!(collection.add(0, &tallies(&[cell(2, 0); 2])), Added::Malformed);
        assert_eq!(collection.chunks(), 0);
    }
    #[test]
    fn rows_stay_in_the_order_of_their_cases() {
        let mut collection = Collection::of_rows(Work::new(3, 1).unwrap(), 2);
        let (a, b) = (rows(&[["a", "1"], ["a", "2"]]), rows(&[["b", ""]]));
        assert_eq!(collection.add(2, &b), Added::New);
        assert_eq!(collection.add(0, &a), Added::New);
        assert_eq!(collection.add(0, &a), Added::Again);
        assert_eq!(
            collection.add(0, &rows(&[["a", "1"], ["a", "3"]])),
            Added::Conflict
        );
        assert_eq!(
            collection.add(0, &rows(&[["a1", ""], ["a", "2"]])),
            Added::Conflict
        );
        assert_eq!(collection.add(1, &rows(&[])), Added::New);
        assert_eq!(collection.rows(), [["a", "1"], ["a", "2"], ["b", ""]]);
        assert_eq!((collection.chunks(), collection.units()), (3, 3));
        let narrow = Content::Rows(vec![vec!["b".to_owned()]]);
        for bad in [narrow, tallies(&[cell(0, 0); 2])] {
            assert_eq!(collection.add(2, &bad), Added::Malformed);
        }
    }
}
