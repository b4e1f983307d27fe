//! A channel as the reference writes it: every bank is looked at in every cycle.

use std::collections::VecDeque;

use super::super::super::request::{Kind, Request, SECTOR};
use super::{Bank, ChannelCounts, Job, Place};
use crate::model::machine::{Dram, DramScheduler};

/// A DRAM channel.
#[derive(Debug)]
pub struct Channel {
    dram: Dram,
    banks: Vec<Bank>,
    /// Arrived, not yet in a bank's queue.
    arrivals: VecDeque<(u32, Job)>,
    /// Requests on the data bus, with the cycle in which they are through.
    bus: VecDeque<(u64, Request, bool)>,
    /// Answers.
    pub answers: VecDeque<Request>,
    /// Requests that are here, in whatever state.
    inside: usize,
    /// The command cycle.
    clock: u64,
    turn: usize,
    pending: usize,
    pending_writes: usize,
    draining_writes: bool,
    next_column: u64,
    next_activate: u64,
    next_read: u64,
    next_write: u64,
    /// Per bank group.
    next_in_group: Vec<u64>,
    next_precharge_in_group: Vec<u64>,
    /// Commands so far.
    pub counts: ChannelCounts,
}

impl Channel {
    pub fn new(dram: Dram) -> Self {
        let groups = dram.timing.bank_groups as usize;
        Self {
            banks: (0..dram.timing.banks).map(|_| Bank::default()).collect(),
            arrivals: VecDeque::new(),
            bus: VecDeque::new(),
            answers: VecDeque::new(),
            inside: 0,
            clock: 0,
            turn: 0,
            pending: 0,
            pending_writes: 0,
            draining_writes: false,
            next_column: 0,
            next_activate: 0,
            next_read: 0,
            next_write: 0,
            next_in_group: vec![0; groups],
            next_precharge_in_group: vec![0; groups],
            counts: ChannelCounts::default(),
            dram,
        }
    }

    /// Whether the scheduler takes no further request.
    pub fn is_full(&self, write: bool) -> bool {
        if self.dram.scheduler != DramScheduler::FrFcfs {
            return self.arrivals.len() >= 2;
        }
        if self.dram.queue == 0 {
            return false;
        }
        match &self.dram.write_queue {
            Some(queue) if write => self.pending_writes >= queue.size as usize,
            _ => self.pending >= self.dram.queue as usize,
        }
    }

    /// The answer that waited longest, taken away.
    pub fn take_answer(&mut self) -> Option<Request> {
        let answer = self.answers.pop_front();
        self.inside -= usize::from(answer.is_some());
        answer
    }

    /// A request arrives.
    pub fn push(&mut self, request: Request, place: Place) {
        let bytes = match request.kind {
            Kind::WriteBack { sectors } => u64::from(sectors) * SECTOR,
            _ => SECTOR,
        };
        self.inside += 1;
        let commands = bytes.div_ceil(u64::from(self.dram.atom_bytes())) as u32;
        self.arrivals.push_back((
            place.bank,
            Job {
                request,
                row: place.row,
                write: request.writes(),
                commands,
            },
        ));
    }

    fn answer_places(&self) -> usize {
        match self.dram.return_queue {
            0 => 1024,
            places => places as usize,
        }
    }

    /// Command cycle `tick`. Returns a write-back that is done.
    pub fn cycle(&mut self, tick: u64) -> Option<Request> {
        self.clock = tick;
        let mut written = None;
        if self.answers.len() < self.answer_places()
            && let Some(&(at, request, last)) = self.bus.front()
            && at <= self.clock
        {
            self.bus.pop_front();
            if last {
                match request.kind {
                    Kind::WriteBack { .. } => {
                        self.inside -= 1;
                        written = Some(request);
                    }
                    _ => self.answers.push_back(request),
                }
            }
        }
        self.schedule();
        self.command();
        written
    }

    fn schedule(&mut self) {
        if self.dram.scheduler == DramScheduler::FrFcfs {
            while let Some((bank, job)) = self.arrivals.pop_front() {
                let bank = &mut self.banks[bank as usize];
                if job.write && self.dram.write_queue.is_some() {
                    bank.writes.push_back(job);
                    self.pending_writes += 1;
                } else {
                    bank.reads.push_back(job);
                    self.pending += 1;
                }
            }
            if self.pending + self.pending_writes == 0 {
                return;
            }
            let banks = self.banks.len();
            for step in 0..banks {
                let index = (step + self.turn) % banks;
                if self.banks[index].job.is_some() {
                    continue;
                }
                if let Some(job) = self.choose(index) {
                    self.banks[index].job = Some(job);
                    self.turn = (self.turn + 1) % banks;
                    break;
                }
            }
        } else if let Some(&(bank, job)) = self.arrivals.front()
            && self.banks[bank as usize].job.is_none()
        {
            self.arrivals.pop_front();
            self.banks[bank as usize].job = Some(job);
        }
    }

