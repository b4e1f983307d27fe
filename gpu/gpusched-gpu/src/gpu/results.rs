//! Results of a simulation.

use super::super::memory::Slice;
use super::super::sm::{EndedBlock, IssueEvent, Sm, Stalls};
use super::launches::kernel::Launch;
use super::memory_side::camping::Shares;
use super::memory_side::clients::ClientResult;
use super::memory_side::meter::Meter;

/// Execution of a block on an SM, from the start of the block to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockRecord {
    /// Index of the kernel.
    pub kernel: usize,
    /// Index of the block in its grid.
    pub block: u64,
    /// Number of the SM.
    pub sm: usize,
    /// Place of the block on the SM. An SM has one place for each block that it can run at the
    /// same time.
    pub place: usize,
    /// Core cycle when the block started.
    pub start: u64,
    /// Core cycle when the block ended.
    pub end: u64,
}

/// Results of one kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelResult {
    /// Name of the kernel.
    pub name: String,
    /// Core cycle when the first block started.
    pub first_block: Option<u64>,
    /// Core cycle when the last block ended. If the kernel repeats, its last block that ended.
    pub finish: u64,
    /// Number of issued instructions, counted once per warp.
    pub warp_instructions: u64,
    /// Number of issued instructions, counted once per thread.
    pub thread_instructions: u64,
    /// Memory traffic that the kernel causes in the whole run.
    pub traffic: KernelTraffic,
    /// Number of sectors that the kernel has written but that are not yet in DRAM at the end of the run.
    pub left_dirty: u64,
    /// Number of core cycles where the first reply at a reply port belongs to the kernel, summed over all ports.
    pub hold: u64,
    /// Memory traffic of every kernel while this kernel runs: from the start of its first block to the end of its last
    /// block. Empty in estimates, and if the kernel repeats and has not ended once.
    pub window: Vec<KernelTraffic>,
    /// Number of ended blocks.
    pub(super) ended: u64,
}

/// Memory traffic that one kernel causes. The traffic of a write-back belongs to the last kernel that wrote to the line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KernelTraffic {
    /// Reads that L2 accepted [sectors].
    pub l2_reads: u64,
    /// Writes and atomics that L2 accepted [sectors].
    pub l2_writes: u64,
    /// Reads, writes and atomics that missed in L2 [sectors].
    pub l2_misses: u64,
    /// Sectors read from DRAM.
    pub dram_reads: u64,
    /// Sectors written to DRAM.
    pub dram_writes: u64,
    /// Number of DRAM rows that were opened.
    pub activations: u64,
}

impl KernelTraffic {
    /// Returns all counts.
    fn counts(&mut self) -> [&mut u64; 6] {
        [
            &mut self.l2_reads,
            &mut self.l2_writes,
            &mut self.l2_misses,
            &mut self.dram_reads,
            &mut self.dram_writes,
            &mut self.activations,
        ]
    }
}

impl KernelResult {
    /// Completes the window of the kernel. `end` is the traffic of each kernel before the end of the window. Before the
    /// call, the field `window` contains the traffic before the start of the window.
    pub(super) fn close_window(&mut self, mut end: Vec<KernelTraffic>) {
        for (end, start) in end.iter_mut().zip(&mut self.window) {
            for (end, start) in end.counts().into_iter().zip(start.counts()) {
                *end -= *start;
            }
        }
        self.window = end;
    }
}

/// Numbers of accessed sectors, per level of the memory hierarchy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Accesses to L1 [sectors].
    pub l1_accesses: u64,
    /// L1 misses [sectors].
    pub l1_misses: u64,
    /// Accesses to L2 [sectors].
    pub l2_accesses: u64,
    /// L2 misses [sectors].
    pub l2_misses: u64,
    /// Sectors read from DRAM.
    pub dram_reads: u64,
    /// Sectors written to DRAM.
    pub dram_writes: u64,
}

/// Results of a simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct Results {
    /// Duration of the run [core cycles].
    pub cycles: u64,
    /// Results per kernel.
    pub kernels: Vec<KernelResult>,
    /// Results per memory client. An estimate contains no valid results of clients.
    pub clients: Vec<ClientResult>,
    /// Numbers of accessed sectors of the kernels, per level of the memory hierarchy.
    pub traffic: Traffic,
    /// Largest share of the traffic that one slice, channel or bank receives, if the settings require it.
    pub shares: Option<Shares>,
    /// Number of scheduler cycles for each outcome, over all SMs with resident blocks.
    pub stalls: Stalls,
    /// Records of all ended blocks, in order of their ends. Without blocks of a kernel that started again.
    pub blocks: Vec<BlockRecord>,
    /// Issued instructions, sorted by SM and time; empty if the run does not record issues.
    pub issues: Vec<IssueEvent>,
}

