//! Estimate of the work of a study, from a trial run with fewer task sets.
//!
//! A shard consists of every n-th chunk, so each shard has task sets of all points. The longest shard takes more than
//! the mean time of a shard, for two reasons: some points are slower, and single task sets are much slower. Both
//! reasons matter only if a shard has few chunks. Let C be the time of a chunk of the slowest point, and let T be the
//! total time of all chunks. With at most T ÷ 4C shards, the longest shard took less than twice the mean in all
//! measured studies with at least one second of work (`docs/how-to/cluster.md`).

use std::path::Path;

use super::journal::{self, Header};
use crate::definition::folder::Folder;
use crate::spec::{Overrides, Spec};
use crate::work::Shard;
use gpusched_model::error::{Error, Refusal, Result};

/// The mean time of a shard must be at least the time of this number of chunks of the slowest point.
const CHUNKS: u128 = 4;

/// Hint of the error about an unfinished trial.
pub const FINISH_TRIAL: &str = "run the trial again";

/// Estimate of the work of a study.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Estimate {
    /// Time of all searches on one core [ns].
    pub total_ns: u64,
    /// Largest number of shards for which gpusched expects that no shard takes more than twice the mean time.
    pub most_shards: u32,
}

impl Estimate {
    /// Estimates the work of `spec` from a finished run of the same study with another number of task sets. The run is
    /// in the folder at `path`.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] for a study of cases, for an unfinished trial, and for a trial of another study. Also fails
    /// if the files of the trial cannot be read.
    pub fn of_trial(spec: &Spec, path: impl AsRef<Path>) -> Result<Estimate> {
        let folder = Folder::new(path, spec.name());
        let (Some(study), work) = (spec.partitioning(), spec.work()) else {
            let found = format!("study `{}` of experiment cases", spec.name());
            let expected = "a study of generated task sets, because the times of cases are not recorded";
            return Err(Error::parameter("trial", found, expected));
        };
        let trial = Spec::read(folder.spec(), Overrides::default())?;
        let same = Overrides {
            sets: Some(study.sets()),
            seed: Some(spec.seed()),
        };
        if Spec::parse(trial.file(), trial.text(), same)?.experiment()? != spec.experiment()? {
            let expected = format!("a trial of {} with another number of task sets", spec.file());
            return Err(Error::file(trial.file(), "another study", expected));
        }
        let mut collection = trial.kind().collection();
        let header = Header::new(&trial, Shard::WHOLE)?;
        journal::read(&folder.journal(Shard::WHOLE), &header, &mut collection)?;
        if collection.missing().next().is_some() {
            let refusal = Refusal::new("", "an unfinished trial", "all task sets of the trial");
            let refusal = refusal.at(folder.path(), None);
            return Err(refusal.hint(FINISH_TRIAL).into());
        }
        let sets = trial.partitioning().map_or(1, |trial| trial.sets());
        // Times of all task sets of the study at each point.
        let points = (0..work.points()).map(|point| {
            let trial: u128 = collection
                .point(point)
                .iter()
                .map(|tally| u128::from(tally.ns()))
                .sum();
            trial * u128::from(study.sets()) / u128::from(sets)
        });
        let (total, slowest) = points.fold((0, 0), |(total, slowest), point| {
            (total + point, u128::max(slowest, point))
        });
        let chunks = (work.len() / work.points().max(1)) as u128;
        let most = (total * chunks).checked_div(CHUNKS * slowest);
        Ok(Estimate {
            total_ns: u64::try_from(total).unwrap_or(u64::MAX),
            most_shards: most
                .map_or(u32::MAX, |most| u32::try_from(most).unwrap_or(u32::MAX))
                .max(1),
        })
    }
}
