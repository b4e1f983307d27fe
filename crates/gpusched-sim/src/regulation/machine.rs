//! Model of the GPU. The GPU starts thread blocks in the order of their numbers, and executes up to M blocks at once.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use super::bursts::{Bursts, Progress};

/// A thread block in one run.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Block {
    /// Execution time in isolation [ns]; positive.
    pub alone: f64,
    /// Rate of progress e⁰/e¹ while best-effort cores access memory; in (0, 1].
    pub speed: f64,
}

impl Block {
    /// Creates a block that takes `alone` ns in isolation and `contended` ns under full memory
    /// traffic. A value of `contended` below `alone` counts as `alone`.
    pub fn new(alone: f64, contended: f64) -> Block {
        let speed = alone / contended.max(alone);
        Block { alone, speed }
    }
}

/// State of a kernel in one regulation period. `AccessPattern::Adversarial` simulates the future
/// with clones of this state.
#[derive(Clone, Debug)]
pub(super) struct Machine<'a> {
    blocks: &'a [Block],
    /// Number of the first block that has not started.
    next: usize,
    /// Running blocks. The block on top ends first.
    running: BinaryHeap<Running>,
    /// End of the last block that has ended [ns since the start of the period].
    pub ended: f64,
    /// Total work of all blocks that have started, as execution time in isolation [ns].
    started: f64,
    /// Number of bursts that have ended.
    past: usize,
}

/// A running block.
#[derive(Copy, Clone, PartialEq, Debug)]
struct Running {
    /// End of the block [ns since the start of the period]. If the block does not end in this
    /// period, the value is infinite.
    end: f64,
    block: usize,
    /// Work that remains for the next period, as execution time in isolation [ns].
    left: f64,
    speed: f64,
}

impl Running {
    fn new(block: usize, speed: f64, progress: Progress) -> Running {
        let (end, left) = match progress {
            Progress::Done(end) => (end, 0.0),
            Progress::Left(left) => (f64::INFINITY, left),
        };
        Running {
            end,
            block,
            left,
            speed,
        }
    }
}

impl Eq for Running {}

impl Ord for Running {
    /// A block with an earlier end is greater. In a tie, the block with the lower number is
    /// greater.
    fn cmp(&self, other: &Running) -> Ordering {
        let ends = other.end.total_cmp(&self.end);
        ends.then_with(|| other.block.cmp(&self.block))
    }
}

impl PartialOrd for Running {
    fn partial_cmp(&self, other: &Running) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<'a> Machine<'a> {
    /// Creates the state before the start of the kernel.
    pub fn new(blocks: &'a [Block]) -> Machine<'a> {
        Machine {
            blocks,
            next: 0,
            running: BinaryHeap::new(),
            ended: 0.0,
            started: 0.0,
            past: 0,
        }
    }

    /// Starts the kernel at time `now` with its first `active` blocks.
    pub fn start(&mut self, active: usize, now: f64, bursts: &Bursts) {
        self.past = bursts.past(now, 0);
        for (number, block) in self.blocks.iter().enumerate().take(active) {
            let progress = bursts.advance(now, block.alone, block.speed, self.past);
            self.running.push(Running::new(number, block.speed, progress));
            self.started += block.alone;
            self.next = number + 1;
        }
    }

    /// Starts the next period. Running blocks continue in this period.
    pub fn resume(&mut self, bursts: &Bursts) {
        self.past = 0;
        let mut running = std::mem::take(&mut self.running).into_vec();
        for slot in &mut running {
            *slot = Running::new(
                slot.block,
                slot.speed,
                bursts.advance(0.0, slot.left, slot.speed, 0),
            );
        }
        self.running = BinaryHeap::from(running);
    }

    /// Executes blocks up to time `limit` [ns since the start of the period].
    pub fn run_to(&mut self, limit: f64, bursts: &Bursts) {
        while let Some(mut first) = self.running.peek_mut() {
            let now = first.end;
            if now > limit {
                break;
            }
            self.ended = now;
            match self.blocks.get(self.next) {
                Some(block) => {
                    self.past = bursts.past(now, self.past);
                    let progress = bursts.advance(now, block.alone, block.speed, self.past);
                    *first = Running::new(self.next, block.speed, progress);
                    self.started += block.alone;
                    self.next += 1;
                }
                None => {
                    PeekMut::pop(first);
                }
            }
        }
    }

    /// Returns whether all blocks have ended.
    pub fn is_done(&self) -> bool {
        self.running.is_empty() && self.next >= self.blocks.len()
    }

    /// Returns the number of the first block that has not started, and the numbers of all running
    /// blocks.
    pub fn state(&self) -> (u64, impl Iterator<Item = u64>) {
        (
            self.next as u64,
            self.running.iter().map(|slot| slot.block as u64),
        )
    }

    /// Returns the remaining work of the running blocks, minus the total work of all blocks that have started [ns in
    /// isolation].
    pub fn backlog(&self) -> f64 {
        self.running.iter().map(|slot| slot.left).sum::<f64>() - self.started
    }
}
