//! Turns of a job on a time-sliced GPU: (9) of the page.

use std::ops::RangeInclusive;

use super::super::contexts::Gpu;
use super::super::streams::State;

/// Turns of a job on a time-sliced GPU.
pub(super) struct ClientTurns {
    /// For each segment on the GPU: its position, its context, the slice of the context, and the WCET.
    segments: Vec<(usize, usize, u64, u64)>,
    /// Longest overrun.
    pub overrun: u64,
    /// Largest number of turns of each context between two own turns.
    pub gaps: Vec<u64>,
    /// Positions of the own contexts.
    pub contexts: Vec<usize>,
}

impl ClientTurns {
    pub fn new(state: &State, gpu: &Gpu, task: usize, segments: &[usize]) -> ClientTurns {
        let segments = segments.iter().filter_map(|&segment| {
            let part = state.part(task, segment);
            let context = gpu.resources().position(|found| found == part.on)?;
            Some((segment, context, gpu.contexts[context].slice, part.cost))
        });
        let segments: Vec<_> = segments.collect();
        let mut contexts: Vec<usize> = segments.iter().map(|&(_, context, ..)| context).collect();
        contexts.sort_unstable();
        contexts.dedup();
        let mut gaps = vec![0u64; gpu.contexts.len()];
        for turns in contexts.iter().flat_map(|&context| gpu.turns(context, 1)) {
            for (most, count) in gaps.iter_mut().zip(turns) {
                *most = count.max(*most);
            }
        }
        for &context in &contexts {
            gaps[context] = 0;
        }
        let overruns = contexts.iter().map(|&context| gpu.contexts[context].overrun);
        ClientTurns {
            overrun: overruns.max().unwrap_or(0), // no segment: no turn
            segments,
            gaps,
            contexts,
        }
    }

    /// Number of own turns for a whole job.
    pub fn of_job(&self) -> u64 {
        self.count(&(0..=usize::MAX))
    }

    /// Number of own turns for the segments `span`.
    pub fn count(&self, span: &RangeInclusive<usize>) -> u64 {
        let within = self
            .segments
            .iter()
            .filter(|(segment, ..)| span.contains(segment));
        let turns = within.map(|&(_, _, slice, cost)| cost.div_ceil(slice));
        turns.fold(0, u64::saturating_add)
    }

    /// Execution of the segments of `span` on a context that always counts in the window. The last segment has not ended, so
    /// it counts 1 ns less. It counts in full with `prompt`.
    pub fn counted(&self, span: &RangeInclusive<usize>, on: usize, prompt: bool) -> u64 {
        let within = self.segments.iter();
        let within = within.filter(|&(segment, context, ..)| *context == on && span.contains(segment));
        let (mut counted, mut ends) = (0u64, false);
        for &(segment, .., cost) in within {
            counted = counted.saturating_add(cost);
            ends |= segment == *span.end() && !prompt;
        }
        counted.saturating_sub(u64::from(ends))
    }
}
