//! Starts of blocks and copies in the simulation.

use super::super::Block;
use super::super::durations::Work;
use super::super::launches::{IndexSet, Running};
use super::super::progress::Progress;
use super::{Event, RunningCopy, Scheduled, Simulation};
use gpusched_model::Observer;

impl<O: Observer<Event> + ?Sized> Simulation<'_, O> {
    /// Runs the block scheduler for the application whose turn it is.
    pub(super) fn start_blocks(&mut self) {
        let Some(application) = self.turns.current.filter(|_| !self.turns.is_over()) else {
            return;
        };
        let mut blocked = IndexSet::none();
        for priority in 0..2 {
            let mut position = 0;
            while let Some(&kernel) = self.applications[application].queues[priority].get(position) {
                if matches!(blocked, IndexSet::All) {
                    return;
                }
                let state = &self.kernels[kernel];
                let waits = blocked.meets(&state.sms)
                    || (state.started == 0 && !self.applications[application].suits(state.cache));
                if !waits {
                    self.start_blocks_of(kernel);
                }
                let state = &self.kernels[kernel];
                if state.started == state.blocks {
                    self.applications[application].queues[priority].remove(position);
                } else {
                    blocked.add(&state.sms);
                    position += 1;
                }
            }
        }
    }

    /// Starts all blocks of `kernel` for which an SM has room.
    fn start_blocks_of(&mut self, kernel: usize) {
        let state = &self.kernels[kernel];
        let (application, need) = (state.application, state.need);
        let sms = &self.applications[application].sms;
        self.placement
            .look(kernel, &need, sms, |sm| state.sms.contains(sm));
        while self.kernels[kernel].started < self.kernels[kernel].blocks {
            let Some(sm) = self.placement.choose() else {
                return;
            };
            let launches = &mut self.applications[application];
            launches.sms[sm as usize].take(&need);
            self.placement.update(sm, launches.sms[sm as usize].slots(&need));
            launches.running += 1;
            let state = &mut self.kernels[kernel];
            if state.started == 0 {
                launches.occupy(state.cache);
            }
            let block = Block {
                kernel,
                number: state.started,
                sm,
                start: self.now,
            };
            state.started += 1;
            let Work { alone, contended } = state.durations.next();
            if let Some(budgets) = &mut self.budgets {
                budgets.block_started(self.now, kernel);
            }
            self.observer.see(self.now, Event::BlockStart(block));
            self.place_running(Running {
                block,
                contended,
                progress: Progress::new(alone, self.now),
                generation: 0,
                live: true,
            });
        }
    }

    /// Starts copies on free copy engines. The copy that has waited longest starts first.
    pub(super) fn start_copies(&mut self) {
        let engines = self.scenario.platform.shape().copy_engines as usize;
        while self.running_copies.iter().filter(|copy| copy.live).count() < engines {
            let Some(copy) = self.waiting_copies.pop_front() else {
                return;
            };
            let progress = Progress::new(self.scenario.copies[copy].time.ns(), self.now);
            let mut running = RunningCopy {
                copy,
                start: self.now,
                progress,
                generation: 0,
                live: true,
            };
            let place = match self.running_copies.iter().position(|copy| !copy.live) {
                Some(place) => {
                    running.generation = self.running_copies[place].generation.wrapping_add(1);
                    self.running_copies[place] = running;
                    place
                }
                None => {
                    self.running_copies.push(running);
                    self.running_copies.len() - 1
                }
            } as u32;
            let generation = running.generation;
            self.events
                .push(progress.end(), Scheduled::CopyEnd { place, generation });
        }
    }
}
