//! Dispatch of thread blocks to SMs.
//!
//! In each core cycle, every cluster may receive one block. The search for a free SM begins with the cluster after the
//! one that most recently received a block. The dispatcher keeps the current kernel until all blocks of this kernel
//! have started. If kernels do not share SMs, an SM accepts another kernel only when the SM is empty. A kernel in a
//! queue starts only while no other kernel of this queue runs. Kernels that use different DRAM channels have separate
//! dispatchers, as on separate smaller GPUs. A kernel that repeats starts again in the cycle after its end. If kernels
//! share SMs, a kernel with its maximum number of blocks on an SM does not prevent other kernels from using this SM.

use super::kernel::Launch;
use crate::machine::{MachineShape, WARP_SIZE};
use crate::sm::Sm;

/// The start of a block.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    /// SM of the block.
    pub sm: usize,
    /// Index of the kernel.
    pub kernel: usize,
    /// Index of the block in the grid.
    pub index: u64,
    /// Place of the block on the SM. An SM has one place for each block that it can run at the
    /// same time.
    pub place: usize,
    /// Slot of the first warp; the other warps of the block use the following slots.
    pub first_slot: usize,
}

/// Resources that are in use on one SM.
#[derive(Debug, Clone, Copy, Default)]
struct Occupied {
    threads: u64,
    registers: u64,
    shared_bytes: u64,
    blocks: u32,
}

/// State of the search for the next block, for one part of the GPU.
#[derive(Debug, Clone, Copy)]
struct Turn {
    last_kernel: usize,
    last_cluster: usize,
}

/// Dispatcher of thread blocks.
#[derive(Debug)]
pub struct Dispatcher {
    /// If kernels do not share SMs: for each SM, the only kernel whose blocks the SM accepts.
    bound: Vec<Option<usize>>,
    occupied: Vec<Occupied>,
    /// Index of the next block of each kernel.
    next: Vec<u64>,
    /// State of the search for each part of the GPU.
    turns: Vec<Turn>,
    /// Part of each kernel.
    part_of: Vec<usize>,
    /// For each cluster, the SM that most recently received a block.
    last_sm: Vec<usize>,
    /// Number of blocks that have not started, over all kernels.
    left: u64,
    /// Number of blocks that have not ended, over all kernels that do not repeat.
    unended: u64,
    /// Number of blocks of each kernel on each SM.
    resident: Vec<Vec<u32>>,
    /// First cycle when a block can start if no block ends before this cycle.
    settled_until: u64,
    /// Start of each block, per kernel [core cycle].
    starts: Vec<Vec<u64>>,
    /// For each queue, the kernel that runs.
    running: Vec<Option<usize>>,
    /// Number of ended blocks of each kernel.
    ended: Vec<u64>,
}

impl Dispatcher {
    pub fn new(clusters: usize, per_cluster: usize, kernels: &[Launch]) -> Self {
        let first_of = |kernel: &Launch| {
            let mut all = kernels.iter();
            all.position(|other| other.channels == kernel.channels)
        };
        let blocks = |counts: &dyn Fn(&Launch) -> bool| {
            let blocks = kernels
                .iter()
                .filter(|kernel| counts(kernel))
                .map(|kernel| kernel.blocks);
            blocks.fold(0, u64::saturating_add)
        };
        Self {
            bound: vec![None; clusters * per_cluster],
            occupied: vec![Occupied::default(); clusters * per_cluster],
            next: vec![0; kernels.len()],
            turns: vec![
                Turn {
                    last_kernel: 0,
                    last_cluster: clusters - 1,
                };
                kernels.len()
            ],
            // The number of a part is the index of its first kernel.
            part_of: kernels.iter().filter_map(first_of).collect(),
            last_sm: vec![per_cluster - 1; clusters],
            left: blocks(&|_| true),
            unended: blocks(&|kernel| !kernel.repeats),
            resident: vec![vec![0; kernels.len()]; clusters * per_cluster],
            settled_until: 0,
            starts: vec![Vec::new(); kernels.len()],
            running: vec![None; kernels.len()],
            ended: vec![0; kernels.len()],
        }
    }

    /// Returns whether all blocks have started.
    pub fn is_done(&self) -> bool {
        self.left == 0
    }

    /// Returns whether all blocks of all kernels that do not repeat have ended.
    pub fn is_over(&self) -> bool {
        self.unended == 0
    }

