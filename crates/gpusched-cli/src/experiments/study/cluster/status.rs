//! `gpusched study status`: shows the progress of the shards of a study.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::record::Record;
use super::scripts::{SHARDS, ranges};
use super::slurm::{self, State};
use super::submit::{Active, is_merged};
use crate::report::{Output, Palette, Report, Table, json_document};
use crate::{Global, Outcome, Run};
use gpusched_model::error::{Error, Result};
use gpusched_study::{Folder, Overrides, Progress, Shards, Spec};

/// Arguments of `gpusched study status`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Folder of `study submit`, or output folder of the shards of one study
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

const EXAMPLE: &str = "\
A shard is `finished`, `running`, `waiting` (in the queue of Slurm), or `lost`: it has ended early, and is not in the queue. Without
a queue, shards that do not run and are not finished are `unfinished`.

Exit code 1: at least one shard is not finished.

Example:
  gpusched study run analysis/smoke.toml --shard 1/2 -o parts && gpusched study run analysis/smoke.toml --shard 2/2 -o parts && \\
      gpusched study status parts";

/// State of a shard for display.
#[derive(
    Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, strum::Display, strum::VariantArray,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
enum Shown {
    Finished,
    Running,
    Waiting,
    Lost,
    Unfinished,
}

/// State of the merge of a submission.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
enum Merge {
    Finished,
    Running,
    Waiting,
    Missing,
}

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let status = match Record::read(&self.folder)? {
            Some(record) => of_submission(&record, &self.folder, global)?,
            None => of_folder(&self.folder)?,
        };
        let is_finished = status.states.iter().all(|state| *state == Shown::Finished);
        Output::open(global)?.last(&status)?;
        Ok(is_finished.into())
    }
}

fn of_folder(folder: &Path) -> Result<Status> {
    let shards = Shards::find(folder)?;
    let states = shards.progress.iter().map(|progress| match progress {
        Progress::Finished => Shown::Finished,
        Progress::Running => Shown::Running,
        Progress::Started | Progress::Missing => Shown::Unfinished,
    });
    Ok(Status {
        states: states.collect(),
        study: shards.study,
        merge: None,
    })
}

fn of_submission(record: &Record, folder: &Path, global: &Global) -> Result<Status> {
    let file = Folder::new(folder, &record.study).spec();
    let spec = Spec::read(file, Overrides::default())?;
    record.check(folder, &spec)?;
    let shards = Shards::of(&spec, folder.join(SHARDS), record.shards)?;
    let queue = slurm::queue().map_err(|error| {
        let cause = match &error {
            Error::Refused(refusal) => refusal.message(),
            other => other.to_string(),
        };
        global.note(format_args!("the queue is unknown: {cause}"));
    });
    let queue = queue.ok().map(|queue| Active::new(record, &queue));
    let mut queued = vec![None; shards.progress.len() + 1];
    for (shard, state) in queue.iter().flat_map(|queue| &queue.shards) {
        if let Some(queued) = queued.get_mut(*shard as usize) {
            *queued = Some(*state);
        }
    }
    let states = shards.progress.iter().zip(&queued[1..]);
    let states = states.map(|(progress, queued)| match (progress, queued, &queue) {
        (Progress::Finished, ..) => Shown::Finished,
        (Progress::Running, ..) | (_, Some(State::Running), _) => Shown::Running,
        (_, Some(State::Waiting), _) => Shown::Waiting,
        (_, None, Some(_)) => Shown::Lost,
        (_, None, None) => Shown::Unfinished,
    });
    let states = states.collect();
    let merge = match &queue {
        _ if is_merged(&spec, folder)? => Merge::Finished,
        Some(queue) if !queue.merge_runs.is_empty() => Merge::Running,
        Some(queue) if queue.merge_waits => Merge::Waiting,
        _ => Merge::Missing,
    };
    Ok(Status {
        study: shards.study,
        states,
        merge: Some(merge),
    })
}

/// Progress of the shards of a study.
struct Status {
    study: String,
    /// State of each shard, from shard 1.
    states: Vec<Shown>,
    /// State of the merge. Present only for a submission.
    merge: Option<Merge>,
}

impl Status {
    /// Returns the numbers of all shards with `state`.
    fn shards(&self, state: Shown) -> Vec<u32> {
        let all = (1..).zip(&self.states);
        all.filter(|(_, of)| **of == state)
            .map(|(shard, _)| shard)
            .collect()
    }
}

impl Serialize for Status {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shape<'a> {
            study: &'a str,
            shards: usize,
            finished: usize,
            running: Vec<u32>,
            waiting: Vec<u32>,
            lost: Vec<u32>,
            unfinished: Vec<u32>,
            #[serde(skip_serializing_if = "Option::is_none")]
            merge: Option<Merge>,
        }
        Shape {
            study: &self.study,
            shards: self.states.len(),
            finished: self.shards(Shown::Finished).len(),
            running: self.shards(Shown::Running),
            waiting: self.shards(Shown::Waiting),
            lost: self.shards(Shown::Lost),
            unfinished: self.shards(Shown::Unfinished),
            merge: self.merge,
        }
        .serialize(serializer)
    }
}

impl Report for Status {
    fn json(&self) -> Result<String> {
        json_document(self)
    }

    fn table(&self) -> Table {
        let table = Table::of((1u32..).zip(&self.states))
            .exact("study", |_| &self.study)
            .exact("shard", |(shard, _)| *shard)
            .exact("state", |(_, state)| state.to_string());
        table.done()
    }

    fn text(&self, _palette: &Palette) -> Result<String> {
        let finished = self.shards(Shown::Finished).len();
        let mut text = format!(
            "{}: {finished} of {} shards finished\n",
            self.study,
            self.states.len()
        );
        // Writing to a string never fails.
        for state in [Shown::Running, Shown::Waiting, Shown::Lost, Shown::Unfinished] {
            let shards = self.shards(state);
            if !shards.is_empty() {
                let _ = writeln!(text, "  {state}: {} (shards {})", shards.len(), ranges(&shards));
            }
        }
        if let Some(merge) = self.merge {
            let _ = writeln!(text, "merge: {merge}");
        }
        Ok(text)
    }
}
