//! The trait that every interference model implements.

use super::co_located::CoLocated;
use gpusched_model::Interference;
use gpusched_model::time::Time;
use gpusched_model::{Kind, Task};

/// Interference model: maps an isolated WCET to the inflated WCET, given the co-located tasks.
///
/// An inflated WCET must not increase with `sms`. It must not decrease if tasks are added to `co_located`.
pub trait InflatedWcet: Sync {
    /// Returns C(m) [ns] of `task` on m = `sms` SMs with the tasks `co_located`, which include `task`. Returns `None` if no WCET is
    /// known.
    fn wcet(&self, task: &Task, sms: u32, co_located: &CoLocated) -> Option<Time>;

    /// Returns the name of the model in files, so that a plan can state its model.
    fn name(&self) -> Option<Interference> {
        None
    }

    /// Returns the least work of `task` on the GPU with the tasks `co_located`: the minimum of m · C(m) over all m [SM·ns].
    fn least_work(&self, task: &Task, co_located: &CoLocated) -> u128;

    /// Returns the number of classes of co-located tasks, at least 1; see [`InflatedWcet::class`].
    fn classes(&self) -> u8;

    /// Returns the class of `co_located` for a task of kind `kind`: a number below [`InflatedWcet::classes`]. `co_located` includes
    /// the task.
    ///
    /// If two sets of co-located tasks have the same class, the task has the same WCETs and the same least work with both. So
    /// tables can store the values per class. A more detailed model maps many sets to one class, and uses the worst case of the
    /// class.
    fn class(&self, kind: Option<Kind>, co_located: &CoLocated) -> u8;

    /// Returns the class of `co_located` for a task of each kind: compute, memory, and unclassified.
    fn class_of_each_kind(&self, co_located: &CoLocated) -> [u8; 3] {
        [Some(Kind::Compute), Some(Kind::Memory), None].map(|kind| self.class(kind, co_located))
    }
}

/// Returns the position of `kind` in the result of [`InflatedWcet::class_of_each_kind`].
pub(crate) fn kind_index(kind: Option<Kind>) -> u8 {
    match kind {
        Some(Kind::Compute) => 0,
        Some(Kind::Memory) => 1,
        None => 2,
    }
}
