//! The trait that every interference model implements.

use super::co_located::CoLocated;
use gpusched_model::Interference;
use gpusched_model::time::Time;
use gpusched_model::{Kind, Task};

/// The WCET of a kernel given its company.
///
/// Contract: non-increasing in `sms`, non-decreasing as `co_located` grows.
pub trait InflatedWcet: Sync {
    /// C(m) [ns] of `task` on `sms` SMs in `co_located` (which counts `task` itself); `None` where nothing is known.
    fn wcet(&self, task: &Task, sms: u32, co_located: &CoLocated) -> Option<Time>;

    /// The name under which files know this model, so that a plan can say what it rests on.
    fn name(&self) -> Option<Interference> {
        None
    }

    /// The least occupation of the GPU, min over m of m · C(m) [SM·ns], of `task` in `co_located`.
    fn least_work(&self, task: &Task, co_located: &CoLocated) -> u128;

    /// How many classes of company there are, at least 1; see [`InflatedWcet::class`].
    fn classes(&self) -> u8;

    /// What `co_located` means to a task of `kind` in it: a number below [`InflatedWcet::classes`].
    ///
    /// Companies of one class give a task the same WCETs and the same least work, so that both can be looked up per
    /// class. A finer model sorts its companies into a few classes and answers with the worst of each.
    fn class(&self, kind: Option<Kind>, co_located: &CoLocated) -> u8;

    /// The same for all kinds at once: compute, memory, and unclassified.
    fn class_of_each_kind(&self, co_located: &CoLocated) -> [u8; 3] {
        [Some(Kind::Compute), Some(Kind::Memory), None].map(|kind| self.class(kind, co_located))
    }
}

/// The place of `kind` in [`InflatedWcet::class_of_each_kind`].
pub(crate) fn kind_index(kind: Option<Kind>) -> u8 {
    match kind {
        Some(Kind::Compute) => 0,
        Some(Kind::Memory) => 1,
        None => 2,
    }
}
