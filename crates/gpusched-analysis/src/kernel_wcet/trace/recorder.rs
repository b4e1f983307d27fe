//! Recorder that collects the rows of a trace. The recorder checks the rows of all file formats.

use std::collections::HashSet;

use super::places::{explained, overlap};
use super::{Level, Measurements, Row};
use gpusched_model::error::{Error, Result};

/// Largest number of blocks of a kernel in a trace.
pub const MAX_BLOCKS: u64 = 1 << 24;

/// Largest number of kept measurements per block and interference level.
pub const MAX_SAMPLES: usize = 1 << 16;

/// The rows of a trace that gpusched has read so far.
///
/// An error message of the recorder states the invalid value and the accepted values. The readers
/// of the file formats add the file and the line.
#[derive(Clone, PartialEq, Debug)]
pub struct Recorder {
    levels: [Measurements; 2],
    /// N: number of blocks, known after the first complete run.
    blocks: Option<usize>,
    current: Option<Run>,
    /// Complete runs of the current file.
    closed: HashSet<(u64, Level)>,
    overlap: Option<usize>,
    explained: Option<usize>,
}

/// The current, incomplete run.
#[derive(Clone, PartialEq, Debug)]
struct Run {
    id: u64,
    level: Level,
    /// Duration of each block, or 0 if the run has no row for the block yet.
    durations: Vec<u64>,
    /// Start of each block, or `None` if the start of a block is missing.
    starts: Option<Vec<u64>>,
    seen: usize,
}

/// A complete trace.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    /// Measurements without interference (q = 0).
    pub isolated: Measurements,
    /// Measurements with interference (q = 1).
    pub interference: Measurements,
    /// Number M of active blocks for a bound: the largest number of blocks that certainly run at
    /// one time, limited to 1 … [`Trace::explained`]. `None` if no run has known starts.
    pub active: Option<usize>,
    /// Largest M for which [Aghilinasab20] Eq. 3 is at least the measured length of every run with known starts. A
    /// bound with a larger M is unsafe. The value is 0 if pauses between blocks make a run too long for every M. `None`
    /// if no run has known starts.
    pub explained: Option<usize>,
}

impl Trace {
    /// Returns the measurements at the interference level `level`.
    pub fn level(&self, level: Level) -> &Measurements {
        match level {
            Level::Isolated => &self.isolated,
            Level::Interference => &self.interference,
        }
    }

    /// Returns N, the number of blocks.
    pub fn blocks(&self) -> usize {
        self.isolated.blocks()
    }
}

impl Recorder {
    /// Creates an empty recorder that keeps a random sample of the measurements, generated from
    /// `seed`. The sample has at most `samples` measurements (1 to [`MAX_SAMPLES`]) per block and
    /// interference level.
    pub fn new(samples: usize, seed: u64) -> Recorder {
        Recorder::keeping(samples, Some(seed))
    }

    /// Creates an empty recorder that keeps the measurements of the first `runs` runs (1 to
    /// [`MAX_SAMPLES`]) per interference level.
    pub fn first(runs: usize) -> Recorder {
        Recorder::keeping(runs, None)
    }

    fn keeping(capacity: usize, seed: Option<u64>) -> Recorder {
        Recorder {
            levels: Level::ALL.map(|level| Measurements::new(level, capacity.clamp(1, MAX_SAMPLES), seed)),
            blocks: None,
            current: None,
            closed: HashSet::new(),
            overlap: None,
            explained: None,
        }
    }

    /// Adds a row to the trace.
    ///
    /// # Errors
    /// Returns a message if the row is invalid, or if the row begins a new run and the previous
    /// run is invalid.
    pub fn row(&mut self, row: &Row) -> Result<(), String> {
        match &mut self.current {
            Some(run) if run.id == row.run && run.level == row.level => run.add(row, self.blocks),
            _ => {
                self.close()?;
                if self.closed.contains(&(row.run, row.level)) {
                    return Err(format!(
                        "found run {} at {} again after another run, expected all rows of a run together",
                        row.run, row.level
                    ));
                }
                let mut run = Run::new(row, self.blocks.unwrap_or(0));
                run.add(row, self.blocks)?;
                self.current = Some(run);
                Ok(())
            }
        }
    }

