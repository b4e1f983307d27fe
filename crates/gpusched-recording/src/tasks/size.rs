//! Number of SMs on which the kernels of a run ran.

use std::collections::BTreeSet;
use std::path::Path;

use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::provenance::SizeSign;

use super::Run;
use crate::activity::{Job, devices, process};
use crate::model::{Recording, StreamKey};

/// Source of the number of SMs of a run.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Size {
    /// The recording shows the number, or shows that it is at most the stated number.
    Shown,
    /// The number is the number of SMs of the whole GPU, because neither the user nor the file states another number.
    WholeGpu,
    /// Only the user states the number.
    Stated,
}

/// Returns the number of SMs of the kernels of `jobs`, and its source.
pub(super) fn sms(run: &Run<'_>, jobs: &[Job]) -> Result<(u32, Size)> {
    let unknown = |found: &str| {
        let refusal = Refusal::new("", found, "a recording with a known number of SMs").at(run.file, None);
        Error::from(refusal.hint("state the number of SMs of the run: FILE@SMS"))
    };
    let mut found: Vec<Option<u32>> = jobs
        .iter()
        .flat_map(|job| job.contexts(run.recording))
        .map(|key| confined(run.recording, key))
        .collect();
    found.sort_unstable();
    found.dedup();
    let devices = devices(run.recording, jobs);
    let gpus = run.recording.gpus_of(&devices);
    if let Some(sms) = run.sms {
        let other = found.iter().flatten().find(|&&known| known != sms);
        let largest = gpus.iter().filter_map(|gpu| gpu.sms).max();
        let found = match (other, largest) {
            (Some(other), _) => format!("{sms} SMs, but kernels in green contexts with {other} SMs"),
            (None, Some(largest)) if sms > largest => {
                format!("{sms} SMs, but GPUs with at most {largest} SMs")
            }
            // On the whole GPU, the stated number is the largest possible number.
            _ if largest == Some(sms) || !(found.is_empty() || found.contains(&None)) => {
                return Ok((sms, Size::Shown));
            }
            _ => return Ok((sms, Size::Stated)),
        };
        let refusal = Refusal::new("", found, "the number of SMs of the run").at(run.file, None);
        return Err(refusal.hint("correct or omit the size after `@`").into());
    }
    match found.as_slice() {
        [Some(sms)] => Ok((*sms, Size::Shown)),
        [None] => match run.recording.sms_of(&devices) {
            Some(sms) => Ok((sms, Size::WholeGpu)),
            None if gpus.iter().all(|gpu| gpu.sms.is_none()) => Err(unknown("no number of SMs")),
            None => Err(unknown("several GPUs with different numbers of SMs")),
        },
        _ => Err(unknown("kernels in contexts with different numbers of SMs")),
    }
}

/// Returns the number of SMs of the green context `key`, if the recording states it.
fn confined(recording: &Recording, key: StreamKey) -> Option<u32> {
    let context = recording.context_of(key)?;
    context.sms
}

/// A sign against the stated number of SMs of a recording.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Contradiction {
    /// The sign.
    pub sign: SizeSign,
    /// The number that the sign is about: the number of SMs in the name of the file, the number of processes, or the number of SMs of the GPU.
    pub number: u64,
}

impl Contradiction {
    /// Returns the signs in `run` that `jobs` ran on more than the stated number `sms` of SMs.
    pub(super) fn all(run: &Run<'_>, jobs: &[Job], sms: u32) -> Vec<Contradiction> {
        let gpus = run.recording.gpus_of(&devices(run.recording, jobs));
        let whole = gpus.iter().filter_map(|gpu| gpu.sms).max();
        let whole = whole.filter(|&whole| whole > sms && !run.client);
        let processes = processes(run).len();
        let in_green = || {
            let contexts = jobs.iter().flat_map(|job| job.contexts(run.recording));
            contexts.into_iter().any(|key| key.green.is_some())
        };
        let (name, several, no_green) = (
            named_size(run.file).filter(|&named| named > sms).map(u64::from),
            whole.map(|_| processes as u64).filter(|&some| some > 1),
            whole
                .filter(|_| run.recording.has_green_column && !in_green())
                .map(u64::from),
        );
        [
            (SizeSign::FileName, name),
            (SizeSign::Processes, several),
            (SizeSign::NoGreenContext, no_green),
        ]
        .into_iter()
        .filter_map(|(sign, number)| number.map(|number| Contradiction { sign, number }))
        .collect()
    }
}

/// Returns the processes of the first launches of the activities of `run`, as far as the file states them.
fn processes(run: &Run<'_>) -> BTreeSet<i64> {
    let of = run.activities.iter().filter_map(|activity| {
        let job = activity.jobs.iter().find(|job| !job.launches.is_empty())?;
        process(run.recording, *job.launches.first()?)
    });
    of.collect()
}

/// Returns the number of SMs that the name of a file states, such as 12 for `detector_12sm.sqlite`.
pub fn named_size(file: &str) -> Option<u32> {
    let name = Path::new(file).file_name()?.to_string_lossy().to_lowercase();
    // A number, at most one separator, `sm` or `sms`, and the end of the word.
    name.match_indices("sm").find_map(|(at, unit)| {
        let rest = name.get(at + unit.len()..)?;
        let ends = !rest
            .strip_prefix('s')
            .unwrap_or(rest)
            .starts_with(char::is_alphanumeric);
        let before = name.get(..at)?;
        let before = before.strip_suffix(['-', '_', ' ']).unwrap_or(before);
        let digits = before.rsplit(|letter: char| !letter.is_ascii_digit()).next()?;
        digits.parse::<u32>().ok().filter(|_| ends)
    })
}
