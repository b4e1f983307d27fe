//! Block times of a measured trace.

use std::sync::Arc;

use super::machine::Block;
use gpusched_analysis::bandwidth::RemainingTable;
use gpusched_analysis::kernel_wcet::trace::{Level, Trace};
use gpusched_model::Kernel;
use gpusched_model::error::{Error, Result};

/// A trace whose runs are those of a kernel, one after the other and from the first one again.
///
/// Alone and under interference a kernel is measured in different runs: run r takes its times alone from the r-th run at
/// q = 0 and its times under interference from the r-th run at q = 1, both in the order of the trace.
#[derive(Clone, Debug)]
pub struct Replay {
    trace: Arc<Trace>,
}

impl Replay {
    /// `trace` as runs of `kernel`; from a recorder that keeps the first runs
    /// ([`Recorder::first`](gpusched_analysis::kernel_wcet::trace::Recorder::first)).
    ///
    /// # Errors
    /// [`Error::Refused`] if the trace has other blocks than the kernel, or one of them ever took longer than the WCET of its
    /// cluster: Lemma 1 promises nothing then.
    pub fn new(kernel: &Kernel, trace: Trace) -> Result<Replay> {
        let blocks = trace.blocks() as u64;
        if blocks != kernel.blocks() {
            let expected = kernel.blocks();
            return Err(Error::parameter(
                "trace",
                format!("{blocks} blocks"),
                format!("{expected}, those of the kernel"),
            ));
        }
        let table = RemainingTable::new(kernel);
        for block in 0..blocks {
            let index = table.cluster_of(block).unwrap_or(0);
            let Some(cluster) = kernel.clusters().get(index) else {
                continue; // tables name clusters that exist
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
                        format!("at most {} ns, {name} of its cluster {index}", wcet.ns()),
                    ));
                }
            }
        }
        Ok(Replay {
            trace: Arc::new(trace),
        })
    }

    /// The number of runs at `level` before the first one comes again.
    pub fn runs(&self, level: Level) -> u64 {
        self.trace.level(level).kept() as u64
    }

    /// The blocks of run `run`.
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
