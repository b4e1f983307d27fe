//! Timeline of a run of the cycle-level GPU simulator.

use std::collections::BTreeMap;

use crate::gpu::Results;
use crate::scenario::{Setup, Texts};
use gpusched_model::time::Time;
use gpusched_sim::timeline::{Instant, Mark, ProcessId, Slice, Timeline, TimelineError, TrackId};

/// Returns the timeline of a run for which the issues of instructions were recorded. One nanosecond on the timeline is
/// one core cycle. Each SM has one track for the issues of each sub-core, and one track for each thread block slot.
/// Each kernel has a track from the start of its first block to its end.
///
/// # Errors
/// Fails with [`TimelineError`] if the run has too many events or tracks for a timeline.
pub fn chart(setup: &Setup, results: &Results, texts: &Texts) -> Result<Timeline, TimelineError> {
    let mut chart = Chart {
        timeline: Timeline::new(),
        sms: BTreeMap::new(),
        tracks: BTreeMap::new(),
    };
    let mut sms: Vec<usize> = results.blocks.iter().map(|block| block.sm).collect();
    sms.sort_unstable();
    sms.dedup();
    for sm in sms {
        let process = chart.timeline.process(&format!("SM {sm}"))?;
        chart.sms.insert(sm, process);
        for scheduler in 0..setup.machine().sm.schedulers {
            chart.track(sm, format!("sub-core {scheduler}"))?;
        }
    }
    let name = |kernel: usize| setup.kernels().get(kernel).map_or("", |kernel| kernel.name());
    let at = Time::from_ns;
    let mut blocks: Vec<_> = results.blocks.iter().collect();
    blocks.sort_unstable_by_key(|block| (block.sm, block.place, block.start));
    for block in blocks {
        let track = chart.track(block.sm, format!("blocks {}", block.place))?;
        let text = format!("{} {}", name(block.kernel), block.block);
        let slice = Slice::new(&text, name(block.kernel), at(block.start), at(block.end));
        chart.timeline.slice(track, slice)?;
    }
    let mut known: BTreeMap<(usize, u32), String> = BTreeMap::new();
    for issue in &results.issues {
        let track = chart.track(usize::from(issue.sm), format!("sub-core {}", issue.scheduler))?;
        let text = known.entry((issue.kernel, issue.pc));
        let text = text.or_insert_with(|| texts.text(issue.kernel, issue.pc));
        let args = [
            ("warp", u64::from(issue.slot).into()),
            ("age", issue.age.into()),
            ("pc", u64::from(issue.pc).into()),
        ];
        let slice = Slice {
            args: &args,
            ..Slice::new(text, name(issue.kernel), at(issue.cycle), at(issue.cycle + 1))
        };
        chart.timeline.slice(track, slice)?;
    }
    let process = chart.timeline.process("kernels")?;
    for (kernel, found) in setup.kernels().iter().zip(&results.kernels) {
        let track = chart.timeline.track(process, kernel.name())?;
        let launch = Instant::new("", Mark::Release, at(kernel.launched()));
        chart.timeline.instant(track, launch)?;
        let first = found.first_block.unwrap_or(found.finish);
        let whole = Slice::new(kernel.name(), kernel.name(), at(first), at(found.finish));
        chart.timeline.slice(track, whole)?;
    }
    Ok(chart.timeline)
}

/// A timeline that is being filled with events.
struct Chart {
    timeline: Timeline,
    sms: BTreeMap<usize, ProcessId>,
    tracks: BTreeMap<(usize, String), TrackId>,
}

impl Chart {
    /// Returns the track called `name` of an SM. If the track does not exist, creates it.
    fn track(&mut self, sm: usize, name: String) -> Result<TrackId, TimelineError> {
        if let Some(&track) = self.tracks.get(&(sm, name.clone())) {
            return Ok(track);
        }
        let process = match self.sms.get(&sm) {
            Some(&process) => process,
            None => {
                let process = self.timeline.process(&format!("SM {sm}"))?;
                *self.sms.entry(sm).or_insert(process)
            }
        };
        let track = self.timeline.track(process, &name)?;
        self.tracks.insert((sm, name), track);
        Ok(track)
    }
}
