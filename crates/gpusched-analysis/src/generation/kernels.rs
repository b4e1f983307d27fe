//! Generated tasks with the WCET functions of real kernels.

use std::sync::Arc;

use rand::Rng;

use gpusched_model::error::Refusal;
use gpusched_model::streams::below;
use gpusched_model::time::Time;
use gpusched_model::wcet::{Contention, Form, Table, WcetError};
use gpusched_model::{Kind, Task, TaskSet, WcetFunction};

/// Kernels with measured WCET tables. Each generated task copies one random kernel: its kind, and its table multiplied
/// by a factor.
///
/// Let m be the smallest number of SMs in the table, and C(m) the isolated WCET on m SMs. The factor is a/(m·C(m)), where
/// a is the work of the generated task. So the generated task has the isolated WCET a/m on m SMs. The factor changes
/// neither the speed-up nor the ratio of the WCET in conflict to the isolated WCET.
#[derive(Clone, Debug)]
pub struct Kernels(Arc<[Kernel]>);

#[derive(Clone, Debug)]
struct Kernel {
    kind: Option<Kind>,
    table: Table,
    /// m·C(m) for the smallest number m of SMs [SM·ns]; > 0.
    work: u128,
}

impl Kernels {
    /// Takes the kernels from the tasks of `set`.
    ///
    /// # Errors
    /// Returns the [`Refusal`] of the first task whose WCET function is not a table.
    pub fn new(set: &TaskSet) -> Result<Kernels, Refusal> {
        let kernels = set.tasks().iter().enumerate();
        let kernels = kernels.map(|(index, task)| {
            Kernel::new(task).ok_or_else(|| {
                let field = format!("tasks[{index}].wcet");
                Refusal::new(field, "a function of m", "a `table` of measured times")
            })
        });
        Ok(Kernels(kernels.collect::<Result<_, _>>()?))
    }

    /// Draws a kernel, and returns its kind and its WCET function for the work `work`. The function reads one word of `rng`.
    pub(super) fn draw(
        &self,
        rng: &mut impl Rng,
        work: Time,
    ) -> Result<(Option<Kind>, WcetFunction), WcetError> {
        let kernel = &self.0[below(rng, self.0.len())]; // a task set has at least one task
        Ok((kernel.kind, WcetFunction::new(Form::Table(kernel.scaled(work)))?))
    }
}

impl Kernel {
    fn new(task: &Task) -> Option<Kernel> {
        let Form::Table(table) = task.wcet().form() else {
            return None;
        };
        let smallest = task.wcet().smallest_sms(Contention::Isolated);
        let time = task.wcet().at(smallest, Contention::Isolated)?;
        Some(Kernel {
            kind: task.kind(),
            table: table.clone(),
            work: u128::from(smallest) * u128::from(time.ns()),
        })
    }

    /// Returns the table multiplied by `work`/(m·C(m)), rounded up.
    fn scaled(&self, work: Time) -> Table {
        let scaled = |points: &[(u32, Time)]| {
            let point = |&(sms, time): &(u32, Time)| {
                let ns = (u128::from(time.ns()) * u128::from(work.ns())).div_ceil(self.work);
                // The check of the WCET function rejects times above the limit.
                (sms, Time::from_ns(u64::try_from(ns).unwrap_or(u64::MAX)))
            };
            points.iter().map(point).collect()
        };
        match &self.table {
            Table::Both(points) => Table::Both(scaled(points)),
            Table::Each { isolated, conflict } => Table::Each {
                isolated: scaled(isolated),
                conflict: scaled(conflict),
            },
            Table::Isolated { isolated } => Table::Isolated {
                isolated: scaled(isolated),
            },
        }
    }
}
