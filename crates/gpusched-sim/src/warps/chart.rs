//! Observer that draws a run of one sub-core on a timeline.

use crate::timeline::{Instant, Mark, Slice, Timeline, TimelineError, TrackId};
use crate::warps::subcore::Issue;
use gpusched_model::Observer;
use gpusched_model::time::Time;
use gpusched_model::warp_scenario::WarpScenarioShape;

/// The timeline of a run of a scenario. One nanosecond on the timeline is one cycle. The sub-core
/// has one track with all its issues. Each warp has a track with its instructions. On the
/// timeline, an instruction ends when the next instruction of its warp can issue. Each kernel has
/// a track from its launch to its end.
#[derive(Debug)]
pub struct Chart<'a> {
    shape: &'a WarpScenarioShape,
    timeline: Timeline,
    /// First error that the timeline returned.
    refused: Option<TimelineError>,
    issues: TrackId,
    warps: Vec<TrackId>,
    kernels: Vec<TrackId>,
    /// For each kernel, the number of warps that have instructions left.
    left: Vec<u32>,
}

impl<'a> Chart<'a> {
    /// Creates the tracks of an empty timeline.
    ///
    /// # Errors
    /// Never fails within the limits of [`WarpScenario`](gpusched_model::WarpScenario). Beyond
    /// these limits, fails with [`TimelineError::TooManyTracks`].
    pub fn new(shape: &'a WarpScenarioShape) -> Result<Chart<'a>, TimelineError> {
        let mut timeline = Timeline::new();
        let subcore = timeline.process("sub-core 0")?;
        let issues = timeline.track(subcore, "issue")?;
        let mut warps = Vec::new();
        for kernel in &shape.kernels {
            for _ in 0..kernel.warps.get() {
                let name = format!("warp {} ({})", warps.len(), kernel.name);
                warps.push(timeline.track(subcore, &name)?);
            }
        }
        let process = timeline.process("kernels")?;
        let mut kernels = Vec::new();
        for kernel in &shape.kernels {
            let track = timeline.track(process, &kernel.name)?;
            let launch = Instant::new("", Mark::Release, Time::from_ns(kernel.launch));
            timeline.instant(track, launch)?;
            kernels.push(track);
        }
        Ok(Chart {
            shape,
            timeline,
            refused: None,
            issues,
            warps,
            kernels,
            left: shape.kernels.iter().map(|kernel| kernel.warps.get()).collect(),
        })
    }

    /// Returns the finished timeline.
    ///
    /// # Errors
    /// Fails with the first error that the timeline returned, for example if the run has too many
    /// events.
    pub fn finish(self) -> Result<Timeline, TimelineError> {
        match self.refused {
            Some(error) => Err(error),
            None => Ok(self.timeline),
        }
    }

    fn draw(&mut self, cycle: u64, issue: Issue) -> Result<(), TimelineError> {
        let at = |cycle: u64| Time::from_ns(cycle);
        let kernel = &self.shape.kernels[issue.kernel];
        let args = [("latency", issue.latency.into())];
        let (start, next) = (at(cycle), at(cycle + 1));
        let warp = format!("warp {}", issue.warp);
        let slot = Slice {
            args: &args,
            ..Slice::new(&warp, &kernel.name, start, next)
        };
        self.timeline.slice(self.issues, slot)?;
        // The last instruction of a warp ends one cycle after its issue.
        let end = match issue.last {
            true => next,
            false => at(cycle + u64::from(issue.latency)),
        };
        let instruction = format!("instruction {}", issue.instruction);
        let slice = Slice::new(&instruction, &kernel.name, start, end);
        self.timeline.slice(self.warps[issue.warp], slice)?;
        if issue.last {
            self.left[issue.kernel] -= 1;
            if self.left[issue.kernel] == 0 {
                let whole = Slice::new(&kernel.name, &kernel.name, at(kernel.launch), next);
                self.timeline.slice(self.kernels[issue.kernel], whole)?;
            }
        }
        Ok(())
    }
}

impl Observer<Issue, u64> for Chart<'_> {
    fn see(&mut self, cycle: u64, issue: Issue) {
        if let Err(error) = self.draw(cycle, issue) {
            self.refused.get_or_insert(error);
        }
    }

    fn goes_on(&self) -> bool {
        self.refused.is_none()
    }
}
