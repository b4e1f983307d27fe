//! Miss status holding registers: who waits for which sector.

use super::super::request::{Kind, Request};
use super::super::ring::Ring;
use super::word_hash::hash;

#[derive(Debug, Clone, Copy)]
struct Waiting {
    request: Request,
    next: u32,
}

/// A sector on its way. It fills one line of the processor's cache: most have one request, which is here.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Entry {
    /// The request that opened it.
    first: Request,
    /// It has gone on.
    first_went: bool,
    atomic: bool,
    line: u32,
    /// Those that wait: the first one counts, and then those of this list.
    count: u32,
    head: u32,
    tail: u32,
    /// The next entry whose sector has the same hash; of free ones, the next free one.
    next: u32,
}

const NONE: u32 = u32::MAX;

/// What room there is for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// None.
    None,
    /// It can join others that wait for its sector, in this entry.
    Merge(u32),
    /// It can open an entry.
    New,
}

/// The registers.
#[derive(Debug, Clone)]
pub struct Mshr {
    entries: Vec<Entry>,
    /// By the hash of their sectors, the first entries; a power of two of them.
    buckets: Box<[u32]>,
    free_entry: u32,
    used: usize,
    nodes: Vec<Waiting>,
    free_node: u32,
    /// Entries whose sector has arrived.
    ready: Ring<u32>,
    most_entries: usize,
    most_merges: usize,
}

/// More buckets make no chain shorter in any machine.
const MOST_BUCKETS: usize = 1024;

impl Mshr {
    /// Registers for `most_entries` sectors with at most `most_merges` requests each.
    pub fn new(most_entries: usize, most_merges: usize) -> Self {
        let buckets = most_entries.clamp(2, MOST_BUCKETS).next_power_of_two();
        Self {
            entries: Vec::new(),
            buckets: vec![NONE; buckets].into(),
            free_entry: NONE,
            used: 0,
            nodes: Vec::new(),
            free_node: NONE,
            ready: Ring::new(),
            most_entries,
            most_merges,
        }
    }

    fn bucket(&self, sector: u64) -> usize {
        hash(sector) as usize & (self.buckets.len() - 1)
    }

    fn find(&self, sector: u64) -> Option<u32> {
        let mut at = self.buckets[self.bucket(sector)];
        while let Some(entry) = self.entries.get(at as usize) {
            if entry.first.address == sector {
                return Some(at);
            }
            at = entry.next;
        }
        None
    }

    pub fn has(&self, sector: u64) -> bool {
        self.find(sector).is_some()
    }

    pub fn room(&self, sector: u64) -> Room {
        match self.find(sector) {
            Some(entry) if (self.entries[entry as usize].count as usize) < self.most_merges => {
                Room::Merge(entry)
            }
            Some(_) => Room::None,
            None if self.used < self.most_entries => Room::New,
            None => Room::None,
        }
    }

    /// `request` waits in the `room` that there is for it; of a new entry, `line` is where the sector goes.
    pub fn add(&mut self, request: &Request, room: Room, line: usize) {
        match room {
            Room::None => {}
            Room::Merge(entry) => {
                let node = self.wait(request);
                let entry = &mut self.entries[entry as usize];
                match entry.head {
                    NONE => entry.head = node,
                    _ => self.nodes[entry.tail as usize].next = node,
                }
                entry.tail = node;
                entry.count += 1;
                entry.atomic |= request.kind == Kind::Atomic;
            }
            Room::New => {
                let bucket = self.bucket(request.address);
                let entry = Entry {
                    first: *request,
                    first_went: false,
                    atomic: request.kind == Kind::Atomic,
                    line: line as u32,
                    count: 1,
                    head: NONE,
                    tail: NONE,
                    next: self.buckets[bucket],
                };
                let at = self.free_entry;
                self.buckets[bucket] = match self.entries.get_mut(at as usize) {
                    Some(free) => {
                        self.free_entry = free.next;
                        *free = entry;
                        at
                    }
                    None => {
                        self.entries.push(entry);
                        (self.entries.len() - 1) as u32
                    }
                };
                self.used += 1;
            }
        }
    }

    /// A place for `request` among those that wait.
    fn wait(&mut self, request: &Request) -> u32 {
        let node = Waiting {
            request: *request,
            next: NONE,
        };
        let at = self.free_node;
        if let Some(free) = self.nodes.get_mut(at as usize) {
            self.free_node = free.next;
            *free = node;
            return at;
        }
        self.nodes.push(node);
        (self.nodes.len() - 1) as u32
    }

    /// The sector is there: its line, the bytes asked for first, and whether an atomic waits for it.
    pub fn arrived(&mut self, sector: u64) -> Option<(usize, u32, bool)> {
        let at = self.find(sector)?;
        self.ready.push_back(at);
        let entry = &self.entries[at as usize];
        Some((entry.line as usize, entry.first.bytes, entry.atomic))
    }

    pub fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    pub fn next_ready(&mut self) -> Option<Request> {
        let at = *self.ready.front()?;
        let entry = &mut self.entries[at as usize];
        let request = if entry.first_went {
            let node = entry.head;
            let waiting = &mut self.nodes[node as usize];
            entry.head = std::mem::replace(&mut waiting.next, self.free_node);
            self.free_node = node;
            waiting.request
        } else {
            entry.first_went = true;
            entry.first
        };
        if entry.head == NONE {
            self.close(at);
            self.ready.pop_front();
        } else {
            // The count only limits merging, which may go on while answers leave.
            entry.count -= 1;
        }
        Some(request)
    }

    /// Nobody waits in entry `at` any more.
    fn close(&mut self, at: u32) {
        let Entry { first, next, .. } = self.entries[at as usize];
        let bucket = self.bucket(first.address);
        if self.buckets[bucket] == at {
            self.buckets[bucket] = next;
        } else {
            let mut before = self.buckets[bucket];
            while let Some(entry) = self.entries.get_mut(before as usize) {
                if entry.next == at {
                    entry.next = next;
                    break;
                }
                before = entry.next;
            }
        }
        self.entries[at as usize].next = self.free_entry;
        self.free_entry = at;
        self.used -= 1;
    }
}

#[cfg(test)]
#[path = "mshr_tests.rs"]
mod tests;
