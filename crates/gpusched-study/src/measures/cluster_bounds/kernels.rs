//! Kernels of clusters from the files of a study.

use crate::measures::Files;
use gpusched_analysis::kernel_wcet::synthesis::{Synthesizer, alternate};
use gpusched_model::Kernel;
use gpusched_model::error::Refusal;

/// Returns the kernel in the file at `path`. Its clusters alternate in `intervals` intervals, or as in the file if absent.
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

/// Rejects a kernel whose clusters have no distribution to draw from.
pub(super) fn drawable(kernel: &Kernel, path: &str) -> Result<(), Refusal> {
    Synthesizer::new(kernel, 1).map_err(Refusal::in_file("kernel", path))?;
    Ok(())
}
