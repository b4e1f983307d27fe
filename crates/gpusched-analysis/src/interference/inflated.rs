//! The trait that every interference model implements.

use super::co_located::CoLocated;
use gpusched_model::Interference;
use gpusched_model::time::Time;
use gpusched_model::{Kind, Task};

/// Interference model: maps an isolated WCET to the inflated WCET, given the co-located tasks.
///
/// An inflated WCET must not increase with `sms`, and must not decrease as `co_located` grows.
pub trait InflatedWcet: Sync {
    /// C(m) [ns] of `task` on `sms` SMs with `co_located`, which includes `task` itself. `None` if no WCET is known.
    fn wcet(&self, task: &Task, sms: u32, co_located: &CoLocated) -> Option<Time>;

    /// Name of the model in files, so that a plan can state its model.
    fn name(&self) -> Option<Interference> {
        None
    }

    /// Least work on the GPU of `task` with `co_located`: the minimum of m · C(m) over all m [SM·ns].
    fn least_work(&self, task: &Task, co_located: &CoLocated) -> u128;

    /// Number of classes of co-located tasks, at least 1; see [`InflatedWcet::class`].
    fn classes(&self) -> u8;

    /// Class of `co_located` for one of its tasks of kind `kind`: a number below [`InflatedWcet::classes`].
    ///
    /// Within a class, all co-located tasks cause the same WCETs and the same least work, so both can be looked up per class. A
    /// finer model maps `co_located` to a few classes and uses the worst case of each class.
    fn class(&self, kind: Option<Kind>, co_located: &CoLocated) -> u8;

    /// Class for every kind: compute, memory, and unclassified.
    fn class_of_each_kind(&self, co_located: &CoLocated) -> [u8; 3] {
        [Some(Kind::Compute), Some(Kind::Memory), None].map(|kind| self.class(kind, co_located))
    }
}

/// Position of `kind` in [`InflatedWcet::class_of_each_kind`].
pub(crate) fn kind_index(kind: Option<Kind>) -> u8 {
    match kind {
        Some(Kind::Compute) => 0,
        Some(Kind::Memory) => 1,
        None => 2,
    }
}
