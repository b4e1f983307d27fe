//! Studies: experiments described by files.
//!
//! A study is a TOML file ([`Spec`]) of one of two kinds ([`Kind`]). A [`Partitioning`] study states the task set generator,
//! the points, the heuristics and the analysis variants. A run ([`run`]) gives a CSV table with one row per (point, analysis
//! variant, algorithm). A [`Cases`] study lists experiment cases with their metrics ([`measures`]). A run gives a table with
//! several rows per case. Both kinds can list published statements ([`Claim`]), which gpusched checks against the results.
//!
//! ```text
//! study  = points × sets                      Point: n tasks of total utilization U
//! chunk  = a few sets of one point            unit of computing, recording and resuming (Work)
//! shard  = every n-th chunk                   part of one of several machines (Shard); merge joins the shards
//! cell   = one variant with one algorithm     integer counts (Tally), added in any order
//!
//! study  = cases
//! chunk  = one case                           a metric with its parameters
//! row    = one measured value                 text, in the order of the cases
//! ```
//!
//! **Equal bytes in every run.** Set i of point j depends only on (seed, j, i). A case depends only on its parameters and the
//! seed. Chunks depend only on the study. Counts are integers, so sums do not depend on the order. Therefore threads, shards
//! and interruptions do not change the results. Times vary, so they are in a separate file.
//!
//! **A kill loses a few seconds.** Every finished chunk is a line in a journal. The next run with the same command reads the
//! journal and computes the remaining chunks. The journal states the experiment, the version and the shard, and is rejected
//! for any other. A hash identifies the experiment. It covers all inputs of the results, including the content of files that
//! cases name.
//!
//! The folder of a run has these files for each study:
//!
//! | file | content |
//! |---|---|
//! | `NAME.toml` | the study as it was run |
//! | `NAME.inputs.json` | the files that its cases name |
//! | `NAME.csv` | the results, byte-stable |
//! | `NAME.timing.csv` | mean times of search and pre-fill [ns] (partitioning) |
//! | `NAME.weighted.csv` | weighted schedulability, byte-stable (partitioning, if requested) |
//! | `NAME.svg` | the figure; one for each number of tasks, if there are several (drawn by the command) |
//! | `NAME.claims.json` | verdicts of the claims |
//! | `NAME.provenance.json` | hashes, version and seed: the data needed to repeat the run |
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
pub use output::reasons::Reasons;
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
