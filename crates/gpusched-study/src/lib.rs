//! Experiments as data.
//!
//! A study is a TOML file ([`Spec`]) of one of two kinds ([`Kind`]). [`Partitioning`]: how task sets are drawn, at which
//! points, which heuristics are compared, and how the published experiment is read; running it ([`run`]) gives a CSV table
//! with one row per (point, reading, algorithm). [`Cases`]: a list of things to measure ([`measures`]); running it gives a tidy
//! table, some rows per case. Both say which published statements ([`Claim`]) the results confirm.
//!
//! ```text
//! study  = points × sets                     Point: n tasks of total utilization U
//! chunk  = a few sets of one point           what is computed, recorded and resumed (Work)
//! shard  = every n-th chunk                  what one machine of several does (Shard), put together by merge
//! cell   = one reading with one algorithm    integer counts (Tally), added up in any order
//!
//! study  = cases
//! chunk  = one case                          a measure with its parameters
//! row    = one measured value                text, put in the order of the cases
//! ```
//!
//! **The same bytes, always.** Set i of point j is drawn from (seed, j, i) alone, a case depends on its parameters and
//! the seed alone; chunks depend on the study alone; counts are integers, so sums do not depend on the order. Hence threads, shards and interruptions leave no trace in the results.
//! Times do vary: they have a file of their own.
//!
//! **A kill loses a few seconds.** Every finished chunk is a line in a journal; the next run with the same command reads it
//! and does the rest. The journal names the experiment (a hash of all that the results depend on, the content of files that
//! cases name included), the version and the shard, and is refused for any other.
//!
//! The folder of a run, for each study in it:
//!
//! | file | content |
//! |---|---|
//! | `NAME.toml` | the study as it was run |
//! | `NAME.inputs.json` | the files that its cases name |
//! | `NAME.csv` | the results, byte-stable |
//! | `NAME.timing.csv` | mean times of search and pre-fill [ns] (partitioning) |
//! | `NAME.weighted.csv` | weighted schedulability, byte-stable (partitioning, if asked for) |
//! | `NAME.svg` | the figure; one for each number of tasks, if there are several (drawn by the command) |
//! | `NAME.claims.json` | what became of the claims |
//! | `NAME.provenance.json` | hashes, version, seed: what it takes to repeat the run |
//! | `NAME.checkpoint.jsonl` | the journal |
//!
//! Shards have `NAME.shard-i-of-n.provenance.json` and `NAME.shard-i-of-n.checkpoint.jsonl` instead of results.

mod cases;
pub mod claim;
mod definition;
pub mod measures;
mod output;
mod partitioning;
pub mod plot;
mod running;

pub use output::{table, wilson};

pub use cases::{CASE_COLUMNS, Case, CaseFigure, Cases, CasesKind, CasesShape};
pub use claim::{Claim, Finding, check};
pub use definition::axis::Values;
pub use definition::kind::{Kind, Shape};
pub use definition::spec::{Overrides, Spec};
pub use output::findings::{Findings, State, Study, studies};
pub use output::folder::Folder;
pub use output::provenance::Provenance;
pub use output::reproduction::reproduction;
pub use output::weighted::WEIGHTED_COLUMNS;
pub use partitioning::{
    Algorithm, Axis, COLUMNS, Figure, FigurePanel, FigureTable, Partitioning, PartitioningKind,
    PartitioningShape, Reading, TIMING_COLUMNS,
};
pub use running::merge::merge;
pub use running::runner::{Observer, Summary, run};
pub use running::work::{Chunk, Point, Shard, Work};
pub use table::Table;
