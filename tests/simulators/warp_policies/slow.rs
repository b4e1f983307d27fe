//! Reference implementation of the policies, as printed in the papers. In every cycle, the
//! implementation sorts all warps, and the first warp that can issue an instruction issues it.
//! The state contains only what the papers name.

use gpusched::model::Scheduler;

/// A warp in its slot.
#[derive(Debug, Clone, Copy)]
pub struct Warp {
    pub slot: usize,
    pub age: u64,
    pub group: usize,
    /// Whether the warp can issue now.
    pub ready: bool,
}

/// The state of a scheduler. Groups are named by the index of their first kernel.
#[derive(Debug, Clone)]
pub struct Slow {
    scheduler: Scheduler,
    /// Number of slots.
    slots: usize,
    budgets: Vec<u32>,
    /// Slot of the warp that issued last.
    greedy: Option<usize>,
    /// Slot and group of the warp that issued in the previous cycle.
    previous: Option<(usize, usize)>,
    current: Option<usize>,
    /// QAWS: number of switches of each group.
    switches: Vec<u32>,
    /// RT-PAWS: remaining budget of each group.
    left: Vec<i64>,
    /// Printed listings: group of the warp that issued last, and head of the queue of the previous cycle.
    greedy_group: Option<usize>,
    head: Option<usize>,
}

impl Slow {
    pub fn new(scheduler: Scheduler, slots: usize, budgets: &[u32]) -> Slow {
        Slow {
            scheduler,
            slots,
            budgets: budgets.to_vec(),
            greedy: None,
            previous: None,
            current: None,
            switches: vec![0; budgets.len()],
            left: budgets.iter().map(|&budget| i64::from(budget)).collect(),
            greedy_group: None,
            head: None,
        }
    }

    /// Returns the group of a kernel.
    fn group(&self, kernel: usize) -> usize {
        match self.scheduler {
            Scheduler::RtPaws | Scheduler::Qaws => kernel,
            _ => {
                let budget = self.budgets[kernel];
                self.budgets.iter().position(|&other| other == budget).unwrap()
            }
        }
    }

    /// Starts a cycle and returns all warps in the order of this cycle.
    pub fn queue(&mut self, warps: &[Warp]) -> Vec<usize> {
        let previous = self.previous.take();
        let grouped: Vec<Warp> = warps
            .iter()
            .map(|&warp| Warp {
                group: self.group(warp.group),
                ..warp
            })
            .collect();
        let sorted: Vec<Warp> = match self.scheduler {
            Scheduler::Lrr => {
                let first = self.greedy.map_or(0, |slot| slot + 1);
                let slots = (first..self.slots).chain(0..first.min(self.slots));
                let at = |slot: usize| warps.iter().copied().find(|warp| warp.slot == slot);
                slots.filter_map(at).collect()
            }
            Scheduler::Gto => self.gto(warps, self.greedy.unwrap_or(0)),
            Scheduler::Oldest => old(warps),
            Scheduler::QawsPrinted | Scheduler::RtPawsPrinted => self.printed(&grouped, previous),
            _ => self.turns(&grouped, previous),
        };
        sorted.iter().map(|warp| warp.slot).collect()
    }

    pub fn issued(&mut self, warp: Warp) {
        let group = self.group(warp.group);
        (self.greedy, self.greedy_group) = (Some(warp.slot), Some(group));
        self.previous = Some((warp.slot, group));
    }

    /// Returns the greedy warp, followed by all other warps by age.
    fn gto(&self, warps: &[Warp], greedy: usize) -> Vec<Warp> {
        let (mut first, others): (Vec<Warp>, Vec<Warp>) = warps.iter().partition(|warp| warp.slot == greedy);
        first.extend(old(&others));
        first
    }

