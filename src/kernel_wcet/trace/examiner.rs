//! Traces of [cuda_scheduling_examiner](https://github.com/yalue/cuda_scheduling_examiner_mirror), with which Amert et al. (RTSS
//! 2017) found out how NVIDIA's GPUs schedule.

use std::collections::BTreeSet;
use std::io::Read as _;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::columns::{Column, Draft, Fault};
use super::source::Source;
use super::{Input, Recorder};
use crate::error::Result;

/// The largest file [bytes]; it is one JSON document, which cannot be read row by row.
pub const MAX_EXAMINER_BYTES: u64 = 1 << 28;

/// Seconds.
const UNIT: u32 = 9;

/// What is read of a file; there is more in it.
#[derive(Deserialize)]
#[serde(expecting = "the output of cuda_scheduling_examiner: an object with a list \"times\"")]
struct Document<'a> {
    #[serde(borrow)]
    times: Vec<Entry<'a>>,
}

/// An execution of a kernel, if it has a name.
#[derive(Deserialize)]
struct Entry<'a> {
    kernel_name: Option<String>,
    /// Start and end of each block [s].
    #[serde(borrow)]
    block_times: Option<Vec<&'a RawValue>>,
    block_smids: Option<Vec<u64>>,
}

pub(super) fn read(
    source: Source,
    input: &Input<'_>,
    recorder: &mut Recorder,
    observer: &mut dyn FnMut(u64),
) -> Result<()> {
    let (place, bytes) = source.into_parts();
    let mut text = String::new();
    let count = bytes.take(MAX_EXAMINER_BYTES + 1).read_to_string(&mut text);
    let count = count.map_err(|cause| place.io(cause))? as u64;
    if count > MAX_EXAMINER_BYTES {
        let message = format!("found a document of more than {MAX_EXAMINER_BYTES} bytes");
        return Err(place.error(None, message));
    }
    observer(count);
    let document: Document<'_> = serde_json::from_str(&text).map_err(|error| {
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or(&message);
        place.error(
            Some(error.line() as u64),
            format!("{message} (column {})", error.column()),
        )
    })?;

    let runs: Vec<(&str, &Entry<'_>)> = document
        .times
        .iter()
        .filter_map(|entry| Some((entry.kernel_name.as_deref()?, entry)))
        .filter(|(name, _)| input.kernel.is_none_or(|kernel| kernel == *name))
        .collect();
    let names: BTreeSet<&str> = runs.iter().map(|(name, _)| *name).collect();
    if names.len() > 1 {
        let names: Vec<&str> = names.into_iter().take(10).collect();
        let message = format!(
            "found the kernels {}, expected one; name it with --kernel",
            names.join(", ")
        );
        return Err(place.error(None, message));
    }
    if runs.is_empty() {
        let of = input
            .kernel
            .map(|kernel| format!(" of kernel {kernel:?}"))
            .unwrap_or_default();
        return Err(place.error(
            None,
            format!("found no execution{of}, expected entries with kernel_name in times"),
        ));
    }

    let mut last = None;
    for (run, (_, entry)) in (0u64..).zip(&runs) {
        let times = entry.block_times.as_deref().unwrap_or_default();
        let place_of = |value: &RawValue| Some(line_of(&text, value.get()));
        last = times.first().map(|value| line_of(&text, value.get())).or(last);
        let (pairs, rest) = times.as_chunks::<2>();
        if pairs.is_empty() || !rest.is_empty() {
            let message = format!(
                "found {} times in run {run}, expected start and end of each block",
                times.len()
            );
            return Err(place.fault(last, Fault::new("block_times", message)));
        }
        if let Some(smids) = &entry.block_smids
            && smids.len() != pairs.len()
        {
            let message = format!(
                "found {} SMs in run {run}, expected one per block, {}",
                smids.len(),
                pairs.len()
            );
            return Err(place.fault(last, Fault::new("block_smids", message)));
        }
        for (block, [start, end]) in (0u64..).zip(pairs) {
            let mut draft = Draft::of(run, block);
            let row = draft
                .set(Column::Start(UNIT), start.get().as_bytes())
                .and_then(|()| draft.set(Column::End(UNIT), end.get().as_bytes()))
                .and_then(|()| draft.row(input.level))
                .map_err(|mut fault| {
                    fault.message += &format!(" (block {block} of run {run})");
                    place.fault(place_of(end), fault)
                })?;
            recorder
                .row(&row)
                .map_err(|message| place.error(place_of(end), message))?;
        }
    }
    recorder.end_file().map_err(|message| place.error(last, message))
}

/// The line of `part` of `text`, from 1.
fn line_of(text: &str, part: &str) -> u64 {
    let offset = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let before = text.as_bytes().get(..offset).unwrap_or_default();
    1 + before.iter().filter(|&&byte| byte == b'\n').count() as u64
}
