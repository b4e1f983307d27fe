//! Miss status holding registers: who waits for which sector.

use std::collections::VecDeque;

use super::super::request::{Kind, Request};
use super::word_hash::WordMap;

#[derive(Debug, Clone, Copy)]
struct Waiting {
    request: Request,
    next: u32,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    line: usize,
    bytes: u32,
    atomic: bool,
    head: u32,
    tail: u32,
    count: usize,
}

const NONE: u32 = u32::MAX;

/// What room there is for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// None.
    None,
    /// It can join others that wait for its sector.
    Merge,
    /// It can open an entry.
    New,
}

/// The registers.
#[derive(Debug, Clone)]
pub struct Mshr {
    entries: WordMap<Entry>,
    nodes: Vec<Waiting>,
    free: Vec<u32>,
    ready: VecDeque<u64>,
    most_entries: usize,
    most_merges: usize,
}

impl Mshr {
    /// Registers for `most_entries` sectors with at most `most_merges` requests each.
    pub fn new(most_entries: usize, most_merges: usize) -> Self {
        Self {
            entries: WordMap::default(),
            nodes: Vec::new(),
            free: Vec::new(),
            ready: VecDeque::new(),
            most_entries,
            most_merges,
        }
    }

    pub fn has(&self, sector: u64) -> bool {
        self.entries.contains_key(&sector)
    }

    pub fn room(&self, sector: u64) -> Room {
        match self.entries.get(&sector) {
            Some(entry) if entry.count < self.most_merges => Room::Merge,
            Some(_) => Room::None,
            None if self.entries.len() < self.most_entries => Room::New,
            None => Room::None,
        }
    }

    pub fn add(&mut self, request: &Request, line: usize) {
        let node = match self.free.pop() {
            Some(node) => node,
            None => {
                self.nodes.push(Waiting {
                    request: *request,
                    next: NONE,
                });
                (self.nodes.len() - 1) as u32
            }
        };
        self.nodes[node as usize] = Waiting {
            request: *request,
            next: NONE,
        };
        let entry = self.entries.entry(request.address).or_insert(Entry {
            line,
            bytes: request.bytes,
            atomic: false,
            head: node,
            tail: node,
            count: 0,
        });
        if entry.count > 0 {
            self.nodes[entry.tail as usize].next = node;
            entry.tail = node;
        }
        entry.count += 1;
        entry.atomic |= request.kind == Kind::Atomic;
    }

    /// The sector is there: its line, the bytes asked for first, and whether an atomic waits for it.
    pub fn arrived(&mut self, sector: u64) -> Option<(usize, u32, bool)> {
        let entry = self.entries.get(&sector)?;
        self.ready.push_back(sector);
        Some((entry.line, entry.bytes, entry.atomic))
    }

    pub fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    pub fn next_ready(&mut self) -> Option<Request> {
        let sector = *self.ready.front()?;
        let entry = self.entries.get_mut(&sector)?;
        let node = entry.head;
        let waiting = self.nodes[node as usize];
        self.free.push(node);
        entry.head = waiting.next;
        if waiting.next == NONE {
            self.entries.remove(&sector);
            self.ready.pop_front();
        } else {
            // The count only limits merging, which may go on while answers leave.
            entry.count -= 1;
        }
        Some(waiting.request)
    }
}
