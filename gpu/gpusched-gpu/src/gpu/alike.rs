//! Simulation of one SM for each class of equal SMs. The proof of correctness is in
//! `docs/explanation/warp-level.md`.
//!
//! At the start, all SMs are empty and form one class of equal SMs. The method requires that blocks are the only input
//! of the SMs. Under this condition, the SMs of a class stay equal while they receive blocks with equal keys in equal
//! places in the same cycles. When the blocks differ, gpusched splits the class.

use super::super::code::Unlike;
use super::super::sm::EndedBlock;
use super::launches::dispatch::Start;
use super::{Failure, Gpu, Launch, Results, Settings, run_watched};
use crate::machine::Machine;

/// Mapping from each SM to the simulated SM that represents it.
#[derive(Debug)]
pub struct Classes {
    /// Index of the simulated SM that represents each SM.
    of: Vec<usize>,
    /// SMs that each simulated SM represents, in ascending order.
    members: Vec<Vec<usize>>,
    /// Index of the block in each place of each SM. `None` if gpusched simulates every SM
    /// separately.
    blocks: Option<Vec<Vec<u64>>>,
}

/// Changes that a split of classes requires in the simulated SMs.
#[derive(Debug, Default)]
pub struct Parted {
    /// Simulated SMs to copy before the new blocks start. The caller appends each copy to the
    /// list of simulated SMs.
    pub copies: Vec<usize>,
    /// Simulated SMs that start a block. The start describes the first of the equal blocks.
    pub starts: Vec<(usize, Start)>,
}

/// Kernel whose blocks prevent the proof that SMs stay equal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("kernel {kernel:?}: {reason}")]
pub struct UnlikeKernel {
    /// Name of the kernel.
    pub kernel: String,
    /// Reason why the proof fails.
    pub reason: Unlike,
}

/// Checks that equal SMs stay equal while they receive blocks of `kernels` with equal keys.
///
/// # Errors
/// Fails at the first kernel that prevents the proof.
pub fn stay_equal(kernels: &[Launch]) -> Result<(), UnlikeKernel> {
    kernels.iter().try_for_each(|kernel| match kernel.source.key(0) {
        Ok(_) => Ok(()),
        Err(reason) => Err(UnlikeKernel {
            kernel: kernel.name.clone(),
            reason,
        }),
    })
}

/// Returns the results of [`run_watched`]. If [`stay_equal`] succeeds, gpusched simulates only
/// one SM of each class of equal SMs.
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
            // If the machine lacks a unit, the full simulation determines which SM fails first.
            Err(Failure::NoUnit { .. }) => {}
            Err(failure) => return Err(failure),
        }
    }
    run_watched(machine, kernels, settings, watch)
}

impl Classes {
    /// Creates a mapping of `sms` SMs where each SM is simulated separately.
    pub fn single(sms: usize) -> Self {
        Self {
            of: (0..sms).collect(),
            members: (0..sms).map(|sm| vec![sm]).collect(),
            blocks: None,
        }
    }

    /// Creates a mapping of `sms` SMs where one simulated SM represents all SMs.
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

    /// Returns pairs of an SM and the simulated SM that represents this SM.
    pub fn each(&self) -> impl Iterator<Item = (usize, usize)> {
        self.of.iter().copied().enumerate()
    }

    /// Returns the block that ends on each SM that `simulated` represents. `ended` is the block
    /// that ends on `simulated`.
    pub fn ended(&self, simulated: usize, ended: EndedBlock) -> impl Iterator<Item = (usize, EndedBlock)> {
        self.members[simulated].iter().map(move |&sm| {
            let index = match &self.blocks {
                Some(blocks) => blocks[sm][ended.place],
                None => ended.index,
            };
            (sm, EndedBlock { index, ..ended })
        })
    }

    /// Starts blocks, at most one on each SM, and splits classes whose SMs receive different blocks. `alike` takes two
    /// positions in `starts`, and returns whether their blocks belong to the same kernel and have equal keys. If
    /// several SMs of a class receive blocks, these blocks must have equal places.
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
            // SMs that receive equal blocks form one group. SMs that receive no block form
            // another group.
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
