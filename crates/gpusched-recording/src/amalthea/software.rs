//! Tasks and runnables, with the work that one execution starts: triggers of other tasks, and calls of GPU runnables.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use gpusched_model::Refusal;

use super::hardware::missing;
use super::model::{Model, Node, children, kind, name};
use super::reference::reference;

/// Maximum depth of nested groups and calls.
const MAX_DEPTH: usize = 100;

/// Maximum number of steps. Without a limit, a model could lead to exponentially many steps.
const MAX_STEPS: u64 = 10_000_000;

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
}

/// The work that one execution of a process or runnable starts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Starts {
    /// Triggered stimuli.
    pub triggers: BTreeSet<String>,
    /// Called GPU runnables.
    offloads: BTreeSet<String>,
}

impl Starts {
    fn add(&mut self, other: &Starts) {
        self.triggers.extend(other.triggers.iter().cloned());
        self.offloads.extend(other.offloads.iter().cloned());
    }

    fn size(&self) -> u64 {
        1 + self.triggers.len() as u64 + self.offloads.len() as u64
    }
}

/// A walk through the activity graphs of processes and runnables. The walk visits each runnable once.
pub struct Walk<'w, 'a> {
    model: &'w Model<'a>,
    software: &'w Software<'a>,
    gpu_runnables: &'w BTreeSet<&'w str>,
    /// Results for the visited runnables; `None` for a runnable whose visit has not ended.
    known: BTreeMap<&'a str, Option<Rc<Starts>>>,
    steps: u64,
}

impl<'w, 'a> Walk<'w, 'a> {
    /// Creates a walk that has visited no runnable.
    pub fn new(
        model: &'w Model<'a>,
        software: &'w Software<'a>,
        gpu_runnables: &'w BTreeSet<&'w str>,
    ) -> Walk<'w, 'a> {
        Walk {
            model,
            software,
            gpu_runnables,
            known: BTreeMap::new(),
            steps: 0,
        }
    }

    /// Returns the work that `node`, a process or a runnable, starts.
    pub fn starts(&mut self, node: Node<'a>) -> Result<Starts, Refusal> {
        self.graph(node, 0)
    }

    fn graph(&mut self, node: Node<'a>, depth: usize) -> Result<Starts, Refusal> {
        let mut starts = Starts::default();
        // Versions before 0.9.7 use the second name.
        for tag in ["activityGraph", "callGraph"] {
            for graph in children(node, tag) {
                let part = self.items(graph, depth)?;
                self.add(&mut starts, &part, node)?;
            }
        }
        Ok(starts)
    }

    fn items(&mut self, container: Node<'a>, depth: usize) -> Result<Starts, Refusal> {
        let mut starts = Starts::default();
        for item in children(container, "items") {
            let part = self.item(item, depth + 1)?;
            self.add(&mut starts, &part, item)?;
        }
        Ok(starts)
    }

    fn add(&mut self, starts: &mut Starts, other: &Starts, node: Node<'a>) -> Result<(), Refusal> {
        self.steps += other.size();
        if self.steps > MAX_STEPS {
            let found = "calls whose total number is too large";
            return Err(self.refuse(node, found, "a smaller number of calls"));
        }
        starts.add(other);
        Ok(())
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

    fn item(&mut self, item: Node<'a>, depth: usize) -> Result<Rc<Starts>, Refusal> {
        if depth > MAX_DEPTH {
            let found = format!("groups and calls with a depth of more than {MAX_DEPTH}");
            return Err(self.refuse(item, found, "a smaller depth"));
        }
        match kind(item) {
            "Group" => self.items(item, depth).map(Rc::new),
            "RunnableCall" => self.call(item, "runnable", depth),
            // The runnable of a server may trigger a task.
            "SynchronousServerCall" | "AsynchronousServerCall" => self.call(item, "serverRunnable", depth),
            "ModeSwitch" | "RunnableModeSwitch" | "Switch" | "ProbabilitySwitch" => {
                let mut starts = Starts::default();
                for tag in ["entries", "defaultEntry"] {
                    for branch in children(item, tag) {
                        let branch = self.items(branch, depth)?;
                        self.add(&mut starts, &branch, item)?;
                    }
                }
                Ok(Rc::new(starts))
            }
            "InterProcessTrigger" => {
                let stimulus = reference(item, "stimulus");
                let stimulus = stimulus
                    .ok_or_else(|| self.refuse(item, "a trigger without a stimulus", "a stimulus"))?;
                Ok(Rc::new(Starts {
                    triggers: BTreeSet::from([stimulus]),
                    ..Starts::default()
                }))
            }
            "Ticks" => Ok(Rc::default()),
            other => {
                if self.items(item, depth)? != Starts::default() {
                    let found = format!("a start of other work in an item of the type {other:?}");
                    let expected = "a start whose number per execution is known";
                    return Err(self.refuse(item, found, expected));
                }
                Ok(Rc::default())
            }
        }
    }

    fn call(&mut self, item: Node<'a>, tag: &'static str, depth: usize) -> Result<Rc<Starts>, Refusal> {
        let called = reference(item, tag);
        let called = called.ok_or_else(|| self.refuse(item, "a call without a runnable", "a runnable"))?;
        if self.gpu_runnables.contains(called.as_str()) {
            return Ok(Rc::new(Starts {
                offloads: BTreeSet::from([called]),
                ..Starts::default()
            }));
        }
        let runnable = self.software.runnables.get_key_value(called.as_str());
        let (&name, &node) = runnable.ok_or_else(|| missing(self.model, "runnable", &called))?;
        match self.known.get(name) {
            Some(Some(starts)) => Ok(Rc::clone(starts)),
            Some(None) => Err(self.refuse(
                item,
                format!("a recursive call of {name:?}"),
                "calls without recursion",
            )),
            None => {
                self.known.insert(name, None);
                let starts = Rc::new(self.graph(node, depth)?);
                self.known.insert(name, Some(Rc::clone(&starts)));
                Ok(starts)
            }
        }
    }
}
