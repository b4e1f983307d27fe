//! Miss status holding registers (MSHRs). The registers store the requests that wait for each
//! sector.

use super::super::request::{Kind, Request};
use super::super::ring::Ring;
use super::word_hash::hash;

#[derive(Debug, Clone, Copy)]
struct Waiting {
    request: Request,
    next: u32,
}

/// Entry for a sector whose fill is pending. Most entries have one request, so the first request
/// is stored inline. An entry fits one cache line of the host processor.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Entry {
    /// Request that opened the entry.
    first: Request,
    /// Whether the request in `first` no longer waits.
    first_went: bool,
    atomic: bool,
    line: u32,
    /// Number of waiting requests, including the first request. All other requests are stored in
    /// a list.
    count: u32,
    head: u32,
    tail: u32,
    /// Next entry in the chain of entries whose sectors have equal hashes. In a free entry, this is the next free
    /// entry.
    next: u32,
}

const NONE: u32 = u32::MAX;

/// Place where a request can wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// The request cannot wait, because all registers are in use.
    None,
    /// The request can wait in this entry together with other requests for the same sector.
    Merge(u32),
    /// The request can wait in a new entry.
    New,
}

/// Miss status holding registers of a cache.
#[derive(Debug, Clone)]
pub struct Mshr {
    entries: Vec<Entry>,
    /// First entry for each hash value of a sector. The number of buckets is a power of two.
    buckets: Box<[u32]>,
    free_entry: u32,
    used: usize,
    nodes: Vec<Waiting>,
    free_node: u32,
    /// Entries whose sectors have arrived.
    ready: Ring<u32>,
    most_entries: usize,
    most_merges: usize,
}

/// Maximum number of buckets. For the supported machines, more buckets would not shorten any chain.
const MOST_BUCKETS: usize = 1024;

impl Mshr {
    /// Creates registers for at most `most_entries` sectors, with at most `most_merges` requests
    /// per sector.
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

    /// Adds `request` in the place `room`. For a new entry, `line` is the line of the sector.
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

    /// Stores `request` in a list node, and returns the index of this node.
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

    /// Marks the sector as arrived. Returns its line, the bytes that its first request accesses,
    /// and whether an atomic waits for the sector. Returns `None` if no request waits for the
    /// sector.
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
            // Further requests for this sector may arrive while earlier requests continue. The count limits these
            // requests.
            entry.count -= 1;
        }
        Some(request)
    }

    /// Closes the entry `at` after its last request has continued.
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
