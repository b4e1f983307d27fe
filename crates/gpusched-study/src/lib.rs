//! Studies: experiments that TOML files describe.
//!
//! A study is a TOML file ([`Spec`]) of one of two kinds ([`Kind`]). A [`Partitioning`] study states the task set
//! generator, the points, the heuristics and the analysis variants. A run of such a study ([`run`]) writes a CSV table.
//! The table has one row for each combination of point, analysis variant and algorithm. A [`Cases`] study lists
//! experiment cases with their metrics ([`measures`]). A run of such a study writes a table with several rows per case.
//! Both kinds can list published statements ([`Claim`]), which gpusched checks against the results.
//!
//! ```text
//! study  = points × sets                      Point: n tasks of total utilization U
//! chunk  = a few sets of one point            unit of computing, recording and resuming (Work)
//! shard  = every n-th chunk                   part that one machine computes (Shard); merge joins the shards
//! cell   = one variant with one algorithm     integer counts (Tally), added in any order
//!
//! study  = cases
//! chunk  = one case                           a metric with its parameters
//! row    = one measured value                 text, in the order of the cases
//! ```
//!
//! **Equal bytes in every run.** Task set i of point j depends only on i, j and the seed. A case depends only on its
//! parameters and the seed. The division of the work into chunks depends only on the study. Counts are integers, so
//! their sums do not depend on the order of the chunks. Therefore threads, shards and interruptions do not change the
//! results. Execution times vary, so they are in a separate file.
//!
//! **A killed run loses only a few seconds of work.** Each finished chunk is a line in a journal.
//! The next run with the same command reads the journal and computes the remaining chunks. The
//! journal states the experiment, the version and the shard. gpusched rejects a journal of another experiment, version
//! or shard. A hash identifies the experiment. This hash covers all inputs that determine the results, including the
//! content of files that cases name.
//!
//! The folder of a run contains these files for each study:
//!
//! | file | content |
//! |---|---|
//! | `NAME.toml` | the study, as gpusched ran it |
//! | `NAME.inputs.json` | the content of the files that cases name |
//! | `NAME.csv` | the results; equal bytes in every run |
//! | `NAME.timing.csv` | mean times of search and pre-fill [ns] (partitioning) |
//! | `NAME.weighted.csv` | weighted schedulability; equal bytes in every run (partitioning, if the study requests it) |
//! | `NAME.paired.csv` | paired tests of every two algorithms; equal bytes in every run (partitioning, if the study requests it) |
//! | `NAME.svg` | the figure, with one panel for each number of tasks (only from the command line) |
//! | `NAME.claims.json` | verdict of each claim |
//! | `NAME.provenance.json` | hashes, version and seed: the data that are necessary to repeat the run |
//! | `NAME.checkpoint.jsonl` | the journal of finished chunks |
//!
//! The folder of one shard contains `NAME.shard-i-of-n.provenance.json` and `NAME.shard-i-of-n.checkpoint.jsonl` instead of
//! results.

mod cases;
pub mod claim;
mod definition;
pub mod measures;
mod output;
pub mod own;
mod partitioning;
pub mod plot;
mod running;
mod spec;
pub mod table;
mod work;

pub use cases::{Case, Cases, CasesKind, CasesShape};
pub use claim::{Claim, Finding, check};
pub use definition::axis::Values;
pub use definition::figures::Figures;
pub use definition::folder::Folder;
pub use definition::levels::{Level, Levels};
pub use output::figures::Figure;
pub use output::findings::{Findings, State, Study, studies};
pub use output::provenance::Provenance;
pub use output::reasons::Reasons;
pub use output::reproduction::{Commands, reproduction};
pub use partitioning::{
    Algorithm, Axis, Metric, PAIR_COLUMNS, Partitioning, PartitioningKind, PartitioningShape, Population,
    Program, Rejected, SlicedGpu, Variant, decimal, mcnemar,
};
pub use running::estimate::{Estimate, FINISH_TRIAL};
pub use running::journal::START_ANEW;
pub use running::merge::{Merged, merge};
pub use running::runner::{Observer, Summary, copy, discard, run};
pub use running::shards::{Progress, Shards};
pub use spec::kind::{Kind, Shape};
pub use spec::{Overrides, Spec};
pub use table::{CASE_COLUMNS, COLUMNS, TIMING_COLUMNS, Table, WEIGHTED_COLUMNS, weighted, wilson};
pub use work::collection::{Added, Collection, Content};
pub use work::tally::Tally;
pub use work::{Chunk, Point, Shard, Work};