    /// First ready, first come: requests to the open row first, oldest first; else the oldest, and then all of its row.
    fn choose(&mut self, index: usize) -> Option<Job> {
        if let Some(queue) = &self.dram.write_queue {
            if !self.draining_writes && self.pending_writes >= queue.high as usize {
                self.draining_writes = true;
            } else if self.draining_writes && self.pending_writes < queue.low as usize {
                self.draining_writes = false;
            }
        }
        let writes = self.draining_writes;
        let bank = &mut self.banks[index];
        let row = bank.row;
        let queue = if writes { &mut bank.writes } else { &mut bank.reads };
        let serving = &mut bank.serving[usize::from(writes)];
        let wanted = match *serving {
            Some(row) => row,
            None if queue.iter().any(|job| job.row == row) => row,
            None => queue.front()?.row,
        };
        let position = queue.iter().position(|job| job.row == wanted)?;
        let job = queue.remove(position)?;
        *serving = queue.iter().any(|job| job.row == wanted).then_some(wanted);
        if job.write && self.dram.write_queue.is_some() {
            self.pending_writes -= 1;
        } else {
            self.pending -= 1;
        }
        Some(job)
    }

    fn command(&mut self) {
        let banks = self.banks.len();
        let mut column = false;
        let mut row = false;
        for step in 0..banks {
            // A row command moves the turn within the loop, as in the reference.
            let bank = (step + self.turn) % banks;
            if self.banks[bank].job.is_none() {
                continue;
            }
            column = column || self.column(bank);
            if !self.dram.dual_bus && !column && !row {
                row = self.row(bank);
            }
            if column {
                break;
            }
        }
        if self.dram.dual_bus {
            let first = self.turn;
            let _ = (0..banks)
                .map(|step| (step + first) % banks)
                .any(|bank| self.row(bank));
        }
    }

    /// Gives a read or write command to `index` if it is allowed now.
    fn column(&mut self, index: usize) -> bool {
        let now = self.clock;
        let timing = &self.dram.timing;
        let group = self.dram.bank_group(index as u32) as usize;
        let bank = &mut self.banks[index];
        let Some(job) = bank.job.as_mut() else {
            return false;
        };
        if bank.open != Some(job.row) || now < self.next_column || now < self.next_in_group[group] {
            return false;
        }
        let burst = u64::from(self.dram.burst_cycles());
        if job.write {
            if now < bank.column_write || now < self.next_write {
                return false;
            }
            self.next_read = now + u64::from(self.dram.write_to_read());
            bank.precharge = bank
                .precharge
                .max(now + u64::from(self.dram.write_to_precharge()));
            self.counts.writes += 1;
        } else {
            if now < bank.column_read || now < self.next_read {
                return false;
            }
            self.next_write = now + u64::from(self.dram.read_to_write());
            bank.precharge = bank.precharge.max(now + burst);
            self.next_precharge_in_group[group] = now + u64::from(timing.rtpl);
            self.counts.reads += 1;
        }
        self.next_column = now + u64::from(timing.ccd);
        self.next_in_group[group] = now + u64::from(timing.ccdl);
        let latency = u64::from(if job.write { timing.wl } else { timing.cl });
        let after_last = self.bus.back().map_or(0, |&(at, _, _)| at + 1);
        job.commands -= 1;
        let last = job.commands == 0;
        self.bus
            .push_back(((now + latency).max(after_last), job.request, last));
        if last {
            bank.job = None;
        }
        true
    }

    /// Opens or closes a row of `index` if that is needed and allowed now.
    fn row(&mut self, index: usize) -> bool {
        let now = self.clock;
        let timing = &self.dram.timing;
        let group = self.dram.bank_group(index as u32) as usize;
        let banks = self.banks.len();
        let bank = &mut self.banks[index];
        let Some(job) = &bank.job else { return false };
        match bank.open {
            None if now >= self.next_activate && now >= bank.activate => {
                bank.open = Some(job.row);
                bank.row = job.row;
                self.next_activate = now + u64::from(timing.rrd);
                bank.column_read = now + u64::from(timing.rcd);
                bank.column_write = now + u64::from(self.dram.rcd_write());
                bank.precharge = bank.precharge.max(now + u64::from(timing.ras));
                bank.activate = now + u64::from(timing.rc);
            }
            Some(open)
                if open != job.row && now >= bank.precharge && now >= self.next_precharge_in_group[group] =>
            {
                bank.open = None;
                bank.activate = bank.activate.max(now + u64::from(timing.rp));
            }
            _ => return false,
        }
        self.turn = (index + 1) % banks;
        true
    }
}