    /// Returns the next cycle after `now` when a kernel may start its first block.
    pub fn next_launch(&self, now: u64, kernels: &[Launch]) -> Option<u64> {
        let waiting = kernels
            .iter()
            .zip(&self.next)
            .filter(|(kernel, next)| **next < kernel.blocks);
        waiting
            .map(|(kernel, _)| kernel.at + 1)
            .filter(|&at| at > now)
            .min()
    }

    /// Returns whether blocks of `kernel` have not started.
    pub fn has_left(&self, kernel: usize, kernels: &[Launch]) -> bool {
        self.next[kernel] < kernels[kernel].blocks
    }

    fn has_blocks(&self, kernel: usize, kernels: &[Launch], now: u64) -> bool {
        self.is_waiting(kernel, kernels, now) && self.is_first(kernel, kernels, now)
    }

    /// Returns whether `kernel` is launched and has blocks that have not started.
    fn is_waiting(&self, kernel: usize, kernels: &[Launch], now: u64) -> bool {
        self.has_left(kernel, kernels) && kernels[kernel].at < now
    }

    /// Returns whether `kernel` may run according to its queue.
    fn is_first(&self, kernel: usize, kernels: &[Launch], now: u64) -> bool {
        let Some(own) = kernels[kernel].queue else {
            return true;
        };
        if let Some(running) = self.running[own.queue] {
            return running == kernel;
        }
        let rank = |(index, other): (usize, &Launch)| {
            let queued = other.queue.filter(|queued| queued.queue == own.queue)?;
            self.is_waiting(index, kernels, now)
                .then_some((queued.priority, index))
        };
        kernels.iter().enumerate().filter_map(rank).min() == Some((own.priority, kernel))
    }

    /// Selects the kernel of `part` whose next block starts on SM `sm`.
    fn select(&mut self, part: usize, sm: usize, kernels: &[Launch], now: u64) -> Option<usize> {
        let may = |kernel: usize| {
            let sms = kernels[kernel].sms.as_ref();
            self.part_of[kernel] == part
                && sms.is_none_or(|sms| sms.get(sm) == Some(&true))
                && !self.is_full(sm, kernel, kernels)
        };
        let last = self.turns[part].last_kernel;
        if self.has_blocks(last, kernels, now) && may(last) {
            return Some(last);
        }
        let count = kernels.len();
        let found = (0..count)
            .map(|step| (step + last + 1) % count)
            .find(|&kernel| self.has_blocks(kernel, kernels, now) && may(kernel))?;
        self.turns[part].last_kernel = found;
        Some(found)
    }

    /// Returns whether `kernel` has its maximum number of blocks on `sm`.
    fn is_full(&self, sm: usize, kernel: usize, kernels: &[Launch]) -> bool {
        let most = kernels[kernel].resident;
        most.is_some_and(|most| self.resident[sm][kernel] >= most)
    }

    /// Returns the first cycle when a block can start if no block ends before this cycle.
    pub fn rests_until(&self) -> u64 {
        match self.left {
            0 => u64::MAX,
            _ => self.settled_until,
        }
    }

