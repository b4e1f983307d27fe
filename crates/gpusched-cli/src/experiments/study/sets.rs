//! `gpusched study sets`: writes the task sets of a point of a study.

use std::path::PathBuf;

use crate::arguments::whole;
use crate::report::task_sets;
use crate::{Global, Outcome, Run};
use gpusched_model::error::{Error, Result};
use gpusched_study::{Overrides, Spec};

/// Arguments of `gpusched study sets`. The command writes one task set per line.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Study file (TOML)
    #[arg(value_name = "SPEC")]
    spec: PathBuf,
    /// Index of the point, from 0; the column `point` of the results
    #[arg(long, value_name = "P", value_parser = whole(0..=usize::MAX))]
    point: usize,
    /// Index of the task set within the point, from 0 [default: all task sets of the point]
    #[arg(long, value_name = "I", value_parser = whole(0..=u64::MAX))]
    index: Option<u64>,
    /// Analysis variant whose WCET functions the task sets have [default: the first of the study]
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
}

const EXAMPLE: &str = "\
Example:
  gpusched study sets analysis/smoke.toml --point 3 -o sets.jsonl";

/// Number of task sets in a batch. A program of the user that generates task sets starts once per batch.
const BATCH: u64 = 64;

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        global.check_task_sets()?;
        let overrides = Overrides {
            sets: None,
            seed: global.seed,
        };
        let spec = Spec::read(&self.spec, overrides)?;
        let file = spec.file().to_owned();
        let Some(study) = spec.partitioning() else {
            return Err(Error::file(file, "a study of cases", "a study of partitioning"));
        };
        let variant = self
            .variant
            .as_deref()
            .map_or(Ok(0), |name| study.variant_called(name))?;
        let indices = match self.index {
            Some(index) => index..index.saturating_add(1),
            None => 0..study.sets(),
        };
        let (mut next, end) = (indices.start, indices.end);
        let batches = std::iter::from_fn(|| {
            let batch = next..next.saturating_add(BATCH).min(end);
            next = batch.end;
            (!batch.is_empty()).then(|| study.set_list(self.point, variant, batch))
        });
        let sets = batches.flat_map(|batch| match batch {
            Ok(sets) => sets.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        });
        task_sets(global, sets)?;
        Ok(Outcome::Positive)
    }
}
