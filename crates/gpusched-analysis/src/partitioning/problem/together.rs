//! The variation of kernels that run together ([`Policy::runs_together`](gpusched_model::Policy::runs_together)).

use super::{Problem, Scale};
use gpusched_model::MemoryTime;
use gpusched_model::error::Error;
use gpusched_model::time::Time;

impl<'a> Problem<'a> {
    /// Returns the problem where the work of a kernel grows by at most `percent` % while other kernels of its partition
    /// run. `None` changes nothing: under `concurrent`, the default is
    /// [`Policy::VARIATION`](gpusched_model::Policy::VARIATION).
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] under all other policies, and above [`MemoryTime::MAX_VARIATION`].
    pub fn varied(self, percent: Option<u32>) -> Result<Problem<'a>, Error> {
        let Some(percent) = percent else {
            return Ok(self);
        };
        if !self.policy.runs_together() {
            let found = format!("{percent} with policy {}", self.policy);
            return Err(Error::parameter(
                "variation_percent",
                found,
                "the policy concurrent, where the value has an effect",
            ));
        }
        if percent > MemoryTime::MAX_VARIATION {
            let expected = format!("at most {}", MemoryTime::MAX_VARIATION);
            return Err(Error::parameter("variation_percent", percent, expected));
        }
        Ok(Problem {
            variation: Scale::increase(percent),
            ..self
        })
    }

    /// Returns the time by which the WCET of task `index` with its variation grows, if its stated WCET grows by `more`. `tasks` share
    /// the partition of `sms` SMs.
    pub(crate) fn growth_of(&self, index: usize, (tasks, sms): (&[usize], u32), more: Time) -> Time {
        let stated = { self.tasks.get(index) }
            .and_then(|task| self.interference.wcet(task, sms, &self.co_located(tasks)))
            .unwrap_or_default();
        let longer = Time::from_ns(stated.ns().saturating_add(more.ns()));
        Time::from_ns(
            self.variation
                .time(longer)
                .ns()
                .saturating_sub(self.variation.time(stated).ns()),
        )
    }

    /// Returns the percentage of [`Problem::varied`], or `None` under all other policies.
    pub fn variation_percent(&self) -> Option<u32> {
        { self.policy.runs_together() }.then(|| self.variation.percent_above_one())
    }
}
