//! The steps in one execution of a task.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use gpusched_model::Refusal;

use super::copies::Labels;
use super::flow::Flows;
use crate::amalthea::hardware::missing;
use crate::amalthea::model::{Model, Node, child, children, kind, owner};
use crate::amalthea::quantity::{average_ticks, least_ticks, most_ticks};
use crate::amalthea::reference::{Reference, reference, references};
use crate::amalthea::software::Software;

/// Maximum depth of nested groups and calls.
const MAX_DEPTH: usize = 100;

/// Maximum number of steps of one task.
const MAX_LENGTH: usize = 1000;

/// Maximum amount of work. Without a limit, a model could lead to exponentially many steps.
const MAX_WORK: u64 = 10_000_000;

/// Items that take no time and start no work.
const WITHOUT_EFFECT: [&str; 9] = [
    "ModeLabelAccess",
    "ChannelSend",
    "ChannelReceive",
    "SenderReceiverRead",
    "SenderReceiverWrite",
    "ClearEvent",
    "CustomEventTrigger",
    "SchedulePoint",
    "TerminateProcess",
];

/// Numbers of ticks.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Ticks {
    /// Minimum.
    pub least: u128,
    /// Number of ticks that counts as the WCET: the maximum or the average.
    pub used: u128,
    /// Maximum.
    pub most: u128,
}

impl Ticks {
    /// Returns the sum of `self` and `later`, or `None` if the sum is too large.
    pub fn plus(self, later: Ticks) -> Option<Ticks> {
        Some(Ticks {
            least: self.least.checked_add(later.least)?,
            used: self.used.checked_add(later.used)?,
            most: self.most.checked_add(later.most)?,
        })
    }
}

