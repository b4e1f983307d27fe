//! Number of SMs on which the kernels of a run ran.

use gpusched_model::error::{Error, Refusal, Result};

use super::Run;
use crate::activity::{Job, devices};
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