    /// Returns the blocks that start at the end of cycle `now - 1`, at most one in each cluster. `state` returns
    /// the state of an SM, or `None` if the SM has no room for a block.
    pub fn dispatch<'s>(
        &mut self,
        machine: &MachineShape,
        state: impl Fn(usize) -> Option<&'s Sm>,
        kernels: &[Launch],
        now: u64,
    ) -> Vec<Start> {
        let mut starts = Vec::new();
        if now < self.settled_until {
            return starts;
        }
        for part in 0..self.turns.len() {
            if self.part_of[part] == part {
                self.dispatch_part(part, machine, &state, kernels, now, &mut starts);
            }
        }
        if starts.is_empty() {
            self.settled_until = self.next_launch(now, kernels).unwrap_or(u64::MAX);
        }
        starts
    }

    /// Selects the blocks of `part` that start, and adds them to `starts`.
    fn dispatch_part<'s>(
        &mut self,
        part: usize,
        machine: &MachineShape,
        state: &impl Fn(usize) -> Option<&'s Sm>,
        kernels: &[Launch],
        now: u64,
        starts: &mut Vec<Start>,
    ) {
        let per_cluster = machine.sms_per_cluster as usize;
        let clusters = self.last_sm.len();
        let first = self.turns[part].last_cluster + 1;
        let of_others = starts.len();
        for step in 0..clusters {
            let cluster = (first + step) % clusters;
            if starts[..of_others]
                .iter()
                .any(|start| start.sm / per_cluster == cluster)
            {
                continue;
            }
            for core in 0..per_cluster {
                let core = (core + self.last_sm[cluster] + 1) % per_cluster;
                let sm = cluster * per_cluster + core;
                let Some(state) = state(sm) else { continue };
                let Some(kernel) = self.kernel_for(part, sm, machine, state, kernels, now) else {
                    continue;
                };
                let Some((place, first_slot)) = self.room(sm, state, machine, &kernels[kernel]) else {
                    continue;
                };
                starts.push(Start {
                    sm,
                    kernel,
                    index: self.next[kernel],
                    place,
                    first_slot,
                });
                if self.next[kernel] == 0 {
                    self.starts[kernel].clear();
                }
                self.starts[kernel].push(now);
                self.next[kernel] += 1;
                self.left -= 1;
                if let Some(queued) = kernels[kernel].queue {
                    self.running[queued.queue] = Some(kernel);
                }
                self.take(sm, kernel, &kernels[kernel]);
                self.last_sm[cluster] = core;
                self.turns[part].last_cluster = cluster;
                break;
            }
        }
    }

    fn kernel_for(
        &mut self,
        part: usize,
        sm: usize,
        machine: &MachineShape,
        state: &Sm,
        kernels: &[Launch],
        now: u64,
    ) -> Option<usize> {
        if machine.dispatch.share_sms {
            return self.select(part, sm, kernels, now);
        }
        if let Some(kernel) = self.bound[sm]
            && self.has_blocks(kernel, kernels, now)
        {
            let starts = self.part_of[kernel] == part && !self.is_full(sm, kernel, kernels);
            return starts.then_some(kernel);
        }
        if !state.is_empty() {
            return None;
        }
        let kernel = self.select(part, sm, kernels, now)?;
        self.bound[sm] = Some(kernel);
        Some(kernel)
    }

    /// Returns a place for a block of `kernel` on `sm`, together with its first warp slot.
    fn room(&self, sm: usize, state: &Sm, machine: &MachineShape, kernel: &Launch) -> Option<(usize, usize)> {
        let warps = warps(kernel);
        if !machine.dispatch.share_sms {
            let fit = machine.blocks_per_sm_of_grid(&kernel.need, kernel.blocks) as usize;
            let place = state.free_place(fit)?;
            return Some((place, place * warps));
        }
        let occupied = &self.occupied[sm];
        let need = &kernel.need;
        let fits = occupied.threads + need.padded_threads() <= u64::from(machine.sm.threads)
            && occupied.registers + need.block_registers() <= u64::from(machine.sm.registers)
            && occupied.shared_bytes + u64::from(need.shared_bytes) <= u64::from(machine.shared_memory.bytes)
            && occupied.blocks < machine.sm.blocks;
        if !fits {
            return None;
        }
        Some((
            state.free_place(machine.sm.blocks as usize)?,
            state.free_slots(warps)?,
        ))
    }

    fn take(&mut self, sm: usize, index: usize, kernel: &Launch) {
        self.resident[sm][index] += 1;
        let occupied = &mut self.occupied[sm];
        occupied.threads += kernel.need.padded_threads();
        occupied.registers += kernel.need.block_registers();
        occupied.shared_bytes += u64::from(kernel.need.shared_bytes);
        occupied.blocks += 1;
    }

    /// Returns the cycle when block `index` of `kernel` started [core cycles].
    pub fn started(&self, kernel: usize, index: u64) -> u64 {
        self.starts[kernel][index as usize]
    }

    /// Releases the resources that an ended block of kernel `index` used on `sm`. After the last block of the kernel,
    /// another kernel of its queue can start, or the kernel itself if it repeats.
    pub fn give_back(&mut self, sm: usize, index: usize, kernel: &Launch) {
        self.settled_until = 0;
        self.ended[index] += 1;
        self.resident[sm][index] -= 1;
        if !kernel.repeats {
            self.unended -= 1;
        }
        if self.ended[index] == kernel.blocks {
            if let Some(queued) = kernel.queue {
                self.running[queued.queue] = None;
            }
            if kernel.repeats {
                (self.ended[index], self.next[index]) = (0, 0);
                self.left = self.left.saturating_add(kernel.blocks);
            }
        }
        let occupied = &mut self.occupied[sm];
        occupied.threads -= kernel.need.padded_threads();
        occupied.registers -= kernel.need.block_registers();
        occupied.shared_bytes -= u64::from(kernel.need.shared_bytes);
        occupied.blocks -= 1;
    }
}

/// Returns the number of warps of a block of `kernel`.
pub fn warps(kernel: &Launch) -> usize {
    kernel.need.threads.div_ceil(WARP_SIZE) as usize
}
