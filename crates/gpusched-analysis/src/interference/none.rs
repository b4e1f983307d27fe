//! The model without interference, as in classical uniprocessor analysis. The WCETs of this model never exceed the
//! WCETs of another model.

use super::co_located::CoLocated;
use super::inflated::InflatedWcet;
use gpusched_model::Interference;
use gpusched_model::time::Time;
use gpusched_model::{Contention, Kind, Task};

/// Interference model with the WCET Cⁿ for every kernel, independent of the co-located tasks.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct NoInterference;

impl InflatedWcet for NoInterference {
    fn wcet(&self, task: &Task, sms: u32, _: &CoLocated) -> Option<Time> {
        task.wcet().at(sms, Contention::Isolated)
    }

    fn name(&self) -> Option<Interference> {
        Some(Interference::None)
    }

    fn least_work(&self, task: &Task, _: &CoLocated) -> u128 {
        task.wcet().least_work(Contention::Isolated)
    }

    fn classes(&self) -> u8 {
        1
    }

    #[inline]
    fn class(&self, _: Option<Kind>, _: &CoLocated) -> u8 {
        0
    }
}
