//! Turns of applications in the simulation.

use super::super::launches::Running;
use super::{Event, Scheduled, Simulation};
use gpusched_model::Observer;
use gpusched_model::scenario::SwitchBoundary;

impl<O: Observer<Event> + ?Sized> Simulation<'_, O> {
    /// Runs the application scheduler, which may start or end a turn.
    pub(super) fn take_turns(&mut self) {
        loop {
            let has_work = |application: usize| self.applications[application].has_work();
            let Some(current) = self.turns.current else {
                let Some((entry, application)) = self.turns.next(has_work) else {
                    return;
                };
                self.begin_turn(entry, application);
                continue;
            };
            if !has_work(current) {
                self.turns.end();
                self.observer.see(self.now, Event::Turn(None));
                continue;
            }
            let rivals = (0..self.applications.len()).any(|other| other != current && has_work(other));
            if !self.turns.is_over() {
                if rivals && let Some((end, generation)) = self.turns.schedule(self.now) {
                    self.events.push(end, Scheduled::SliceEnd(generation));
                }
                return;
            }
            let next = self.turns.next(has_work);
            match next {
                Some((entry, application)) if application == current => {
                    self.turns.begin(entry, application, self.now);
                    continue;
                }
                _ => {}
            }
            match self.scenario.switch {
                SwitchBoundary::Block if self.applications[current].running > 0 => return,
                SwitchBoundary::Block => {}
                SwitchBoundary::Instruction => self.suspend(current),
            }
            self.turns.end();
            self.observer.see(self.now, Event::Turn(None));
        }
    }

    fn begin_turn(&mut self, entry: usize, application: usize) {
        self.turns.begin(entry, application, self.now);
        self.observer.see(self.now, Event::Turn(Some(application)));
        self.placement.forget();
        let suspended = std::mem::take(&mut self.applications[application].suspended);
        if !suspended.is_empty() {
            self.observer.see(self.now, Event::Resume(application));
        }
        self.applications[application].running += suspended.len();
        for mut block in suspended {
            block.progress.resume(self.now);
            self.place_running(block);
        }
    }

    /// Preempts all running blocks of `application`.
    fn suspend(&mut self, application: usize) {
        let mut suspended = Vec::new();
        for (place, block) in self.running.iter_mut().enumerate() {
            if block.live {
                block.live = false;
                self.free.push(place as u32);
                let mut aside = *block;
                aside.progress.pause(self.now);
                suspended.push(aside);
            }
        }
        suspended.sort_by_key(|Running { block, .. }| (block.start, block.kernel, block.number));
        if !suspended.is_empty() {
            self.observer.see(self.now, Event::Preempt(application));
        }
        let launches = &mut self.applications[application];
        launches.running = 0;
        launches.suspended = suspended;
    }

    /// Stores `block` in a free place of `running` and schedules its end.
    pub(super) fn place_running(&mut self, mut block: Running) {
        block.live = true;
        let place = match self.free.pop() {
            Some(place) => {
                let old = &mut self.running[place as usize];
                block.generation = old.generation.wrapping_add(1);
                *old = block;
                place
            }
            None => {
                block.generation = 0;
                self.running.push(block);
                (self.running.len() - 1) as u32
            }
        };
        let generation = block.generation;
        self.events
            .push(block.progress.end(), Scheduled::BlockEnd { place, generation });
    }
}
