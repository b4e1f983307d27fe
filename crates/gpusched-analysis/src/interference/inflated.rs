//! The trait that every interference model implements.

use super::co_located::CoLocated;
use gpusched_model::Interference;
use gpusched_model::time::Time;
use gpusched_model::{Kind, Task};

/// Interference model: the rule that maps an isolated WCET to an inflated WCET for given
/// co-located tasks.
///
/// An inflated WCET must not increase with `sms`. An inflated WCET must not decrease if tasks are added to
/// `co_located`.
pub trait InflatedWcet: Sync {
    /// Returns C(m) [ns], the inflated WCET of `task` on m = `sms` SMs. `co_located` counts all
    /// tasks of the partition, including `task`. Returns `None` if the task has no known WCET.
    fn wcet(&self, task: &Task, sms: u32, co_located: &CoLocated) -> Option<Time>;

    /// Returns the name under which a plan file states this model, if the model has a name.
    fn name(&self) -> Option<Interference> {
        None
    }

    /// Returns the least work of `task` if the tasks `co_located` share its partition. The least work is the minimum of
    /// m · C(m) over all numbers m of SMs [SM·ns].
    fn least_work(&self, task: &Task, co_located: &CoLocated) -> u128;

    /// Returns the number of classes into which [`InflatedWcet::class`] divides the sets of
    /// co-located tasks; at least 1.
    fn classes(&self) -> u8;

    /// Returns the class of `co_located` for a task of kind `kind`: a number below
    /// [`InflatedWcet::classes`]. `co_located` includes the task.
    ///
    /// For all `co_located` of one class, a task has the same WCETs and the same least work. So tables can store these
    /// values per class. A more detailed model may put different sets of tasks into one class. Such a model uses the
    /// worst case of the class.
    fn class(&self, kind: Option<Kind>, co_located: &CoLocated) -> u8;

    /// Returns the classes of `co_located` for three tasks: a compute task, a memory task, and an
    /// unclassified task.
    fn class_of_each_kind(&self, co_located: &CoLocated) -> [u8; 3] {
        // The map of an array is slower, and each merge that a search tests calls this function.
        let class = |kind| self.class(kind, co_located);
        [class(Some(Kind::Compute)), class(Some(Kind::Memory)), class(None)]
    }
}

/// Returns the index of `kind` in the array that [`InflatedWcet::class_of_each_kind`] returns.
pub(crate) fn kind_index(kind: Option<Kind>) -> u8 {
    match kind {
        Some(Kind::Compute) => 0,
        Some(Kind::Memory) => 1,
        None => 2,
    }
}
