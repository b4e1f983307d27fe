//! The conflict model of [Singh21] §3.4.2: a task has a conflict if its partition has another
//! task of the same kind.

use super::co_located::CoLocated;
use super::inflated::InflatedWcet;
use gpusched_model::Interference;
use gpusched_model::time::Time;
use gpusched_model::{Contention, Kind, Task};

/// Interference model of [Singh21]. The WCET of a kernel is Cᶜ if its partition has another kernel of the same kind.
/// Without such a kernel, the WCET is Cⁿ.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Conflict;

fn contention(task: &Task, co_located: &CoLocated) -> Contention {
    if co_located.has_rival_of(task.kind()) {
        Contention::Conflict
    } else {
        Contention::Isolated
    }
}

impl InflatedWcet for Conflict {
    fn wcet(&self, task: &Task, sms: u32, co_located: &CoLocated) -> Option<Time> {
        task.wcet().at(sms, contention(task, co_located))
    }

    fn name(&self) -> Option<Interference> {
        Some(Interference::Conflict)
    }

    fn least_work(&self, task: &Task, co_located: &CoLocated) -> u128 {
        task.wcet().least_work(contention(task, co_located))
    }

    fn classes(&self) -> u8 {
        2
    }

    #[inline]
    fn class(&self, kind: Option<Kind>, co_located: &CoLocated) -> u8 {
        co_located.has_rival_of(kind).into()
    }
}
