//! Collection of the results of all finished chunks.

use sha2::{Digest as _, Sha256};

use super::Work;
use super::tally::Tally;
use gpusched_model::error::Refusal;

/// The results of one chunk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// Results of a chunk of task sets. They are tallies, sorted by analysis variant, then by algorithm.
    Tallies(Vec<Tally>),
    /// Results of an experiment case: rows of the results table, as text.
    Rows(Vec<Vec<String>>),
}

/// The finished chunks of a study, with their results. The collection adds up the tallies of each point, and stores the
/// rows of each chunk.
#[derive(Clone, Debug)]
pub struct Collection {
    work: Work,
    content: Collected,
    /// Digest of the results of each chunk. `None` if the chunk is not finished.
    done: Vec<Option<u64>>,
    chunks: usize,
    units: u64,
    /// Time of all searches [ns].
    ns: u64,
}

#[derive(Clone, Debug)]
enum Collected {
    Tallies {
        /// Number of results per task set: number of analysis variants × number of algorithms.
        cells: usize,
        /// Tallies, sorted by point, then by analysis variant, then by algorithm. The number of tallies does not depend on
        /// the number of sets.
        tallies: Vec<Tally>,
        answers: Answers,
    },
    Rows {
        /// Number of columns of the results table.
        width: usize,
        /// Rows of each chunk.
        rows: Vec<Vec<Vec<String>>>,
    },
}

/// Whether the answers of each algorithm for schedulable task sets state partitions. In one study, they state partitions for
/// all schedulable task sets or for none: otherwise their mean number of SMs has no meaning.
#[derive(Clone, Debug)]
struct Answers {
    /// Name of each algorithm, and whether it states partitions; `None` before its first schedulable task set.
    algorithms: Vec<(String, Option<bool>)>,
    /// Number of analysis variants × number of algorithms. Further tallies are of pairs and metrics.
    cells: usize,
}

/// Outcome of adding the results of one chunk.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Added {
    /// The results were added.
    New,
    /// The results were ignored, because the collection already has equal results.
    Again,
    /// The results were rejected, because the collection already has different results.
    Conflict,
    /// The results were rejected, because this algorithm states partitions in some chunks, and none in others.
    Mixed(usize),
    /// The results were rejected, because this chunk cannot have such results.
    Malformed,
}

impl Collection {
    /// Creates an empty collection for a study that has `cells` tallies per task set. The first `results` of them are the
    /// results of the `algorithms`, sorted by analysis variant, then by algorithm.
    pub fn of_tallies(work: Work, cells: usize, algorithms: Vec<String>, results: usize) -> Collection {
        let tallies = vec![Tally::default(); work.points() * cells];
        let answers = Answers {
            algorithms: algorithms.into_iter().map(|name| (name, None)).collect(),
            cells: results,
        };
        let content = Collected::Tallies {
            cells,
            tallies,
            answers,
        };
        Collection::new(work, content)
    }

    /// Creates an empty collection for a study whose table has `width` columns.
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
            ns: 0,
        }
    }

    /// Adds `content`, the results of chunk `index`.
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
            None => {}
        }
        if let (Collected::Tallies { answers, .. }, Content::Tallies(new)) = (&mut self.content, content)
            && let Err(algorithm) = answers.add(new)
        {
            return Added::Mixed(algorithm);
        }
        self.done[index] = Some(digest);
        match (&mut self.content, content) {
            (Collected::Tallies { cells, tallies, .. }, Content::Tallies(new)) => {
                for (sum, cell) in tallies[chunk.point * *cells..].iter_mut().zip(new) {
                    sum.add(cell);
                    self.ns = self.ns.saturating_add(cell.ns());
                }
            }
            (Collected::Rows { rows, .. }, Content::Rows(new)) => rows[index] = new.clone(),
            _ => return Added::Malformed,
        }
        self.chunks += 1;
        self.units += units;
        Added::New
    }

    /// Returns the refusal of a chunk with [`Added::Mixed`] for `algorithm`.
    pub fn mixed(&self, algorithm: usize) -> Refusal {
        let answers = match &self.content {
            Collected::Tallies { answers, .. } => answers.algorithms.get(algorithm),
            Collected::Rows { .. } => None,
        };
        let (name, before) = answers.map_or(("", None), |(name, kind)| (name.as_str(), *kind));
        let found = if before == Some(true) {
            "no partitions"
        } else {
            "partitions"
        };
        let expected = "partitions for all schedulable task sets, or for none";
        Refusal::new(
            format!("algorithm {name:?}"),
            format!("{found}, unlike before"),
            expected,
        )
    }

    /// Returns whether chunk `index` is finished.
    pub fn contains(&self, index: usize) -> bool {
        self.done.get(index).is_some_and(Option::is_some)
    }

    /// Returns the number of finished chunks.
    pub fn chunks(&self) -> usize {
        self.chunks
    }

    /// Returns the number of finished task sets or cases.
    pub fn units(&self) -> u64 {
        self.units
    }

    /// Returns the time of all searches [ns]. For studies of cases, the time is 0.
    pub fn ns(&self) -> u64 {
        self.ns
    }

    /// Returns the indices of all unfinished chunks.
    pub fn missing(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.work.len()).filter(|&index| !self.contains(index))
    }

    /// Returns the tallies of `point`, sorted by analysis variant, then by algorithm.
    pub fn point(&self, point: usize) -> &[Tally] {
        match &self.content {
            Collected::Tallies { cells, tallies, .. } => {
                tallies.chunks((*cells).max(1)).nth(point).unwrap_or_default()
            }
            Collected::Rows { .. } => &[],
        }
    }

    /// Returns the rows of all cases, in the order of the cases.
    pub fn rows(&self) -> Vec<Vec<String>> {
        match &self.content {
            Collected::Tallies { .. } => Vec::new(),
            Collected::Rows { rows, .. } => rows.concat(),
        }
    }
}

impl Answers {
    /// Adds the answers of one chunk. Fails with the number of an algorithm whose answers differ from those before, and
    /// then changes nothing.
    fn add(&mut self, chunk: &[Tally]) -> Result<(), usize> {
        let mut now: Vec<Option<bool>> = self.algorithms.iter().map(|(_, kind)| *kind).collect();
        for (index, tally) in chunk.iter().take(self.cells).enumerate() {
            let algorithm = index % now.len().max(1);
            // A plan of a task set uses at least one SM.
            let found = (tally.schedulable > 0).then_some(tally.sms_used > 0);
            if let (Some(kind), Some(found)) = (now.get_mut(algorithm), found)
                && *kind.get_or_insert(found) != found
            {
                return Err(algorithm);
            }
        }
        for ((_, kind), now) in self.algorithms.iter_mut().zip(now) {
            *kind = now;
        }
        Ok(())
    }
}

impl Collected {
    /// Returns whether a chunk of `units` task sets or cases can have the results `content`.
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

/// Returns the first bytes of a hash of the results. The hash covers all results that must be equal in every run.
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

/// Adds rows to a hash. Also adds the lengths, so that different tables have different hash inputs.
pub(crate) fn hash_rows(hash: &mut Sha256, rows: &[Vec<String>]) {
    for row in rows {
        hash.update((row.len() as u64).to_le_bytes());
        for cell in row {
            hash.update((cell.len() as u64).to_le_bytes());
            hash.update(cell.as_bytes());
        }
    }
}
