//! Tasks and runnables, with the actions of one execution: ticks, triggers of other tasks, and calls of GPU runnables.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use gpusched_model::Refusal;

use super::hardware::missing;
use super::model::{Model, Node, child, children, kind, name};
use super::quantity::most_ticks;
use super::reference::{Reference, reference, references};

/// Maximum depth of nested groups and calls.
const MAX_DEPTH: usize = 100;

/// Maximum number of steps. Without a limit, a model could lead to exponentially many steps.
const MAX_STEPS: u64 = 10_000_000;

/// Types of items that may occur in a GPU task and that state no number of ticks.
const WITHOUT_TICKS: [&str; 16] = [
    "LabelAccess",
    "ModeLabelAccess",
    "ChannelSend",
    "ChannelReceive",
    "SenderReceiverRead",
    "SenderReceiverWrite",
    "SemaphoreAccess",
    "SetEvent",
    "ClearEvent",
    "WaitEvent",
    "CustomEventTrigger",
    "EnforcedMigration",
    "SchedulePoint",
    "TerminateProcess",
    "AsynchronousServerCall",
    "GetResultServerCall",
];

/// Tasks, interrupt service routines and runnables.
pub struct Software<'a> {
    /// Tasks and interrupt service routines by name.
    pub processes: BTreeMap<&'a str, Node<'a>>,
    /// Names of `processes`, in the order of the file.
    pub order: Vec<&'a str>,
    /// Runnables by name.
    pub runnables: BTreeMap<&'a str, Node<'a>>,
}

impl<'a> Software<'a> {
    /// Reads the software of `model`.
    pub fn read(model: &Model<'a>) -> Result<Software<'a>, Refusal> {
        let processes = || {
            model
                .elements("swModel", "tasks")
                .chain(model.elements("swModel", "isrs"))
        };
        Ok(Software {
            processes: model.by_name(processes())?,
            order: processes().map(name).collect(),
            runnables: model.by_name(model.elements("swModel", "runnables"))?,
        })
    }

    /// Returns the names of all runnables that `processes` call, directly and indirectly. The search does not follow
    /// calls of the runnables in `stop`.
    pub fn called<'n>(
        &self,
        processes: impl Iterator<Item = &'n str>,
        stop: &BTreeSet<&str>,
    ) -> BTreeSet<&'a str> {
        let mut found = BTreeSet::new();
        let mut open: Vec<Node<'a>> = processes
            .filter_map(|name| self.processes.get(name).copied())
            .collect();
        while let Some(node) = open.pop() {
            let items = node.descendants().filter(|item| item.has_tag_name("items"));
            let calls = items.flat_map(|item| {
                let server = references(item, "serverRunnable");
                references(item, "runnable").into_iter().chain(server)
            });
            for Reference { name, .. } in calls {
                if let Some((&name, &runnable)) = self.runnables.get_key_value(name.as_str())
                    && !stop.contains(name)
                    && found.insert(name)
                {
                    open.push(runnable);
                }
            }
        }
        found
    }

    /// Returns `processes` and all runnables that they call, except for the runnables in `stop`.
    pub fn nodes(&self, processes: &[&'a str], stop: &BTreeSet<&str>) -> Vec<Node<'a>> {
        let called = self.called(processes.iter().copied(), stop);
        let processes = processes.iter().filter_map(|name| self.processes.get(name));
        let called = called.iter().filter_map(|name| self.runnables.get(name));
        processes.chain(called).copied().collect()
    }
}

/// Returns the names of the processing unit definitions for which `node` has ticks. Also returns whether `node` has
/// default ticks. `node` is a process or a runnable.
pub fn definitions(node: Node<'_>) -> (BTreeSet<String>, bool) {
    let ticks = node.descendants();
    let ticks: Vec<Node<'_>> = ticks
        .filter(|node| node.has_tag_name("items") && kind(*node) == "Ticks")
        .collect();
    let entries = ticks.iter().flat_map(|ticks| children(*ticks, "extended"));
    let keys = entries.filter_map(|entry| reference(entry, "key")).collect();
    (keys, ticks.iter().any(|ticks| child(*ticks, "default").is_some()))
}

/// The actions in one execution of a process or runnable.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Body {
    /// Maximum number of ticks on the GPU.
    pub ticks: u128,
    /// Triggered stimuli, each with the maximum number of triggers in one execution.
    pub triggers: BTreeMap<String, u64>,
    /// Called GPU runnables, each with the maximum number of calls in one execution.
    pub offloads: BTreeMap<String, u64>,
}