    /// Ends the current file, whose last run must be complete. The next file may use the same run numbers again.
    ///
    /// # Errors
    /// Returns a message if the last run is incomplete.
    pub fn end_file(&mut self) -> Result<(), String> {
        self.close()?;
        self.closed.clear();
        Ok(())
    }

    fn close(&mut self) -> Result<(), String> {
        let Some(run) = self.current.take() else {
            return Ok(());
        };
        let blocks = run.durations.len();
        if run.seen < blocks {
            let missing = run.durations.iter().position(|&duration| duration == 0);
            return Err(format!(
                "run {} at {} ends without block {}, expected each block from 0 to {}{}",
                run.id,
                run.level,
                missing.unwrap_or(0),
                blocks.saturating_sub(1),
                match self.blocks {
                    Some(_) => ", as in earlier runs",
                    None => ", the highest block",
                }
            ));
        }
        self.blocks = Some(blocks);
        if let Some(starts) = &run.starts {
            self.overlap = self.overlap.max(Some(overlap(starts, &run.durations)));
            let explained = explained(starts, &run.durations);
            self.explained = Some(self.explained.map_or(explained, |before| before.min(explained)));
        }
        let [isolated, interference] = &mut self.levels;
        match run.level {
            Level::Isolated => isolated.add(&run.durations),
            Level::Interference => interference.add(&run.durations),
        }
        self.closed.insert((run.id, run.level));
        Ok(())
    }

    /// Returns the trace, after the recorder has read all files.
    ///
    /// # Errors
    /// Returns [`Error::Refused`] if an interference level has no run.
    pub fn finish(self) -> Result<Trace> {
        let [isolated, interference] = self.levels;
        for level in [&isolated, &interference] {
            if level.runs() == 0 {
                return Err(Error::parameter(
                    "",
                    format!("no run at {} in the trace", level.level()),
                    "runs without interference (q = 0) and runs with interference (q = 1)",
                ));
            }
        }
        Ok(Trace {
            isolated,
            interference,
            active: self
                .overlap
                .zip(self.explained)
                .map(|(overlap, explained)| overlap.min(explained).max(1)),
            explained: self.explained,
        })
    }
}

impl Run {
    fn new(row: &Row, blocks: usize) -> Run {
        Run {
            id: row.run,
            level: row.level,
            durations: vec![0; blocks],
            starts: Some(vec![0; blocks]),
            seen: 0,
        }
    }

    /// Adds a row to this run. `blocks` is the number N of blocks, or `None` if N is not yet
    /// known.
    fn add(&mut self, row: &Row, blocks: Option<usize>) -> Result<(), String> {
        let index = usize::try_from(row.block).unwrap_or(usize::MAX);
        if index >= self.durations.len() {
            if let Some(blocks) = blocks {
                return Err(format!(
                    "found block {} in run {} at {}, expected 0 to {}, as in earlier runs",
                    row.block,
                    self.id,
                    self.level,
                    blocks.saturating_sub(1)
                ));
            }
            if row.block >= MAX_BLOCKS {
                return Err(format!(
                    "found block {}, expected a number below {MAX_BLOCKS}",
                    row.block
                ));
            }
            self.durations.resize(index + 1, 0);
            if let Some(starts) = &mut self.starts {
                starts.resize(index + 1, 0);
            }
        }
        match self.durations.get_mut(index) {
            Some(duration) if *duration == 0 => *duration = row.duration,
            _ => {
                return Err(format!(
                    "found block {} twice in run {} at {}, expected each block once",
                    row.block, self.id, self.level
                ));
            }
        }
        self.seen += 1;
        match (row.start, &mut self.starts) {
            (Some(start), Some(starts)) => {
                if let Some(place) = starts.get_mut(index) {
                    *place = start;
                }
            }
            (None, starts) => *starts = None,
            (Some(_), None) => {}
        }
        Ok(())
    }
}
