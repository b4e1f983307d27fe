//! A DRAM channel with banks and rows. The scheduler of the channel serves requests first-ready,
//! first-come-first-served (FR-FCFS).

mod commands;
#[cfg(test)]
mod slow;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use crate::machine::{Dram, DramScheduler};
use crate::memory::events::Issued;
use crate::memory::request::{CLIENT_BYTES, Kind, Request, SECTOR};
use crate::memory::ring::Ring;

/// Location of an address in its DRAM channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Number of the bank, computed by the bank index function.
    pub bank: u32,
    /// Number of the row in the bank.
    pub row: u64,
}

#[derive(Debug, Clone, Copy)]
struct Job {
    request: Request,
    row: u64,
    write: bool,
    /// Number of column commands that remain to be issued.
    commands: u32,
}

#[derive(Debug, Default)]
struct Bank {
    /// Waiting requests, oldest first. If the channel has a separate write queue, this queue
    /// contains only reads.
    reads: VecDeque<Job>,
    /// Waiting writes, oldest first. Used only if the channel has a separate write queue.
    writes: VecDeque<Job>,
    /// Rows that the read queue and the write queue currently serve.
    serving: [Option<u64>; 2],
    job: Option<Job>,
    open: Option<u64>,
    row: u64,
    /// First command cycle when a column read is allowed. The next three fields state this cycle
    /// for the other kinds of commands.
    column_read: u64,
    column_write: u64,
    precharge: u64,
    activate: u64,
}

/// A DRAM channel.
#[derive(Debug)]
pub struct Channel {
    dram: Dram,
    banks: Vec<Bank>,
    /// Bit mask of the banks that execute a job.
    working: u64,
    /// Bit mask of the banks with waiting requests.
    queued: u64,
    /// Requests that have arrived but are not yet in the queue of their bank.
    arrivals: Ring<(u32, Job)>,
    /// Transfers on the data bus. Each entry contains the cycle when the transfer completes, the
    /// request, and whether the transfer is the last of the request.
    bus: Ring<(u64, Request, bool)>,
    /// Replies that wait for the slices.
    pub answers: Ring<Request>,
    /// Number of requests in the channel, in any state.
    inside: usize,
    /// Current command cycle.
    clock: u64,
    /// First command cycle when the timing may allow a command, if no bank starts a new job.
    quiet_until: u64,
    turn: usize,
    pending: usize,
    pending_writes: usize,
    draining_writes: bool,
    next_column: u64,
    next_activate: u64,
    next_read: u64,
    next_write: u64,
    /// First command cycle when each bank group can execute a column command.
    next_in_group: Vec<u64>,
    next_precharge_in_group: Vec<u64>,
    /// Commands that the channel issued since the caller last took them.
    pub issued: Issued,
}

const NEVER: u64 = u64::MAX;

impl Channel {
    pub fn new(dram: Dram) -> Self {
        let groups = dram.timing.bank_groups as usize;
        Self {
            banks: (0..dram.timing.banks).map(|_| Bank::default()).collect(),
            working: 0,
            queued: 0,
            arrivals: Ring::new(),
            bus: Ring::new(),
            answers: Ring::new(),
            inside: 0,
            clock: 0,
            quiet_until: 0,
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
            issued: Issued::default(),
            dram,
        }
    }

    /// Returns whether the channel rejects further requests: writes if `write` is true, and reads
    /// otherwise.
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

    /// Returns whether the channel contains no requests.
    pub fn is_idle(&self) -> bool {
        self.inside == 0
    }

    /// Returns the first command cycle when the channel may be active, if no request arrives and
    /// the caller takes no reply. Returns 0 if this cycle is unknown.
    pub fn quiet_until(&self) -> u64 {
        let chooses = match self.dram.write_queue {
            Some(_) => self.pending + self.pending_writes > 0,
            None => self.queued & !self.working != 0,
        };
        if chooses || !self.arrivals.is_empty() || !self.answers.is_empty() {
            return 0;
        }
        let next = self.bus.front().map_or(NEVER, |&(at, _, _)| at);
        match self.working {
            0 => next,
            _ => next.min(self.quiet_until),
        }
    }

    /// Removes and returns the oldest reply.
    pub fn take_answer(&mut self) -> Option<Request> {
        let answer = self.answers.pop_front();
        self.inside -= usize::from(answer.is_some());
        answer
    }