impl Body {
    /// Adds `later`, which executes after `self`. Returns `None` if a number is too large.
    fn then(&mut self, later: &Body) -> Option<()> {
        self.ticks = self.ticks.checked_add(later.ticks)?;
        for (sum, part) in [
            (&mut self.triggers, &later.triggers),
            (&mut self.offloads, &later.offloads),
        ] {
            for (key, count) in part {
                let sum = sum.entry(key.clone()).or_default();
                *sum = sum.checked_add(*count)?;
            }
        }
        Some(())
    }

    /// Computes the maximum of `self` and `other`, because only one of the two executes.
    fn or(&mut self, other: &Body) {
        self.ticks = self.ticks.max(other.ticks);
        for (most, part) in [
            (&mut self.triggers, &other.triggers),
            (&mut self.offloads, &other.offloads),
        ] {
            for (key, count) in part {
                let most = most.entry(key.clone()).or_default();
                *most = (*most).max(*count);
            }
        }
    }

    fn size(&self) -> u64 {
        1 + self.triggers.len() as u64 + self.offloads.len() as u64
    }
}

/// The parts of the bodies that a [`Walk`] collects.
#[derive(Clone, Copy, Debug)]
pub enum Purpose<'p> {
    /// Triggers, and calls of these GPU runnables.
    Starts(&'p BTreeSet<&'p str>),
    /// Ticks of the processing unit definition with this name, and triggers.
    Ticks(&'p str),
}

/// A walk through the activity graphs of processes and runnables. The walk visits each runnable once.
pub struct Walk<'w, 'a> {
    model: &'w Model<'a>,
    software: &'w Software<'a>,
    purpose: Purpose<'w>,
    /// Bodies of the visited runnables; `None` for a runnable whose visit has not ended.
    known: BTreeMap<&'a str, Option<Rc<Body>>>,
    steps: u64,
    /// Items without ticks in GPU tasks, by kind.
    pub skipped: BTreeMap<&'a str, usize>,
    /// Elements with ticks, used or skipped by the walk.
    pub ticks: Vec<Node<'a>>,
}

impl<'w, 'a> Walk<'w, 'a> {
    /// Creates a walk that has visited no runnable.
    pub fn new(model: &'w Model<'a>, software: &'w Software<'a>, purpose: Purpose<'w>) -> Walk<'w, 'a> {
        Walk {
            model,
            software,
            purpose,
            known: BTreeMap::new(),
            steps: 0,
            skipped: BTreeMap::new(),
            ticks: Vec::new(),
        }
    }

    /// Returns the body of `node`, a process or a runnable.
    pub fn body(&mut self, node: Node<'a>) -> Result<Body, Refusal> {
        self.graph(node, 0)
    }

    fn graph(&mut self, node: Node<'a>, depth: usize) -> Result<Body, Refusal> {
        let mut body = Body::default();
        // Versions before 0.9.7 use the second name.
        for tag in ["activityGraph", "callGraph"] {
            for graph in children(node, tag) {
                let part = self.items(graph, depth)?;
                self.then(&mut body, &part, node)?;
            }
        }
        Ok(body)
    }

    fn items(&mut self, container: Node<'a>, depth: usize) -> Result<Body, Refusal> {
        let mut body = Body::default();
        for item in children(container, "items") {
            let part = self.item(item, depth + 1)?;
            self.then(&mut body, &part, item)?;
        }
        Ok(body)
    }

    fn then(&mut self, body: &mut Body, later: &Body, node: Node<'a>) -> Result<(), Refusal> {
        self.steps += later.size();
        let sum = body.then(later).filter(|()| self.steps <= MAX_STEPS);
        let found = "calls whose total number is too large";
        sum.ok_or_else(|| self.refuse(node, found, "a smaller number of calls"))
    }

    fn refuse(&self, node: Node<'a>, found: impl ToString, expected: &str) -> Refusal {
        let owner = node
            .ancestors()
            .find(|node| ["tasks", "isrs", "runnables"].contains(&node.tag_name().name()));
        let owner = owner.map_or_else(String::new, |owner| {
            format!("{} {:?}", owner.tag_name().name(), name(owner))
        });
        self.model.refuse(node, owner, found, expected)
    }

