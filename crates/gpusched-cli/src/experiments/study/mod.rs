//! `gpusched study`: runs experiments and checks published claims.

pub mod check;
mod cluster;
mod diff;
mod figure;
mod list;
mod new;
mod progress;
mod reproduction;
mod run;
mod sets;
mod summary;

use crate::{Global, Outcome, Run};
use gpusched_model::error::Result;

const EXAMPLE: &str = "\
Example:
  gpusched study run analysis/smoke.toml -o results";

/// Subcommands of `gpusched study`.
#[derive(Debug, clap::Subcommand)]
#[command(after_help = EXAMPLE)]
pub enum Command {
    /// Run studies, or continue interrupted studies.
    Run(run::Args),
    /// Combine the results of the shards of a study.
    Merge(run::MergeArgs),
    /// Run the shards of a study as jobs of a cluster.
    Submit(cluster::submit::Args),
    /// Show the progress of the shards of a study.
    Status(cluster::status::Args),
    /// Write a commented study file to start from.
    New(new::Args),
    /// Compare the results of two studies.
    Diff(diff::Args),
    /// List the studies in a folder.
    List(list::Args),
    /// Write the task sets of a point of a study.
    Sets(sets::Args),
    /// Draw the figures of finished studies again.
    Draw(figure::Args),
    /// Check published claims against the results.
    Check(check::Args),
    /// Write a page that compares finished studies with published claims.
    Reproduction(reproduction::Args),
}

impl Run for Command {
    fn run(&self, global: &Global) -> Result<Outcome> {
        match self {
            Command::Run(args) => args.run(global),
            Command::Merge(args) => args.run(global),
            Command::Submit(args) => args.run(global),
            Command::Status(args) => args.run(global),
            Command::New(args) => args.run(global),
            Command::Diff(args) => args.run(global),
            Command::List(args) => args.run(global),
            Command::Sets(args) => args.run(global),
            Command::Draw(args) => args.run(global),
            Command::Check(args) => args.run(global),
            Command::Reproduction(args) => args.run(global),
        }
    }
}