    /// Adds `request`, which has just arrived at the channel.
    pub fn push(&mut self, request: Request, place: Place) {
        let bytes = match request.kind {
            Kind::WriteBack { sectors } => u64::from(sectors) * SECTOR,
            Kind::Client { .. } => CLIENT_BYTES,
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

    /// Simulates command cycle `tick`. Returns the write that completes in this cycle, if there is one.
    pub fn cycle(&mut self, tick: u64) -> Option<Request> {
        let written = self.deliver(tick);
        self.schedule();
        self.command();
        written
    }

    /// Completes the oldest transfer on the data bus if the transfer is due at `tick`. For a
    /// completed read, adds a reply. Returns a completed write.
    fn deliver(&mut self, tick: u64) -> Option<Request> {
        self.clock = tick;
        let mut written = None;
        if self.answers.len() < self.answer_places()
            && let Some(&(at, request, last)) = self.bus.front()
            && at <= self.clock
        {
            self.bus.pop_front();
            if last {
                match request.kind {
                    Kind::WriteBack { .. } | Kind::Client { writes: true } => {
                        self.inside -= 1;
                        written = Some(request);
                    }
                    _ => self.answers.push_back(request),
                }
            }
        }
        written
    }

    /// Moves arrivals to the queues of their banks.
    fn sort_arrivals(&mut self) {
        while let Some((bank, job)) = self.arrivals.pop_front() {
            self.queued |= 1 << bank;
            let bank = &mut self.banks[bank as usize];
            if job.write && self.dram.write_queue.is_some() {
                bank.writes.push_back(job);
                self.pending_writes += 1;
            } else {
                bank.reads.push_back(job);
                self.pending += 1;
            }
        }
    }

    fn schedule(&mut self) {
        if self.dram.scheduler == DramScheduler::FrFcfs {
            self.sort_arrivals();
            if self.pending + self.pending_writes == 0 {
                return;
            }
            let banks = self.banks.len();
            if self.working.count_ones() as usize == banks {
                return;
            }
            self.switch_queue();
            for index in rotated(self.queued & !self.working, self.turn) {
                if let Some(job) = self.choose(index) {
                    self.give(index, job);
                    self.turn = (self.turn + 1) % banks;
                    break;
                }
            }
        } else if let Some(&(bank, job)) = self.arrivals.front()
            && self.banks[bank as usize].job.is_none()
        {
            self.arrivals.pop_front();
            self.give(bank as usize, job);
        }
    }

    /// Starts the execution of `job` on bank `index`.
    fn give(&mut self, index: usize, job: Job) {
        self.banks[index].job = Some(job);
        self.working |= 1 << index;
        self.quiet_until = 0;
    }

    /// Decides whether the channel serves reads or writes.
    fn switch_queue(&mut self) {
        if let Some(queue) = &self.dram.write_queue {
            if !self.draining_writes && self.pending_writes >= queue.high as usize {
                self.draining_writes = true;
            } else if self.draining_writes && self.pending_writes < queue.low as usize {
                self.draining_writes = false;
            }
        }
    }

    /// Chooses the next job of bank `index` by first-ready, first-come-first-served. The bank first serves requests to
    /// its most recently opened row, in order of arrival. If there are no such requests, the bank serves the oldest
    /// request, and then all other requests to the same row.
    fn choose(&mut self, index: usize) -> Option<Job> {
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
        if bank.reads.is_empty() && bank.writes.is_empty() {
            self.queued &= !(1 << index);
        }
        if job.write && self.dram.write_queue.is_some() {
            self.pending_writes -= 1;
        } else {
            self.pending -= 1;
        }
        Some(job)
    }
}

/// Returns the positions of the bits in `set`, in ascending order from `start` on. After the
/// highest bit, the order continues at bit 0.
fn rotated(set: u64, start: usize) -> impl Iterator<Item = usize> {
    let later = set & (u64::MAX << start);
    let mut halves = [later, set & !later];
    std::iter::from_fn(move || {
        let half = if halves[0] == 0 { 1 } else { 0 };
        let bits = halves[half];
        if bits == 0 {
            return None;
        }
        halves[half] = bits & (bits - 1);
        Some(bits.trailing_zeros() as usize)
    })
}
