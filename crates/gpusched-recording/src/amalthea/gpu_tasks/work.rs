//! Work on the GPU, and the tasks that result from this work.

use std::collections::BTreeMap;

use gpusched_model::time::Time;
use gpusched_model::wcet::{Form, Table, WcetSource};
use gpusched_model::{Refusal, Task, WcetFunction};

use crate::amalthea::activation::Release;
use crate::amalthea::hardware::Gpu;
use crate::amalthea::model::Model;
use crate::amalthea::software::Body;

/// A task or runnable on the GPU.
pub struct Work<'a> {
    name: &'a str,
    ticks: u128,
    /// Releases of the work.
    pub releases: Vec<Release>,
}

impl<'a> Work<'a> {
    /// Creates work with the ticks of `body`.
    pub fn new(name: &'a str, body: Option<Body>, releases: Vec<Release>) -> Work<'a> {
        // Work without a body has no ticks, and `tasks` refuses such work.
        let ticks = body.map_or(0, |body| body.ticks);
        Work {
            name,
            ticks,
            releases,
        }
    }

    /// Returns one task per release.
    ///
    /// `deadlines` contains the shortest deadline of each task.
    pub fn tasks(
        &self,
        model: &Model<'_>,
        gpu: &Gpu,
        deadlines: &BTreeMap<&str, Time>,
    ) -> Result<Vec<Task>, Refusal> {
        let field = || format!("task {:?}", self.name);
        let duration = gpu.frequency.duration(self.ticks);
        let wcet = duration.filter(|_| self.ticks > 0).ok_or_else(|| {
            let found = format!("{} ticks at {}", self.ticks, gpu.frequency);
            let expected = "an execution time from 1 ns to less than 2^63 ns";
            model.refuse_all(found, expected).of_field(field())
        })?;
        let table = Form::Table(Table::Isolated {
            isolated: vec![(gpu.sms, wcet)],
        });
        let told = |error: &dyn std::fmt::Display| Refusal::told(field(), error);
        let mut numbers: BTreeMap<&[String], usize> = BTreeMap::new();
        let mut tasks = Vec::new();
        for release in &self.releases {
            let function = WcetFunction::new(table.clone()).map_err(|error| told(&error))?;
            let number = numbers.entry(&release.path).or_default();
            *number += 1;
            let origin = release.path.first().filter(|_| self.releases.len() > 1);
            let name = match (origin, *number) {
                (None, _) => self.name.to_owned(),
                (Some(origin), 1) => format!("{} of {origin}", self.name),
                (Some(origin), number) => format!("{} of {origin} #{number}", self.name),
            };
            let mut shape = Task::new(release.period, function)
                .name(name)
                .wcet_source(WcetSource::Stated);
            shape.jitter = Some(release.jitter).filter(|jitter| jitter.ns() > 0);
            let of_path = release
                .path
                .iter()
                .filter_map(|task| deadlines.get(task.as_str()).copied());
            shape.deadline = of_path.min();
            tasks.push(shape.build().map_err(|error| told(&error))?);
        }
        Ok(tasks)
    }
}
