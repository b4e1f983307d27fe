//! Releases of tasks. Stimuli state the periods. A task can also get its period through other tasks that trigger it.

use std::collections::BTreeMap;

use gpusched_model::Refusal;
use gpusched_model::time::Time;

use super::hardware::missing;
use super::model::{Model, Node, child, kind};
use super::quantity::{picoseconds, rounded_down, rounded_up, time_bounds};
use super::reference::references;
use super::software::{Body, Software};

/// Maximum number of releases of one task per period.
const MAX_RELEASES: usize = 1000;

/// Maximum number of steps of all searches. Without a limit, a model could lead to exponentially many steps.
const MAX_STEPS: usize = 1_000_000;

/// A sequence of periodic or sporadic releases of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Release {
    /// Minimum time between two releases.
    pub period: Time,
    /// Maximum deviation from periodic releases.
    pub jitter: Time,
    /// The tasks that lead to the release, from the task with the periodic stimulus to the released task.
    pub path: Vec<String>,
}

/// Stimuli and triggers of a model.
pub struct Activations<'w, 'a> {
    model: &'w Model<'a>,
    software: &'w Software<'a>,
    stimuli: BTreeMap<&'a str, Node<'a>>,
    /// For each stimulus, by name: the tasks that trigger it, each with the number of triggers per execution.
    triggers: BTreeMap<String, Vec<(&'a str, u64)>>,
    /// Releases by name of the task; `None` while the search for the releases of the task has not ended.
    known: BTreeMap<String, Option<Vec<Release>>>,
    steps: usize,
}

impl<'w, 'a> Activations<'w, 'a> {
    /// Reads the stimuli of `model`. `bodies` contains the body of each process in `software`.
    pub fn read(
        model: &'w Model<'a>,
        software: &'w Software<'a>,
        bodies: &BTreeMap<&'a str, Body>,
    ) -> Result<Activations<'w, 'a>, Refusal> {
        let mut triggers: BTreeMap<String, Vec<(&'a str, u64)>> = BTreeMap::new();
        for process in &software.order {
            for (stimulus, count) in bodies.get(process).iter().flat_map(|body| &body.triggers) {
                triggers
                    .entry(stimulus.clone())
                    .or_default()
                    .push((process, *count));
            }
        }
        Ok(Activations {
            model,
            software,
            stimuli: model.by_name(model.elements("stimuliModel", "stimuli"))?,
            triggers,
            known: BTreeMap::new(),
            steps: 0,
        })
    }

    /// Returns all releases of the task `name`.
    pub fn releases(&mut self, name: &str) -> Result<Vec<Release>, Refusal> {
        self.search(name, 0)
    }

    fn search(&mut self, name: &str, depth: usize) -> Result<Vec<Release>, Refusal> {
        let process = self.software.processes.get(name).copied();
        let process = process.ok_or_else(|| missing(self.model, "task", name))?;
        let refuse = |found: String, expected: &str| {
            let field = format!("{} {name:?}.stimuli", process.tag_name().name());
            self.model.refuse(process, field, found, expected)
        };
        match self.known.get(name) {
            Some(Some(releases)) => return Ok(releases.clone()),
            Some(None) => {
                return Err(refuse(
                    "a cycle of triggers".to_owned(),
                    "triggers without a cycle",
                ));
            }
            None if depth > 100 => {
                return Err(refuse(
                    "more than 100 triggers in a row".to_owned(),
                    "fewer triggers",
                ));
            }
            None => {}
        }
        self.known.insert(name.to_owned(), None);
        let mut releases = Vec::new();
        for stimulus in references(process, "stimuli") {
            let node = self.stimuli.get(stimulus.name.as_str()).copied();
            let node = node.ok_or_else(|| missing(self.model, "stimulus", &stimulus.name))?;
            match kind(node) {
                "InterProcessStimulus" => self.triggered(&stimulus.name, node, depth, &mut releases)?,
                _ => {
                    let Timing { period, jitter, .. } = timing(self.model, node)?;
                    releases.push(Release {
                        period,
                        jitter,
                        path: Vec::new(),
                    });
                }
            }
        }
        if releases.is_empty() {
            let field = format!("{} {name:?}.stimuli", process.tag_name().name());
            return Err(self
                .model
                .refuse(process, field, "no stimulus", "at least one stimulus"));
        }
        for release in &mut releases {
            release.path.push(name.to_owned());
        }
        self.known.insert(name.to_owned(), Some(releases.clone()));
        Ok(releases)
    }

    /// Adds the releases by `stimulus`, which are the releases of the tasks that trigger it.
    fn triggered(
        &mut self,
        stimulus: &str,
        node: Node<'a>,
        depth: usize,
        releases: &mut Vec<Release>,
    ) -> Result<(), Refusal> {
        let triggers = self.triggers.get(stimulus).cloned().unwrap_or_default();
        if triggers.is_empty() {
            let field = format!("stimuli {stimulus:?}");
            let expected = "at least one task that triggers the stimulus";
            return Err(self
                .model
                .refuse(node, field, "no task that triggers the stimulus", expected));
        }
        for (process, count) in triggers {
            let earlier = self.search(process, depth + 1)?;
            for _ in 0..count {
                self.steps += earlier.iter().map(|release| release.path.len()).sum::<usize>();
                releases.extend(earlier.iter().cloned());
                if releases.len() > MAX_RELEASES || self.steps > MAX_STEPS {
                    let found =
                        format!("triggers that multiply to more than {MAX_RELEASES} releases per period");
                    let field = format!("stimuli {stimulus:?}");
                    return Err(self.model.refuse(node, field, found, "fewer triggers"));
                }
            }
        }
        Ok(())
    }
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
