//! The SIMT stack: which lanes run where.
//!
//! As in GPGPU-Sim: where lanes part, the entry they shared waits at the point where they meet again, and each side that is
//! not there yet gets an entry of its own above it, first those that did not jump, then those that did; so those that jumped
//! run first.

use super::Jump;

/// Lanes that run together.
#[derive(Debug, Clone)]
struct Entry {
    /// The next instruction.
    next: u32,
    lanes: u32,
    /// Where the entry ends.
    meets: Option<u32>,
    /// Rounds done in each of the loops around.
    counters: Box<[i64]>,
}

/// The SIMT stack of a warp.
#[derive(Debug, Clone)]
pub(super) struct Stack {
    entries: Vec<Entry>,
}

impl Stack {
    /// `lanes` at the first instruction.
    pub fn new(lanes: u32, depth: usize) -> Stack {
        let counters = vec![0; depth].into();
        let entries = match lanes {
            0 => Vec::new(),
            _ => vec![Entry {
                next: 0,
                lanes,
                meets: None,
                counters,
            }],
        };
        Stack { entries }
    }

    /// The next instruction, the lanes there, and the counters; none when all lanes have ended.
    pub fn top(&self) -> Option<(u32, u32, &[i64])> {
        self.entries
            .last()
            .map(|entry| (entry.next, entry.lanes, &*entry.counters))
    }

    /// All lanes go on to the next instruction.
    pub fn advance(&mut self) {
        if let Some(entry) = self.entries.last_mut() {
            entry.next = entry.next.wrapping_add(1);
        }
        self.settle();
    }

    /// Lanes end, the others go on.
    pub fn exit(&mut self, lanes: u32) {
        for entry in &mut self.entries {
            entry.lanes &= !lanes;
        }
        self.advance();
    }

    /// The lanes of `jumping` jump, the others go on. Of a loop, `counter` is the slot.
    pub fn branch(&mut self, jumping: u32, jump: Jump, counter: Option<usize>) {
        let Some(top) = self.entries.last_mut() else {
            return;
        };
        let staying = top.lanes & !jumping;
        let slot = |entry: &mut Entry, again: bool| {
            if let Some(rounds) = counter.and_then(|slot| entry.counters.get_mut(slot)) {
                *rounds = if again { rounds.wrapping_add(1) } else { 0 };
            }
        };
        let next = top.next.wrapping_add(1);
        if staying == 0 {
            top.next = jump.target;
            slot(top, true);
        } else if jumping & top.lanes == 0 {
            top.next = next;
            slot(top, false);
        } else {
            let (jumping, meets, outer) = (jumping & top.lanes, jump.meets, top.meets);
            let mut stayed = Entry {
                next,
                lanes: staying,
                meets,
                counters: top.counters.clone(),
            };
            let mut jumped = Entry {
                next: jump.target,
                lanes: jumping,
                meets,
                counters: top.counters.clone(),
            };
            slot(&mut stayed, false);
            slot(&mut jumped, true);
            // Sides that meet where the entry itself ends need no one to wait for them.
            match meets {
                Some(meeting) if meets != outer => {
                    top.next = meeting;
                    slot(top, false);
                }
                _ => drop(self.entries.pop()),
            }
            let at_end = |entry: &Entry| Some(entry.next) == entry.meets && entry.meets.is_some();
            self.entries
                .extend([stayed, jumped].into_iter().filter(|entry| !at_end(entry)));
        }
        self.settle();
    }

    /// Removes entries that are at their end, and those whose lanes have all ended.
    fn settle(&mut self) {
        while let Some(top) = self.entries.last() {
            if top.lanes != 0 && (top.meets.is_none() || top.meets != Some(top.next)) {
                break;
            }
            self.entries.pop();
        }
    }
}
