//! Kernels with clusters, read from the files that a study names.

use crate::definition::files::Files;
use gpusched_analysis::kernel_wcet::synthesis::{Synthesizer, alternate};
use gpusched_model::Kernel;
use gpusched_model::error::Refusal;

/// Reads the kernel in the file at `path`. The blocks form `intervals` intervals, and the clusters
/// alternate from interval to interval. If `intervals` is absent, the intervals are as in the file.
pub(in crate::measures) fn alternating(
    files: &mut Files,
    path: &str,
    intervals: Option<usize>,
) -> Result<Kernel, Refusal> {
    let kernel: Kernel = files.read("kernel", path)?;
    let Some(count) = intervals else {
        return Ok(kernel);
    };
    let list = alternate(kernel.clusters(), count).map_err(Refusal::about("intervals"))?;
    kernel.with_intervals(list).map_err(Refusal::about("intervals"))
}

/// Rejects a kernel if one of its clusters has no distribution of block times.
pub(super) fn drawable(kernel: &Kernel, path: &str) -> Result<(), Refusal> {
    Synthesizer::new(kernel, 1).map_err(Refusal::in_file("kernel", path))?;
    Ok(())
}