/// A step of a task.
#[derive(Clone, Debug)]
pub enum Step<'a> {
    /// Execution on the processing unit of the task.
    Run {
        /// Ticks; `None` if the step has no ticks.
        ticks: Option<Ticks>,
        /// Accesses to labels, which take no time.
        flows: Flows,
    },
    /// Copy between host and device memory.
    Copy {
        /// Amount of data that the copy reads [bits].
        read: u128,
        /// Amount of data that the copy writes [bits].
        written: u128,
        /// Accesses to labels.
        flows: Flows,
    },
    /// Call of a runnable on the GPU.
    Kernel(&'a str, Node<'a>),
    /// Start of the tasks with this stimulus.
    Trigger(String, Node<'a>),
    /// Wait for events. The last field states whether the task waits actively. The field is `None` if the file does not
    /// state the waiting mode.
    Wait(BTreeSet<String>, Node<'a>, Option<bool>),
    /// Events that the task sets.
    Set(BTreeSet<String>),
}

/// A walk through the activity graphs of tasks on processing units of one definition. The walk visits each runnable
/// once.
pub struct Walk<'w, 'a> {
    pub model: &'w Model<'a>,
    pub software: &'w Software<'a>,
    pub labels: &'w Labels<'a>,
    /// Runnables that the file allocates to the GPU.
    pub gpu_runnables: &'w BTreeSet<&'a str>,
    /// Name of the processing unit definition.
    pub definition: String,
    /// Whether the definition describes a GPU.
    pub is_gpu: bool,
    /// Whether gpusched computes the WCET from the average number of ticks.
    pub average: bool,
    /// Steps of the visited runnables; `None` for a runnable whose visit has not ended.
    pub known: BTreeMap<&'a str, Option<Rc<Vec<Step<'a>>>>>,
    pub work: u64,
    /// Elements with ticks that the walk has read.
    pub ticks: Vec<Node<'a>>,
    /// Types of the items that have no effect, by number of the XML element.
    pub skipped: BTreeMap<usize, &'a str>,
}

impl<'a> Walk<'_, 'a> {
    /// Returns the steps of `node`, a task or a runnable.
    pub fn steps(&mut self, node: Node<'a>) -> Result<Vec<Step<'a>>, Refusal> {
        self.graph(node, 0)
    }

    fn graph(&mut self, node: Node<'a>, depth: usize) -> Result<Vec<Step<'a>>, Refusal> {
        let mut steps = Vec::new();
        // Versions before 0.9.7 use the second name.
        for tag in ["activityGraph", "callGraph"] {
            for graph in children(node, tag) {
                let part = self.items(graph, depth)?;
                self.append(&mut steps, &part, node)?;
            }
        }
        let has_ticks = |step: &Step<'_>| matches!(step, Step::Run { ticks: Some(_), .. });
        if self.is_gpu && !steps.iter().any(has_ticks) {
            for step in &mut steps {
                if let Step::Run { flows, .. } = step
                    && flows.count() > 0
                {
                    let flows = std::mem::take(flows);
                    let (read, written) = self.labels.volume(self.model, node, &flows)?;
                    *step = Step::Copy { read, written, flows };
                }
            }
        }
        Ok(steps)
    }

    fn items(&mut self, container: Node<'a>, depth: usize) -> Result<Vec<Step<'a>>, Refusal> {
        let mut steps = Vec::new();
        for item in children(container, "items") {
            let part = self.item(item, depth + 1)?;
            self.append(&mut steps, &part, item)?;
        }
        Ok(steps)
    }

    /// Appends `later` to `steps`. Joins successive executions into one step.
    fn append(
        &mut self,
        steps: &mut Vec<Step<'a>>,
        later: &[Step<'a>],
        node: Node<'a>,
    ) -> Result<(), Refusal> {
        let many = "calls whose total number is too large";
        for step in later {
            self.work += 1;
            match (steps.last_mut(), step) {
                (
                    Some(Step::Run { ticks, flows }),
                    Step::Run {
                        ticks: more,
                        flows: next,
                    },
                ) => {
                    self.work += next.0.len() as u64;
                    flows.then(next);
                    *ticks = match (*ticks, *more) {
                        (Some(first), Some(second)) => {
                            let sum = first.plus(second);
                            Some(sum.ok_or_else(|| self.refuse(node, many, "fewer calls"))?)
                        }
                        (first, second) => first.or(second),
                    };
                }
                _ => steps.push(step.clone()),
            }
            if steps.len() > MAX_LENGTH || self.work > MAX_WORK {
                return Err(self.refuse(node, many, "a smaller number of calls"));
            }
        }
        Ok(())
    }

    /// Returns the refusal of `node`, with the task or runnable that contains it.
    pub fn refuse(&self, node: Node<'a>, found: impl ToString, expected: &str) -> Refusal {
        self.model.refuse(node, owner(node), found, expected)
    }

    fn item(&mut self, item: Node<'a>, depth: usize) -> Result<Rc<Vec<Step<'a>>>, Refusal> {
        if depth > MAX_DEPTH {
            let found = format!("groups and calls with a depth of more than {MAX_DEPTH}");
            return Err(self.refuse(item, found, "a smaller depth"));
        }
        let step = match kind(item) {
            "Group" => return self.items(item, depth).map(Rc::new),
            "RunnableCall" => return self.call(item, "runnable", depth),
            "SynchronousServerCall" => return self.call(item, "serverRunnable", depth),
            "ModeSwitch" | "RunnableModeSwitch" | "Switch" | "ProbabilitySwitch" => {
                self.branches(item, depth)?
            }
            "Ticks" => Step::Run {
                ticks: Some(self.ticks(item)?),
                flows: Flows::default(),
            },
            "LabelAccess" => {
                let label = reference(item, "data");
                let label = label.ok_or_else(|| self.refuse(item, "an access without a label", "a label"))?;
                // An access of unknown direction counts as a read and a write.
                let (reads, writes) = match item.attribute("access") {
                    Some("read") => (true, false),
                    Some("write") => (false, true),
                    _ => (true, true),
                };
                Step::Run {
                    ticks: None,
                    flows: Flows::access(label, reads, writes),
                }
            }
            "InterProcessTrigger" => {
                let stimulus = reference(item, "stimulus");
                let none = || self.refuse(item, "a trigger without a stimulus", "a stimulus");
                Step::Trigger(stimulus.ok_or_else(none)?, item)
            }
            "WaitEvent" => {
                let active = match item.attribute("waitingBehaviour") {
                    Some("active") => Some(true),
                    Some("passive") => Some(false),
                    _ => None,
                };
                Step::Wait(events(item), item, active)
            }
            "SetEvent" => Step::Set(events(item)),
            other if WITHOUT_EFFECT.contains(&other) => {
                self.skipped.insert(item.id().get_usize(), other);
                return Ok(Rc::default());
            }
            other => {
                let found = format!("an item of the type {other:?}");
                let expected = "ticks, label accesses, calls, triggers, events and switches";
                return Err(self.refuse(item, found, expected));
            }
        };
        Ok(Rc::new(vec![step]))
    }

    /// Returns the maximum over the branches of a switch. The minimum number of ticks is the minimum over the branches.
    fn branches(&mut self, switch: Node<'a>, depth: usize) -> Result<Step<'a>, Refusal> {
        let mut branches = Vec::new();
        for tag in ["entries", "defaultEntry"] {
            for branch in children(switch, tag) {
                branches.push(self.items(branch, depth)?);
            }
        }
        // If there is no default branch, possibly no branch matches.
        if child(switch, "defaultEntry").is_none() && kind(switch) != "ProbabilitySwitch" {
            branches.push(Vec::new());
        }
        let mut joined: Option<(Option<Ticks>, Flows)> = None;
        for branch in branches {
            let (ticks, flows) = match branch.as_slice() {
                [] => (None, Flows::default()),
                [Step::Run { ticks, flows }] => (*ticks, flows.clone()),
                _ => {
                    let found = "a trigger, a wait, an event or a copy in a branch";
                    return Err(self.refuse(switch, found, "branches with ticks and label accesses"));
                }
            };
            joined = Some(match joined {
                None => (ticks, flows),
                Some((first, mut all)) => {
                    all.or(&flows);
                    let (a, b) = (first.unwrap_or_default(), ticks.unwrap_or_default());
                    let either = Ticks {
                        least: a.least.min(b.least),
                        used: a.used.max(b.used),
                        most: a.most.max(b.most),
                    };
                    (first.or(ticks).map(|_| either), all)
                }
            });
            self.work += 1;
        }
        let (ticks, flows) = joined.unwrap_or_default();
        Ok(Step::Run { ticks, flows })
    }

    fn call(
        &mut self,
        item: Node<'a>,
        tag: &'static str,
        depth: usize,
    ) -> Result<Rc<Vec<Step<'a>>>, Refusal> {
        let called = reference(item, tag);
        let called = called.ok_or_else(|| self.refuse(item, "a call without a runnable", "a runnable"))?;
        let runnable = self.software.runnables.get_key_value(called.as_str());
        let (&name, &node) = runnable.ok_or_else(|| missing(self.model, "runnable", &called))?;
        if !self.is_gpu && self.gpu_runnables.contains(name) {
            return Ok(Rc::new(vec![Step::Kernel(name, item)]));
        }
        match self.known.get(name) {
            Some(Some(steps)) => Ok(Rc::clone(steps)),
            Some(None) => {
                let found = format!("a recursive call of {name:?}");
                Err(self.refuse(item, found, "calls without recursion"))
            }
            None => {
                self.known.insert(name, None);
                let steps = Rc::new(self.graph(node, depth)?);
                self.known.insert(name, Some(Rc::clone(&steps)));
                Ok(steps)
            }
        }
    }

    /// Returns the numbers of ticks in `item` for the definition.
    fn ticks(&mut self, item: Node<'a>) -> Result<Ticks, Refusal> {
        self.ticks.push(item);
        let definition = self.definition.as_str();
        let entries = children(item, "extended")
            .filter(|entry| reference(*entry, "key").as_deref() == Some(definition));
        let of_definition = entries.flat_map(|entry| children(entry, "value")).next();
        let value = of_definition.or_else(|| child(item, "default"));
        let value = value.ok_or_else(|| {
            let found = format!("no ticks for {definition:?}");
            let expected = format!("ticks for {definition:?}, or default ticks");
            self.refuse(item, found, &expected)
        })?;
        let most = most_ticks(self.model, value)?.into();
        let used = match self.average {
            true => average_ticks(self.model, value)?.into(),
            false => most,
        };
        Ok(Ticks {
            least: least_ticks(self.model, value)?.into(),
            used,
            most,
        })
    }
}

/// Returns the events in the mask of `item`.
fn events(item: Node<'_>) -> BTreeSet<String> {
    let masks = children(item, "eventMask");
    let events = masks.flat_map(|mask| references(mask, "events"));
    events.map(|Reference { name, .. }| name).collect()
}