impl Results {
    pub(super) fn new(kernels: &[Launch]) -> Self {
        Self {
            cycles: 0,
            kernels: kernels
                .iter()
                .map(|kernel| KernelResult {
                    name: kernel.name.clone(),
                    first_block: None,
                    finish: 0,
                    warp_instructions: 0,
                    thread_instructions: 0,
                    traffic: KernelTraffic::default(),
                    left_dirty: 0,
                    hold: 0,
                    window: Vec::new(),
                    ended: 0,
                })
                .collect(),
            clients: Vec::new(),
            traffic: Traffic::default(),
            shares: None,
            stalls: Stalls::default(),
            blocks: Vec::new(),
            issues: Vec::new(),
        }
    }

    /// Records the end of a block of a kernel that has `blocks` blocks.
    pub(super) fn ended(&mut self, sm: usize, start: u64, ended: &EndedBlock, blocks: u64) {
        let kernel = &mut self.kernels[ended.kernel];
        kernel.finish = ended.cycle;
        kernel.ended += 1;
        if kernel.ended > blocks {
            return;
        }
        self.blocks.push(BlockRecord {
            kernel: ended.kernel,
            block: ended.index,
            sm,
            place: ended.place,
            start,
            end: ended.cycle,
        });
    }

    /// Multiplies the counts of instructions and traffic by `of` / `simulated`.
    pub(crate) fn scale(&mut self, of: u64, simulated: u64) {
        for count in self.counts() {
            let scaled = u128::from(*count) * u128::from(of) / u128::from(simulated.max(1));
            *count = u64::try_from(scaled).unwrap_or(u64::MAX);
        }
    }

    /// Returns the counts of instructions and of traffic.
    fn counts(&mut self) -> Vec<&mut u64> {
        let traffic = &mut self.traffic;
        let kernels = self.kernels.iter_mut();
        let instructions = kernels.flat_map(|kernel| {
            let instructions = [&mut kernel.warp_instructions, &mut kernel.thread_instructions];
            let sectors = kernel
                .traffic
                .counts()
                .into_iter()
                .chain([&mut kernel.left_dirty, &mut kernel.hold]);
            instructions.into_iter().chain(sectors)
        });
        let sectors = [
            &mut traffic.l1_accesses,
            &mut traffic.l1_misses,
            &mut traffic.l2_accesses,
            &mut traffic.l2_misses,
            &mut traffic.dram_reads,
            &mut traffic.dram_writes,
        ];
        instructions.chain(sectors).collect()
    }

    /// Sets the duration of the run and of each kernel to `cycles`.
    pub(crate) fn last(&mut self, cycles: u64) {
        self.cycles = cycles;
        for kernel in &mut self.kernels {
            kernel.finish = cycles.saturating_sub(1);
            kernel.window.clear();
        }
    }

    /// Completes the results. `sms` contains pairs of an SM of the GPU and the simulated SM that represents it. `held`
    /// contains for each port the cycles of each kernel.
    pub(super) fn finish<'s>(
        mut self,
        now: u64,
        sms: impl Iterator<Item = (usize, &'s Sm)>,
        slices: &[Slice],
        meter: &Meter,
        held: impl Iterator<Item = Vec<u64>>,
    ) -> Self {
        self.cycles = now;
        for (number, sm) in sms {
            let l1 = sm.l1_counts();
            self.traffic.l1_accesses += l1.accesses;
            self.traffic.l1_misses += l1.misses;
            self.stalls.idle += sm.stalls.idle;
            self.stalls.scoreboard += sm.stalls.scoreboard;
            self.stalls.pipeline += sm.stalls.pipeline;
            self.stalls.issued += sm.stalls.issued;
            for (kernel, &(warps, threads)) in self.kernels.iter_mut().zip(&sm.instructions) {
                kernel.warp_instructions += warps;
                kernel.thread_instructions += threads;
            }
            let issues = sm.record.iter().flatten();
            self.issues.extend(issues.map(|&issue| IssueEvent {
                sm: number as u16,
                ..issue
            }));
        }
        let counts = meter.before(now).into_iter().zip(meter.evicted());
        for (kernel, (traffic, evicted)) in self.kernels.iter_mut().zip(counts) {
            kernel.traffic = traffic;
            kernel.left_dirty = evicted.saturating_sub(traffic.dram_writes);
            self.traffic.l2_accesses += traffic.l2_reads + traffic.l2_writes;
            self.traffic.l2_misses += traffic.l2_misses;
            self.traffic.dram_reads += traffic.dram_reads;
            self.traffic.dram_writes += traffic.dram_writes;
        }
        for (kernel, sectors) in slices.iter().flat_map(Slice::dirty) {
            if let Some(kernel) = self.kernels.get_mut(usize::from(kernel)) {
                kernel.left_dirty += u64::from(sectors);
            }
        }
        for held in held {
            for (kernel, cycles) in self.kernels.iter_mut().zip(held) {
                kernel.hold += cycles;
            }
        }
        self.shares = meter.shares();
        self
    }
}
