//! Systems with memory bandwidth budgets: the memory time of their segments, and plain systems without budgets.

use super::super::{Draft, SegmentDraft};
use crate::time::Time;
use crate::{Factor, Refusal, WcetFunction};

impl Draft {
    /// Checks the budgets, and that each segment states how memory accesses of best-effort cores delay it. A system without budgets
    /// passes.
    ///
    /// # Errors
    /// Fails at the first invalid or missing field.
    pub fn check_budgets(&self) -> Result<(), Refusal> {
        let Some(budgets) = &self.budgets else {
            return Ok(());
        };
        budgets.check(self)?;
        for (place, segment) in self.all_segments() {
            self.check_memory(segment)
                .map_err(|refusal| refusal.within(&place))?;
        }
        Ok(())
    }

    /// Returns the segments of all tasks and of their alternatives, each with its field.
    fn all_segments(&self) -> Vec<(String, &SegmentDraft)> {
        let mut found = Vec::new();
        for (index, task) in self.tasks.iter().enumerate() {
            let alternatives = task.alternatives.iter().enumerate();
            let alternatives = alternatives
                .map(|(number, other)| (format!("tasks[{index}].alternatives[{number}]"), &other.segments));
            for (place, segments) in
                std::iter::once((format!("tasks[{index}]"), &task.segments)).chain(alternatives)
            {
                let segments = segments.iter().enumerate();
                found.extend(
                    segments.map(|(position, segment)| (format!("{place}.segments[{position}]"), segment)),
                );
            }
        }
        found
    }

    fn check_memory(&self, segment: &SegmentDraft) -> Result<(), Refusal> {
        if let Some(profile) = &segment.profile {
            let on_gpu = self.partitions.iter().any(|partition| {
                let mut contexts = partition.contexts.iter();
                partition.name == segment.on || contexts.any(|context| context.name == segment.on)
            });
            if !on_gpu {
                let found = format!("a segment on {:?}", segment.on);
                Refusal::refuse("profile", found, "this field only for a partition")?;
            }
            let others = [
                ("wcet", segment.wcet.is_some()),
                ("block", segment.block.is_some()),
                ("e1", segment.e1.is_some()),
                ("delay_rate", segment.delay_rate.is_some()),
            ];
            if let Some((field, _)) = others.into_iter().find(|(_, given)| *given) {
                let expected = "no such field, because the profile determines it";
                Refusal::refuse(field, format!("`{field}` together with `profile`"), expected)?;
            }
            // A GPU of one SM has the fewest active blocks, so all faults of the clusters show.
            return profile
                .kernel(1, Time::from_ns(1))
                .map(|_| ())
                .map_err(|refusal| refusal.within("profile"));
        }
        if self.contended(segment).is_none() {
            let refusal = Refusal::new(
                "e1",
                "no memory time, but the system states `budgets`",
                "the WCET while best-effort cores access memory all the time",
            );
            return Err(refusal.hint(
                "state `e1`, for a kernel also `profile`, or for a copy `contended_bandwidth` of its engine",
            ));
        }
        match segment.delay_rate {
            Some(rate) if rate == Factor::ZERO || rate > Factor::ONE => {
                Refusal::refuse("delay_rate", rate, "a number above 0, and at most 1")
            }
            _ => Ok(()),
        }
    }

    /// Refuses budgets, and memory times without budgets. A plain system would ignore them.
    pub(in crate::end_to_end) fn refuse_budgets(&self) -> Result<(), Refusal> {
        if self.budgets.is_some() {
            let expected =
                "a system without budgets, because this command or analysis does not count budgets";
            return Refusal::refuse("budgets", "memory bandwidth budgets", expected);
        }
        let without = |field: String| {
            let refusal = Refusal::new(
                field,
                "a memory time",
                "no such field in a system without `budgets`",
            );
            Err(refusal.hint("state `\"budgets\": {\"regulation_period\": \"1ms\", \"q\": 0.1}`"))
        };
        let mut engines = self.copy_engines.iter();
        if let Some(index) = engines.position(|engine| engine.contended_bandwidth.is_some()) {
            return without(format!("copy_engines[{index}].contended_bandwidth"));
        }
        for (place, segment) in self.all_segments() {
            let fields = [
                ("e1", segment.e1.is_some()),
                ("delay_rate", segment.delay_rate.is_some()),
                ("profile", segment.profile.is_some()),
            ];
            if let Some((field, _)) = fields.into_iter().find(|(_, given)| *given) {
                return without(format!("{place}.{field}"));
            }
        }
        Ok(())
    }

    /// e¹: WCET of `segment` while best-effort cores access memory all the time [ns]. Returns `None` if it is not stated, and for a
    /// kernel with a profile.
    pub fn contended(&self, segment: &SegmentDraft) -> Option<Time> {
        let of_copy = || {
            let mut engines = self.copy_engines.iter();
            let engine = engines.find(|engine| engine.name == segment.on)?;
            let rate = engine.contended_bandwidth?.bytes_per_second();
            let ns =
                (rate > 0).then(|| segment.bytes.map(|bytes| bytes.nano().div_ceil(u128::from(rate))))??;
            u64::try_from(ns).ok().map(Time::from_ns)
        };
        segment.e1.or_else(of_copy)
    }

    /// Returns the system without budgets, with a WCET and a longest thread block for each segment. `times` has an entry for each
    /// segment of each task. A segment without an entry keeps its WCET.
    #[must_use]
    pub fn with_wcets(&self, times: &[Vec<SegmentTimes>]) -> Draft {
        let mut plain = self.clone();
        plain.budgets = None;
        for engine in &mut plain.copy_engines {
            engine.contended_bandwidth = None;
        }
        for (index, task) in plain.tasks.iter_mut().enumerate() {
            for (position, segment) in task.segments.iter_mut().enumerate() {
                let times = times.get(index).and_then(|task| task.get(position));
                without_memory(segment, times);
            }
            let others = task.alternatives.iter_mut().flat_map(|found| &mut found.segments);
            others.for_each(|segment| without_memory(segment, None));
        }
        plain
    }
}

/// WCET and longest thread block of a segment under its budget.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct SegmentTimes {
    /// G: WCET [ns]; > 0.
    pub wcet: Time,
    /// Longest thread block [ns]; `None` for the WCET.
    pub block: Option<Time>,
}

/// Removes the memory time of `segment`, and sets its times. A kernel with a profile and without times gets the least WCET, as a
/// placeholder.
fn without_memory(segment: &mut SegmentDraft, times: Option<&SegmentTimes>) {
    let placeholder = segment
        .profile
        .as_ref()
        .map(|_| segment.bcet.unwrap_or_default().max(Time::from_ns(1)));
    if let Some(wcet) = times.map(|times| times.wcet).or(placeholder) {
        segment.wcet = WcetFunction::constant(wcet).ok();
        segment.block = times.and_then(|times| times.block);
    }
    (segment.e1, segment.delay_rate, segment.profile) = (None, None, None);
}
