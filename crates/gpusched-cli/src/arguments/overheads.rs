//! The option that states the overheads of dispatchers.

use std::path::Path;

use gpusched_model::error::Error;
use gpusched_model::provenance::SameGpu;
use gpusched_model::reader::OverheadsFiles;
use gpusched_model::{Device, Overheads, OverheadsOrigin, OverheadsSource, TaskSet};

use crate::arguments::refused;
use crate::report::clip;

/// Bounds on overheads, and the GPU of their measurement.
#[derive(Clone, Debug)]
pub struct StatedOverheads {
    /// The bounds.
    pub bounds: Overheads,
    /// Where the bounds come from.
    pub origin: OverheadsOrigin,
    /// Whether the bound misses the step of the timer of the GPU.
    no_timer: bool,
}

impl StatedOverheads {
    /// Whether the overheads were drawn in virtual time.
    fn is_virtual(&self) -> bool {
        self.origin.source == OverheadsSource::VirtualTime
    }

    /// Returns a note if the overheads were drawn in virtual time, if they lack the step of the timer, or if they probably lack a unit.
    /// Also returns a note if they are not from the GPU `device`. Without `device`, this is the GPU of the WCETs of `set`.
    pub fn doubt(&self, set: &TaskSet, device: Option<&Device>) -> Option<String> {
        if self.is_virtual() {
            return Some(
                "the overheads were drawn in virtual time, so they say nothing about a GPU".to_owned(),
            );
        }
        let timer = "the overheads were measured without the step of the timer (`timer_ns`), so the bound per job may be too low by one step";
        let doubts = [
            self.short(),
            self.other_gpu(set, device),
            self.no_timer.then(|| timer.to_owned()),
        ];
        let doubts: Vec<String> = doubts.into_iter().flatten().collect();
        (!doubts.is_empty()).then(|| doubts.join("; "))
    }

    /// Returns a doubt about a bound below 1 us, whose unit the user probably forgot.
    fn short(&self) -> Option<String> {
        let bounds = [
            ("occupancy_ns", self.bounds.occupancy_ns),
            ("wake_ns", self.bounds.wake_ns),
        ];
        let mut bounds = bounds.into_iter().map(|(field, bound)| (field, bound.ns()));
        let (field, ns) = bounds.find(|(_, ns)| (1..1_000).contains(ns))?;
        Some(format!(
            "`{field}` of {ns} ns is below 1 us: a number without a unit is in nanoseconds (write \"{ns}us\" for microseconds)"
        ))
    }

    fn other_gpu(&self, set: &TaskSet, device: Option<&Device>) -> Option<String> {
        let measured = self.origin.device.as_deref()?;
        let other = match device {
            Some(device) => {
                let other = SameGpu::of(Some(measured), None, device) == SameGpu::No;
                other.then(|| format!("the GPU is `{}`", device.name()))?
            }
            None => { set.tasks().iter() }
                .filter_map(|task| set.measured_on(task)?.fields().gpu.as_deref())
                .find(|gpu| SameGpu::named(measured, gpu) == SameGpu::No)
                .map(|gpu| format!("the WCETs are from `{}`", clip(gpu, 40)))?,
        };
        let measured = clip(measured, 40);
        Some(format!(
            "the overheads were measured on `{measured}`, but {other}; they can be longer there"
        ))
    }
}

/// Returns the bounds in the file `path`.
///
/// # Errors
/// Fails with a message that states the error in the file.
pub fn overheads(path: &str) -> Result<StatedOverheads, String> {
    let measured = OverheadsFiles::only(Path::new(path), "overheads file").map_err(|error| match error {
        Error::Io { cause, .. } => refused(path, format_args!("a readable file with overheads ({cause})")),
        error => error.to_string(),
    })?;
    let fields = measured.fields();
    Ok(StatedOverheads {
        bounds: measured.bounds(),
        origin: measured.origin(),
        no_timer: fields.longest.is_some() && fields.timer_ns.is_none(),
    })
}
