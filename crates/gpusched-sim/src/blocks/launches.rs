//! The ready kernels of one application, and the free resources of the SMs for this application.

use std::collections::VecDeque;

use super::progress::Progress;
use super::{Block, Sm};
use gpusched_model::scenario::{DeviceShape, StreamPriority};

/// A set of SMs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum IndexSet {
    All,
    These(Vec<bool>),
}

impl IndexSet {
    /// Creates the set of the SMs in `numbers`. If `numbers` is `None`, the set contains all
    /// `sms` SMs.
    pub fn new(numbers: Option<&[u32]>, sms: u32) -> IndexSet {
        let Some(numbers) = numbers else {
            return IndexSet::All;
        };
        let mut these = vec![false; sms as usize];
        for &sm in numbers {
            if let Some(is_in) = these.get_mut(sm as usize) {
                *is_in = true;
            }
        }
        IndexSet::These(these)
    }

    /// Returns the empty set.
    pub fn none() -> IndexSet {
        IndexSet::These(Vec::new())
    }

    pub fn contains(&self, sm: u32) -> bool {
        match self {
            IndexSet::All => true,
            IndexSet::These(these) => these.get(sm as usize).copied().unwrap_or(false),
        }
    }

    /// Returns whether the two sets have at least one common SM.
    pub fn meets(&self, other: &IndexSet) -> bool {
        match (self, other) {
            (IndexSet::All, IndexSet::All) => true,
            (IndexSet::All, IndexSet::These(these)) | (IndexSet::These(these), IndexSet::All) => {
                these.contains(&true)
            }
            (IndexSet::These(a), IndexSet::These(b)) => a.iter().zip(b).any(|(a, b)| *a && *b),
        }
    }

    /// Adds all SMs of `other`.
    pub fn add(&mut self, other: &IndexSet) {
        match (&mut *self, other) {
            (IndexSet::All, _) => {}
            (_, IndexSet::All) => *self = IndexSet::All,
            (IndexSet::These(a), IndexSet::These(b)) => {
                a.resize(a.len().max(b.len()), false);
                for (a, b) in a.iter_mut().zip(b) {
                    *a |= *b;
                }
            }
        }
    }
}

/// A running block.
#[derive(Copy, Clone, Debug)]
pub(super) struct Running {
    pub block: Block,
    /// Rate of progress of the block while CPU cores access memory. `None` if the kernel has no
    /// profile.
    pub contended: Option<u64>,
    pub progress: Progress,
    /// Number of the valid end event of the block. The simulation ignores end events with other numbers.
    pub generation: u32,
    pub live: bool,
}

/// The state of one application on the GPU.
#[derive(Clone, Debug)]
pub(super) struct Launches {
    pub sms: Vec<Sm>,
    /// Kernels with blocks that have not started. There is one queue for each priority, and the queue with the higher
    /// priority is first. Each queue is sorted by the time at which its kernels became ready.
    pub queues: [VecDeque<usize>; 2],
    /// Number of blocks that are running.
    pub running: usize,
    /// Preempted blocks of the application.
    pub suspended: Vec<Running>,
    /// Cache configuration that running kernels require, and number of these kernels.
    pub cache: Option<(usize, usize)>,
}

impl Launches {
    pub fn new(device: &DeviceShape) -> Launches {
        Launches {
            sms: vec![Sm::new(device); device.sms as usize],
            queues: Default::default(),
            running: 0,
            suspended: Vec::new(),
            cache: None,
        }
    }

    /// Adds `kernel`, which is ready to run.
    pub fn add(&mut self, kernel: usize, priority: StreamPriority) {
        let [high, low] = &mut self.queues;
        match priority {
            StreamPriority::High => high.push_back(kernel),
            StreamPriority::Low => low.push_back(kernel),
        }
    }

    /// Returns whether the application has blocks that run, wait or are preempted.
    pub fn has_work(&self) -> bool {
        self.running > 0 || !self.suspended.is_empty() || self.queues.iter().any(|queue| !queue.is_empty())
    }

    /// Returns whether a kernel with cache configuration `cache` can run concurrently with the
    /// running kernels.
    pub fn suits(&self, cache: Option<usize>) -> bool {
        match (self.cache, cache) {
            (Some((present, _)), Some(cache)) => present == cache,
            _ => true,
        }
    }

    /// Records the start of a kernel with cache configuration `cache`.
    pub fn occupy(&mut self, cache: Option<usize>) {
        if let Some(cache) = cache {
            let users = self.cache.map_or(0, |(_, users)| users);
            self.cache = Some((cache, users + 1));
        }
    }

    /// Records the end of a kernel with cache configuration `cache`.
    pub fn vacate(&mut self, cache: Option<usize>) {
        if let (Some(_), Some((present, users))) = (cache, self.cache) {
            self.cache = (users > 1).then(|| (present, users - 1));
        }
    }
}
