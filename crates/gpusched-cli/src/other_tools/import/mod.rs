//! `gpusched import`: converts and summarizes the files of other tools.

mod amalthea;
mod examiner;
mod holoscan;
mod task_sets;

use crate::part::{Family, Run};
use crate::{Global, Outcome};
use gpusched_model::error::Result;

/// Subcommands of `gpusched import`.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Convert a task model of APP4MC to an end-to-end system.
    Amalthea(amalthea::Args),
    /// Convert a CSV table of tasks to task sets.
    Csv(task_sets::Csv),
    /// Convert logs of cuda_scheduling_examiner to a scenario, or compare with a simulation.
    Examiner(examiner::Args),
    /// Convert a graph of operators of Holoscan to an end-to-end system.
    Holoscan(holoscan::Args),
    /// Convert a task set of SchedCAT.
    Schedcat(task_sets::Schedcat),
    /// Convert a configuration of SimSo to a task set.
    Simso(task_sets::Simso),
}

impl Family for Command {
    const NAME: &'static str = "import";
}

impl Run for Command {
    fn run(&self, global: &Global) -> Result<Outcome> {
        match self {
            Command::Amalthea(args) => args.run(global),
            Command::Csv(args) => args.run(global),
            Command::Examiner(args) => args.run(global),
            Command::Holoscan(args) => args.run(global),
            Command::Schedcat(args) => args.run(global),
            Command::Simso(args) => args.run(global),
        }
    }
}
