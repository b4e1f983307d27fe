//! Changes of the rates of blocks and copies during the simulation.

use std::collections::BTreeMap;

use super::super::launches::Running;
use super::super::rates::{CoLocated, Crowd, OnSms, max_min, slowed};
use super::{Event, RunningCopy, Scheduled, Simulation};
use gpusched_model::error::Result;
use gpusched_model::time::Time;
use gpusched_model::{Factor, Observer};

/// Rates of all running blocks and copies, indexed by their places in `running` and
/// `running_copies`.
struct Rates {
    blocks: Vec<(usize, u64)>,
    copies: Vec<(usize, u64)>,
}

impl<O: Observer<Event> + ?Sized> Simulation<'_, O> {
    /// Starts a regulation period. The simulation has already processed the ends of blocks at
    /// this instant.
    pub(super) fn begin_period(&mut self) {
        let (Some(cpu), Some(budgets)) = (&self.scenario.cpu, &mut self.budgets) else {
            return;
        };
        let (budget, period) = (budgets.decide(self.now), cpu.regulation_period);
        if self.budget.replace(budget) != Some(budget) {
            self.observer.see(self.now, Event::Budget(budget));
        }
        let constant = budget == Time::ZERO || budget >= period;
        let after = |time: Time| Time::from_ns(self.now.ns().saturating_add(time.ns()));
        if !constant {
            self.events.push(after(budget), Scheduled::Spent);
        }
        if !constant || !budgets.is_settled() {
            self.events.push(after(period), Scheduled::Period);
        }
        self.access_memory(budget > Time::ZERO);
    }

    /// Starts the memory accesses of CPU cores if `active` is true, and stops these accesses if `active` is false.
    pub(super) fn access_memory(&mut self, active: bool) {
        if self.cpu != active {
            self.cpu = active;
            self.observer.see(self.now, Event::CpuAccess(active));
        }
    }

    /// Computes and sets the rates of all running blocks and copies.
    ///
    /// # Errors
    /// Fails if kernels share an SM without a factor.
    pub(super) fn change_rates(&mut self) -> Result<()> {
        let Rates { blocks, copies } = self.rates()?;
        for (place, rate) in blocks {
            let block = &mut self.running[place];
            if block.progress.rate() != rate {
                block.progress.change(self.now, rate);
                block.generation = block.generation.wrapping_add(1);
                let (end, generation) = (block.progress.end(), block.generation);
                let place = place as u32;
                self.events.push(end, Scheduled::BlockEnd { place, generation });
            }
        }
        for (place, rate) in copies {
            let copy = &mut self.running_copies[place];
            if copy.progress.rate() != rate {
                copy.progress.change(self.now, rate);
                copy.generation = copy.generation.wrapping_add(1);
                let (end, generation) = (copy.progress.end(), copy.generation);
                let place = place as u32;
                self.events.push(end, Scheduled::CopyEnd { place, generation });
            }
        }
        Ok(())
    }

    /// Returns the rates of all running blocks and copies. A rate is the ratio of the received
    /// bandwidth to the demanded bandwidth. Contention can further reduce the rate of a block.
    fn rates(&mut self) -> Result<Rates> {
        let gpc = self.scenario.platform.shape().sms_per_gpc;
        let gpc_of = |sm: u32| gpc.map_or(0, |gpc| sm / gpc.max(1));
        let mut crowd = Crowd::default();
        let setting = &self.scenario.interference;
        let intra_sm = setting.factors.map(|factors| factors.intra_sm);
        let intra_sm = intra_sm.filter(|factor| *factor > Factor::ONE);
        let beside_others = match &self.groups {
            Some(groups) => {
                let live = self.running.iter().filter(|running| running.live);
                let present = live.map(|running| (running.block.sm, running.block.kernel));
                groups.rates(self.now, present.collect())?
            }
            None => BTreeMap::new(),
        };
        let mut on_sms = OnSms::default();
        let mut co_located = CoLocated {
            cpu: self.cpu,
            ..CoLocated::default()
        };
        // Few kernels run at the same time. They are sorted, each with its demand.
        let mut demands: Vec<(usize, u64)> = Vec::new();
        for Running { block, .. } in self.running.iter().filter(|running| running.live) {
            let state = &self.kernels[block.kernel];
            if intra_sm.is_some() {
                on_sms.add(block.kernel, block.sm);
            }
            if state.memory_share != Factor::ZERO {
                crowd.add(block.kernel, block.sm, gpc_of(block.sm));
            }
            match demands.binary_search_by_key(&block.kernel, |&(kernel, _)| kernel) {
                Ok(place) => demands[place].1 = demands[place].1.saturating_add(state.bandwidth),
                Err(place) => demands.insert(place, (block.kernel, state.bandwidth)),
            }
        }
        let live = |copy: &&(usize, &RunningCopy)| copy.1.live;
        let copies: Vec<(usize, &RunningCopy)> = self
            .running_copies
            .iter()
            .enumerate()
            .filter(|copy| live(&copy))
            .collect();
        for (_, copy) in &copies {
            co_located.add(self.scenario.copies[copy.copy].kind);
        }
        let mut clients: Vec<u64> = demands.iter().map(|&(_, demand)| demand).collect();
        clients.extend(
            copies
                .iter()
                .map(|(_, copy)| self.scenario.copies[copy.copy].bandwidth),
        );
        let cpu = self.scenario.cpu.as_ref().filter(|_| self.cpu);
        clients.extend(cpu.map(|cpu| cpu.bandwidth));
        let shares = max_min(setting.bandwidth.unwrap_or(u64::MAX), &clients);
        let used = clients.iter().zip(&shares).map(|(&demand, &rate)| {
            u64::try_from((u128::from(demand) * u128::from(rate)) >> 32).unwrap_or(u64::MAX)
        });
        if setting.bandwidth.is_some() {
            let used = used.fold(0, u64::saturating_add);
            self.observer.see(self.now, Event::Bandwidth(used));
        }
        let mut blocks = Vec::with_capacity(self.running.len());
        for (place, running) in self.running.iter().enumerate().filter(|(_, at)| at.live) {
            let block = running.block;
            let client = demands.binary_search_by_key(&block.kernel, |&(kernel, _)| kernel);
            let share = client.map_or(1, |client| shares[client]);
            let memory_share = self.kernels[block.kernel].memory_share;
            let share = match running.contended {
                Some(contended) if self.cpu => share.min(contended),
                _ => share,
            };
            let share = match intra_sm {
                Some(factor) if on_sms.others(block.kernel, block.sm) > 0 => {
                    share.min(slowed(factor, Factor::ONE))
                }
                _ => share,
            };
            let share = match beside_others.get(&(block.sm, block.kernel)) {
                Some(&rate) => share.min(rate),
                None => share,
            };
            let rate = match &setting.factors {
                Some(factors) if memory_share != Factor::ZERO => {
                    let (same_gpc, other_gpc) = match gpc {
                        Some(_) => crowd.others(block.kernel, block.sm, gpc_of(block.sm)),
                        None => (false, false),
                    };
                    let co_located = CoLocated {
                        same_gpc,
                        other_gpc,
                        cpu: co_located.cpu && running.contended.is_none(),
                        ..co_located
                    };
                    share.min(slowed(co_located.factor(factors), memory_share))
                }
                _ => share,
            };
            blocks.push((place, rate));
        }
        let shares = shares.iter().skip(demands.len());
        let copies = copies
            .iter()
            .zip(shares)
            .map(|((place, _), &rate)| (*place, rate));
        Ok(Rates {
            blocks,
            copies: copies.collect(),
        })
    }
}
