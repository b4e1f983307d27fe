//! The commands of streams, and the dependencies between commands.

use std::collections::HashMap;

use gpusched_model::scenario::{ScenarioShape, Stream};
use gpusched_model::time::Time;

/// A kernel or a copy, identified by its index in the scenario.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Command {
    Kernel(usize),
    Copy(usize),
}

/// All commands of a scenario in the order of their submission.
#[derive(Clone, Debug, Default)]
pub(super) struct Commands {
    pub list: Vec<Submission>,
}

/// A command with its dependencies.
#[derive(Clone, Debug)]
pub(super) struct Submission {
    pub command: Command,
    pub launch: Time,
    /// Number of events for which the command still waits. The events are its launch time and the ends of certain
    /// earlier commands. When the number is 0, the GPU receives the command.
    blockers: usize,
    /// Indices of the commands that wait for the end of this command.
    dependents: Vec<usize>,
}

impl Commands {
    /// Creates the commands of `scenario`. Commands of one stream execute in FIFO order. A
    /// command in the default stream of an application starts after all earlier commands of the
    /// application have ended. Later commands of the application start after the end of this
    /// command ([Sanudo20] §II-C).
    pub fn new(scenario: &ScenarioShape) -> Commands {
        let kernels = scenario.kernels.iter().enumerate().map(|(index, kernel)| {
            let place = (kernel.launch, index, 1, index);
            (place, Command::Kernel(index), kernel.application, kernel.stream)
        });
        let copies = scenario.copies.iter().enumerate().map(|(index, copy)| {
            let after = copy.after.unwrap_or(scenario.kernels.len());
            // The copy precedes the kernel with number `after`.
            let place = (copy.launch, after, 0, index);
            (place, Command::Copy(index), copy.application, copy.stream)
        });
        let mut all: Vec<_> = kernels.chain(copies).collect();
        all.sort_by_key(|(place, ..)| *place);
        let mut commands = Commands::default();
        let mut last: HashMap<(usize, Stream), usize> = HashMap::new();
        // For each application: the last command of its default stream, and the commands after
        // this command.
        let mut barriers: HashMap<usize, usize> = HashMap::new();
        let mut since: HashMap<usize, Vec<usize>> = HashMap::new();
        for (place, command, application, stream) in all {
            let index = commands.list.len();
            commands.list.push(Submission {
                command,
                launch: place.0,
                blockers: 1,
                dependents: Vec::new(),
            });
            let since = since.entry(application).or_default();
            match stream {
                Stream::Default => {
                    for before in since.drain(..).chain(barriers.insert(application, index)) {
                        commands.wait(index, before);
                    }
                }
                Stream::Numbered(_) => {
                    let barrier = barriers.get(&application).copied();
                    match last.insert((application, stream), index) {
                        Some(before) if barrier.is_none_or(|barrier| before > barrier) => {
                            commands.wait(index, before);
                        }
                        _ => {
                            if let Some(barrier) = barrier {
                                commands.wait(index, barrier);
                            }
                        }
                    }
                    since.push(index);
                }
            }
        }
        commands
    }

    /// Makes `command` wait for the end of `before`.
    fn wait(&mut self, command: usize, before: usize) {
        if let Some(before) = self.list.get_mut(before) {
            before.dependents.push(command);
        }
        if let Some(command) = self.list.get_mut(command) {
            command.blockers += 1;
        }
    }

    /// Records that an event for which command `index` waits has occurred. Returns the command if no further event
    /// remains.
    pub fn release(&mut self, index: usize) -> Option<Command> {
        let submission = self.list.get_mut(index)?;
        submission.blockers = submission.blockers.saturating_sub(1);
        (submission.blockers == 0).then_some(submission.command)
    }

    /// Records the end of command `index`. Returns and removes the list of commands that waited for this end.
    pub fn end(&mut self, index: usize) -> Vec<usize> {
        let submission = self.list.get_mut(index);
        submission.map_or(Vec::new(), |submission| {
            std::mem::take(&mut submission.dependents)
        })
    }
}
