//! Simulates equal SMs once. The proof is in `docs/explanation/warp-level.md`.
//!
//! At the start, all SMs are empty and form one class of equal SMs. If an SM receives only blocks, the SMs of a class
//! stay equal under one condition. They must receive blocks with equal keys in the same places and cycles. Otherwise
//! the class is split.

use super::super::code::Unlike;
use super::super::sm::EndedBlock;
use super::launches::dispatch::Start;
use super::{Failure, Gpu, Launch, Results, Settings, run_watched};
use gpusched_model::machine::Machine;

/// The mapping of SMs to simulated SMs.
#[derive(Debug)]
pub struct Classes {
    /// Simulated SM of each SM.
    of: Vec<usize>,
    /// SMs that each simulated SM represents, ascending.
    members: Vec<Vec<usize>>,
    /// Block of each SM and place; present only if an SM may represent several SMs.
    blocks: Option<Vec<Vec<u64>>>,
}

/// The changes that splitting classes requires.
#[derive(Debug, Default)]
pub struct Parted {
    /// Simulated SMs to copy, in their state before the blocks start. The copies are appended at the end.
    pub copies: Vec<usize>,
    /// Simulated SMs that start blocks, each with the first of the equal blocks.
    pub starts: Vec<(usize, Start)>,
}

/// A kernel whose blocks cannot be proven to execute alike.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("kernel {kernel:?}: {reason}")]
pub struct UnlikeKernel {
    /// Name of the kernel.
    pub kernel: String,
    /// Reason.
    pub reason: Unlike,
}

/// Checks whether SMs that receive equal blocks stay equal under `kernels`.
///
/// # Errors
/// Fails with the first kernel that prevents the proof.
pub fn stay_equal(kernels: &[Launch]) -> Result<(), UnlikeKernel> {
    kernels.iter().try_for_each(|kernel| match kernel.source.key(0) {
        Ok(_) => Ok(()),
        Err(reason) => Err(UnlikeKernel {
            kernel: kernel.name.clone(),
            reason,
        }),
    })
}

/// Runs as [`run_watched`] with the same results, but simulates equal SMs once if [`stay_equal`] succeeds.
///
/// # Errors
/// Fails with [`Failure`] if the simulation fails.
pub fn run_equal_once(
    machine: &Machine,
    kernels: &[Launch],
    settings: &Settings,
    watch: &mut dyn FnMut(u64),
) -> Result<Results, Failure> {
    if stay_equal(kernels).is_ok() {
        let mut gpu = Gpu::new(machine, kernels, settings, true)?;
        match gpu.run(settings.limit, watch) {
            Ok(()) => return Ok(gpu.finish()),
            // If several SMs fail, the full simulation reports the failure of the first SM.
            Err(Failure::NoUnit { .. }) => {}
            Err(failure) => return Err(failure),
        }
    }
    run_watched(machine, kernels, settings, watch)
}

impl Classes {
    /// Creates one class per SM for `sms` SMs.
    pub fn single(sms: usize) -> Self {
        Self {
            of: (0..sms).collect(),
            members: (0..sms).map(|sm| vec![sm]).collect(),
            blocks: None,
        }
    }

    /// Creates one class of all `sms` SMs.
    pub fn one(sms: usize) -> Self {
        Self {
            of: vec![0; sms],
            members: vec![(0..sms).collect()],
            blocks: Some(vec![Vec::new(); sms]),
        }
    }

    /// Returns whether a simulated SM may represent several SMs.
    pub fn shares(&self) -> bool {
        self.blocks.is_some()
    }

    /// Returns the number of simulated SMs.
    pub fn simulated(&self) -> usize {
        self.members.len()
    }

    /// Returns the simulated SM that represents `sm`.
    pub fn of(&self, sm: usize) -> usize {
        self.of[sm]
    }

    /// Returns each SM with its simulated SM.
    pub fn each(&self) -> impl Iterator<Item = (usize, usize)> {
        self.of.iter().copied().enumerate()
    }

    /// Returns the blocks that end on each SM when a block ends on a simulated SM.
    pub fn ended(&self, simulated: usize, ended: EndedBlock) -> impl Iterator<Item = (usize, EndedBlock)> {
        self.members[simulated].iter().map(move |&sm| {
            let index = match &self.blocks {
                Some(blocks) => blocks[sm][ended.place],
                None => ended.index,
            };
            (sm, EndedBlock { index, ..ended })
        })
    }

    /// Starts blocks, at most one on each SM, and splits classes where necessary. `alike` returns whether two starts,
    /// given by their positions, have the same kernel and equal keys. All SMs of one class must receive their blocks in
    /// the same place.
    pub fn start(&mut self, starts: &[Start], alike: impl Fn(usize, usize) -> bool) -> Parted {
        let mut parted = Parted::default();
        let Some(blocks) = &mut self.blocks else {
            parted.starts = starts.iter().map(|&start| (self.of[start.sm], start)).collect();
            return parted;
        };
        let mut of_sm = vec![None; self.of.len()];
        let mut classes = Vec::new();
        for (position, start) in starts.iter().enumerate() {
            let places = &mut blocks[start.sm];
            places.resize(places.len().max(start.place + 1), 0);
            places[start.place] = start.index;
            of_sm[start.sm] = Some(position);
            classes.push(self.of[start.sm]);
        }
        classes.sort_unstable();
        classes.dedup();
        for class in classes {
            // SMs are grouped by the block that they receive, if any.
            let mut groups: Vec<(Option<usize>, Vec<usize>)> = Vec::new();
            for &sm in &self.members[class] {
                let gets = of_sm[sm];
                let group = groups.iter_mut().find(|(other, _)| match (*other, gets) {
                    (Some(other), Some(this)) => alike(other, this),
                    (other, this) => other.is_none() && this.is_none(),
                });
                match group {
                    Some((_, group)) => group.push(sm),
                    None => groups.push((gets, vec![sm])),
                }
            }
            for (number, (gets, group)) in groups.into_iter().enumerate() {
                let simulated = match number {
                    0 => class,
                    _ => {
                        parted.copies.push(class);
                        self.members.push(Vec::new());
                        self.members.len() - 1
                    }
                };
                group.iter().for_each(|&sm| self.of[sm] = simulated);
                self.members[simulated] = group;
                parted
                    .starts
                    .extend(gets.map(|position| (simulated, starts[position])));
            }
        }
        parted
    }
}
