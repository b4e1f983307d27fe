//! Block traces from [cuda_scheduling_examiner](https://github.com/yalue/cuda_scheduling_examiner_mirror). Amert et al.
//! (RTSS 2017) used this tool to discover the scheduling rules of NVIDIA GPUs.

use std::collections::BTreeSet;

use super::Input;
use super::columns::{Column, Fault, Record};
use super::receiver::Receiver;
use super::source::Source;
use crate::examiner::{Document, Entry, MAX_BYTES, SECONDS, line_of, read_text};
use gpusched_model::error::Result;

pub(super) fn read(
    source: Source,
    input: &Input<'_>,
    receiver: &mut dyn Receiver,
    observer: &mut dyn FnMut(u64),
) -> Result<()> {
    let (place, bytes) = source.into_parts();
    let text = read_text(bytes).map_err(|cause| place.io(cause))?;
    let text =
        text.ok_or_else(|| place.error(None, format!("found a document of more than {MAX_BYTES} bytes")))?;
    observer(text.len() as u64);
    let fault = |fault: crate::examiner::Fault, last| {
        place.fault(fault.line.or(last), Fault::new(fault.field, fault.message))
    };
    let document = Document::parse(&text).map_err(|found| fault(found, None))?;

    let runs: Vec<(&str, &Entry<'_>)> = document
        .times
        .iter()
        .filter_map(|entry| Some((entry.kernel_name.as_deref()?, entry)))
        .filter(|(name, _)| input.kernel.is_none_or(|kernel| kernel == *name))
        .collect();
    let names: BTreeSet<&str> = runs.iter().map(|(name, _)| *name).collect();
    if names.len() > 1 && !receiver.mixes_kernels() {
        let names: Vec<&str> = names.into_iter().take(10).collect();
        let message = format!(
            "found the kernels {}, expected one kernel, or the name of one of these kernels",
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
        let pairs = entry.pairs(&text, run).map_err(|found| fault(found, last))?;
        last = entry.line(&text).or(last);
        for (block, [start, end]) in (0u64..).zip(pairs) {
            let mut record = Record::of(run, block);
            let sm = usize::try_from(block)
                .ok()
                .and_then(|block| entry.block_smids.as_ref()?.get(block));
            record
                .set(Column::Start(SECONDS), start.get().as_bytes())
                .and_then(|()| record.set(Column::End(SECONDS), end.get().as_bytes()))
                .and_then(|()| sm.map(|&number| super::columns::sm(number)).transpose())
                .and_then(|sm| receiver.take(&Record { sm, ..record }, input))
                .map_err(|mut fault| {
                    fault.message += &format!(" (block {block} of run {run})");
                    place.fault(Some(line_of(&text, end.get())), fault)
                })?;
        }
    }
    receiver.end_file().map_err(|message| place.error(last, message))
}