    fn item(&mut self, item: Node<'a>, depth: usize) -> Result<Rc<Body>, Refusal> {
        if depth > MAX_DEPTH {
            let found = format!("groups and calls with a depth of more than {MAX_DEPTH}");
            return Err(self.refuse(item, found, "a smaller depth"));
        }
        let is_gpu = matches!(self.purpose, Purpose::Ticks(_));
        match kind(item) {
            "Group" => self.items(item, depth).map(Rc::new),
            "RunnableCall" => self.call(item, "runnable", depth),
            // The runnable of a server may trigger a task.
            "SynchronousServerCall" | "AsynchronousServerCall" if !is_gpu => {
                self.call(item, "serverRunnable", depth)
            }
            "ModeSwitch" | "RunnableModeSwitch" | "Switch" | "ProbabilitySwitch" => {
                self.branches(item, depth)
            }
            "InterProcessTrigger" => {
                let stimulus = reference(item, "stimulus");
                let stimulus = stimulus
                    .ok_or_else(|| self.refuse(item, "a trigger without a stimulus", "a stimulus"))?;
                Ok(Rc::new(Body {
                    triggers: BTreeMap::from([(stimulus, 1)]),
                    ..Body::default()
                }))
            }
            "Ticks" => self.ticks(item),
            other if is_gpu => {
                if !WITHOUT_TICKS.contains(&other) {
                    let found = format!("an item of the type {other:?} in work for the GPU");
                    let expected = "items whose time is given as ticks";
                    return Err(self.refuse(item, found, expected));
                }
                *self.skipped.entry(other).or_default() += 1;
                Ok(Rc::default())
            }
            other => {
                let inner = self.items(item, depth)?;
                if inner != Body::default() {
                    let found = format!("a start of other work in an item of the type {other:?}");
                    let expected = "a start whose number per execution is known";
                    return Err(self.refuse(item, found, expected));
                }
                Ok(Rc::default())
            }
        }
    }

    /// Returns the maximum over the branches of a switch.
    fn branches(&mut self, switch: Node<'a>, depth: usize) -> Result<Rc<Body>, Refusal> {
        let mut body = Body::default();
        for tag in ["entries", "defaultEntry"] {
            for branch in children(switch, tag) {
                let branch = self.items(branch, depth)?;
                self.steps += branch.size();
                body.or(&branch);
            }
        }
        Ok(Rc::new(body))
    }

    fn call(&mut self, item: Node<'a>, tag: &'static str, depth: usize) -> Result<Rc<Body>, Refusal> {
        let called = reference(item, tag);
        let called = called.ok_or_else(|| self.refuse(item, "a call without a runnable", "a runnable"))?;
        if let Purpose::Starts(gpu) = self.purpose
            && gpu.contains(called.as_str())
        {
            return Ok(Rc::new(Body {
                offloads: BTreeMap::from([(called, 1)]),
                ..Body::default()
            }));
        }
        let runnable = self.software.runnables.get_key_value(called.as_str());
        let (&name, &node) = runnable.ok_or_else(|| missing(self.model, "runnable", &called))?;
        match self.known.get(name) {
            Some(Some(body)) => Ok(Rc::clone(body)),
            Some(None) => Err(self.refuse(
                item,
                format!("a recursive call of {name:?}"),
                "calls without recursion",
            )),
            None => {
                self.known.insert(name, None);
                let body = Rc::new(self.graph(node, depth)?);
                self.known.insert(name, Some(Rc::clone(&body)));
                Ok(body)
            }
        }
    }

    /// Returns the maximum number of ticks in `item` for the definition of the GPU.
    fn ticks(&mut self, item: Node<'a>) -> Result<Rc<Body>, Refusal> {
        let Purpose::Ticks(definition) = self.purpose else {
            return Ok(Rc::default());
        };
        self.ticks.push(item);
        let entries = children(item, "extended")
            .filter(|entry| reference(*entry, "key").as_deref() == Some(definition));
        let values = entries.flat_map(|entry| children(entry, "value"));
        let values: Vec<Node<'a>> = values.chain(child(item, "default")).collect();
        // The default applies only if there is no entry for the definition.
        let used = match values.as_slice() {
            [entries @ .., last] if !entries.is_empty() && last.has_tag_name("default") => entries,
            all => all,
        };
        let most = used.iter().map(|value| most_ticks(self.model, *value));
        let most = most.collect::<Result<Vec<u64>, Refusal>>()?.into_iter().max();
        let most = most.ok_or_else(|| {
            let expected = format!("ticks for {definition:?}, or default ticks");
            self.refuse(item, "ticks without a value for the GPU", &expected)
        })?;
        Ok(Rc::new(Body {
            ticks: most.into(),
            ..Body::default()
        }))
    }
}
