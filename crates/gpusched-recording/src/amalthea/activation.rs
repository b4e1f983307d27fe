//! Releases of tasks. Stimuli state the periods.

use gpusched_model::Refusal;
use gpusched_model::time::Time;

use super::model::{Model, Node, child, kind};
use super::quantity::{picoseconds, rounded_down, rounded_up, time_bounds};

/// A sequence of periodic or sporadic releases of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Release {
    /// Minimum time between two releases.
    pub period: Time,
    /// The task with the stimulus, and the tasks that it triggers.
    pub path: Vec<String>,
}

/// Times between the releases of a stimulus.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Timing {
    /// Minimum time between two releases without jitter.
    pub period: Time,
    /// Maximum deviation from periodic releases.
    pub jitter: Time,
    /// Maximum time between two releases, if the stimulus is not periodic.
    pub longest: Option<Time>,
}

/// Returns the times between the releases of the stimulus `node`.
pub fn timing(model: &Model<'_>, node: Node<'_>) -> Result<Timing, Refusal> {
    let field = |part: &str| format!("stimuli {:?}{part}", super::model::name(node));
    let no_period = |node, found: String| {
        model.refuse(
            node,
            field(".recurrence"),
            found,
            "a period from 1 ns to less than 2^63 ns",
        )
    };
    match kind(node) {
        "PeriodicStimulus" => {
            let recurrence = child(node, "recurrence");
            let recurrence = recurrence.ok_or_else(|| no_period(node, "no recurrence".to_owned()))?;
            let period = picoseconds(model, recurrence)?;
            let period = rounded_down(period).ok_or_else(|| no_period(recurrence, format!("{period} ps")))?;
            let Some(jitter) = child(node, "jitter") else {
                return Ok(Timing {
                    period,
                    jitter: Time::ZERO,
                    longest: None,
                });
            };
            let (earliest, latest) = time_bounds(model, jitter)?;
            let jitter_ps = latest.max(0) - earliest.min(0);
            let long = || {
                model.refuse(
                    jitter,
                    field(".jitter"),
                    format!("{jitter_ps} ps"),
                    "less than 2^63 ns",
                )
            };
            Ok(Timing {
                period,
                jitter: rounded_up(jitter_ps).ok_or_else(long)?,
                longest: None,
            })
        }
        "RelativePeriodicStimulus" => {
            let next = child(node, "nextOccurrence");
            let next = next.ok_or_else(|| no_period(node, "no next occurrence".to_owned()))?;
            let (earliest, latest) = time_bounds(model, next)?;
            let period = rounded_down(earliest).ok_or_else(|| no_period(next, format!("{earliest} ps")))?;
            let longest = rounded_up(latest).filter(|&longest| longest >= period);
            Ok(Timing {
                period,
                jitter: Time::ZERO,
                longest: Some(longest.ok_or_else(|| no_period(next, format!("{latest} ps")))?),
            })
        }
        other => {
            let found = format!("a stimulus of the type {other:?}");
            let expected = "PeriodicStimulus, RelativePeriodicStimulus or InterProcessStimulus";
            Err(model.refuse(node, field(""), found, expected))
        }
    }
}