    fn turns(&mut self, warps: &[Warp], previous: Option<(usize, usize)>) -> Vec<Warp> {
        let present = |group: usize| warps.iter().any(|warp| warp.group == group);
        // Groups by descending budget; among equal budgets, in the order of the kernels.
        let mut round: Vec<usize> = (0..self.budgets.len()).collect();
        round.sort_by_key(|&group| (std::cmp::Reverse(self.budgets[group]), group));
        if !self.current.is_some_and(present) {
            self.pass(&round, &present);
        }
        let Some(current) = self.current else {
            return Vec::new();
        };
        let alone = warps.iter().all(|warp| warp.group == current);
        let can = |slot: usize| warps.iter().any(|warp| warp.slot == slot && warp.ready);
        let stall = previous.is_some_and(|(slot, group)| group == current && !can(slot));
        if !alone && stall {
            let another = warps.iter().any(|warp| warp.group == current && warp.ready);
            match self.scheduler {
                Scheduler::Qaws | Scheduler::QawsByBudget => {
                    if self.switches[current] == self.budgets[current] {
                        self.pass(&round, &present);
                    } else if another {
                        self.switches[current] += 1;
                    }
                }
                _ => {
                    self.left[current] -= 1;
                    if self.left[current] < 0 {
                        self.pass(&round, &present);
                    }
                }
            }
        }
        // The current group comes first, and the other groups follow in their order.
        let current = self.current.unwrap();
        let place = round.iter().position(|&group| group == current).unwrap();
        round.rotate_left(place);
        let mut queue = Vec::new();
        for group in round {
            let members: Vec<Warp> = warps.iter().copied().filter(|warp| warp.group == group).collect();
            queue.extend(match self.greedy {
                Some(greedy) if group == current => self.gto(&members, greedy),
                _ => old(&members),
            });
        }
        queue
    }

    /// The listings as printed ([Singh22] Algorithm 1, [Singh21] Algorithm 5), for any number of groups.
    fn printed(&mut self, warps: &[Warp], previous: Option<(usize, usize)>) -> Vec<Warp> {
        let present = |group: usize| warps.iter().any(|warp| warp.group == group);
        let mut round: Vec<usize> = (0..self.budgets.len()).collect();
        round.sort_by_key(|&group| (std::cmp::Reverse(self.budgets[group]), group));
        if !self.current.is_some_and(present) {
            self.pass(&round, &present);
        }
        let Some(g0) = self.current else {
            self.head = None;
            return Vec::new();
        };
        let alone = warps.iter().all(|warp| warp.group == g0);
        let issued_head = previous.is_some() && previous.map(|(slot, _)| slot) == self.head;
        let greedy_in_g0 = self.greedy_group == Some(g0);
        let mut swap = false;
        if alone {
        } else if self.scheduler == Scheduler::QawsPrinted {
            if !issued_head && greedy_in_g0 {
                if self.switches[g0] < self.budgets[g0] {
                    self.switches[g0] += 1; // line 16
                } else {
                    swap = true; // line 20
                }
            }
        } else if self.head != self.greedy {
            if greedy_in_g0 {
                self.left[g0] -= 1; // line 19
            }
            swap = self.left[g0] <= 0; // line 22
        }
        if swap {
            self.pass(&round, &present);
        }
        let first = self.current.unwrap();
        let place = round.iter().position(|&group| group == first).unwrap();
        round.rotate_left(place);
        let mut queue = Vec::new();
        for group in round {
            let members: Vec<Warp> = warps.iter().copied().filter(|warp| warp.group == group).collect();
            let sorts_greedy = self.scheduler == Scheduler::QawsPrinted || group == first && !swap;
            queue.extend(match self.greedy {
                Some(greedy) if sorts_greedy => self.gto(&members, greedy),
                _ => old(&members),
            });
        }
        self.head = queue.first().map(|warp| warp.slot);
        queue
    }

    /// Restores the budget of the current group and makes the next group with warps current.
    fn pass(&mut self, round: &[usize], present: &dyn Fn(usize) -> bool) {
        let mut next = round.to_vec();
        if let Some(current) = self.current {
            self.switches[current] = 0;
            self.left[current] = i64::from(self.budgets[current]);
            let place = round.iter().position(|&group| group == current).unwrap();
            next.rotate_left(place + 1);
        }
        self.current = next.into_iter().find(|&group| present(group));
    }
}

/// Returns the warps by age; among equal ages, by slot.
fn old(warps: &[Warp]) -> Vec<Warp> {
    let mut sorted = warps.to_vec();
    sorted.sort_by_key(|warp| (warp.age, warp.slot));
    sorted
}
