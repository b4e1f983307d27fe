//! Replay of block times from a measured trace.

use std::sync::Arc;

use super::machine::Block;
use gpusched_analysis::bandwidth::RemainingTable;
use gpusched_analysis::kernel_wcet::trace::{Level, Trace};
use gpusched_model::Kernel;
use gpusched_model::error::{Error, Result};

/// A trace for replay. The replay uses one recorded run after the other. After the last recorded run, the replay
/// continues with the first run.
///
/// The trace contains separate measured runs in isolation (q = 0) and under interference (q = 1).
/// Simulated run r uses the r-th measured run of each kind, in the order of the trace.
#[derive(Clone, Debug)]
pub struct Replay {
    trace: Arc<Trace>,
}

impl Replay {
    /// Creates the replay of `trace` for `kernel`. The trace must be from a recorder that keeps
    /// the first runs
    /// ([`Recorder::first`](gpusched_analysis::kernel_wcet::trace::Recorder::first)).
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if the blocks of the trace are not the blocks of the kernel.
    /// Also fails if a block took longer than the WCET of its cluster in any run, because Lemma 1
    /// does not apply to such a trace.
    pub fn new(kernel: &Kernel, trace: Trace) -> Result<Replay> {
        let blocks = trace.blocks() as u64;
        if blocks != kernel.blocks() {
            let expected = kernel.blocks();
            return Err(Error::parameter(
                "trace",
                format!("{blocks} blocks"),
                format!("{expected} blocks, the number of blocks of the kernel"),
            ));
        }
        let table = RemainingTable::new(kernel);
        for block in 0..blocks {
            let index = table.cluster_of(block).unwrap_or(0);
            let Some(cluster) = kernel.clusters().get(index) else {
                continue; // Never happens, because the table contains only existing clusters.
            };
            for (level, name, wcet) in [
                (Level::Isolated, "e0", cluster.isolated()),
                (Level::Interference, "e1", cluster.contended()),
            ] {
                let position = usize::try_from(block).unwrap_or(usize::MAX);
                let longest = trace.level(level).summary(position).max;
                if longest > wcet.ns() {
                    return Err(Error::parameter(
                        "trace",
                        format!("{longest} ns for block {block} at {level}"),
                        format!("at most {} ns, the value of {name} in cluster {index}", wcet.ns()),
                    ));
                }
            }
        }
        Ok(Replay {
            trace: Arc::new(trace),
        })
    }

    /// Returns the number of measured runs at interference level `level`.
    pub fn runs(&self, level: Level) -> u64 {
        self.trace.level(level).kept() as u64
    }

    /// Returns the blocks of the run with number `run`.
    pub(super) fn blocks(&self, run: u64) -> Vec<Block> {
        let times = |level: Level| {
            let index = run.checked_rem(self.runs(level)).unwrap_or(0);
            let index = usize::try_from(index).unwrap_or(usize::MAX);
            self.trace.level(level).run(index).map(|time| time as f64)
        };
        let pairs = times(Level::Isolated).zip(times(Level::Interference));
        pairs
            .map(|(alone, contended)| Block::new(alone, contended))
            .collect()
    }
}
