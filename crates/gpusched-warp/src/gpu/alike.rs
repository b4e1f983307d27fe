//! SMs that are equal are simulated once (docs/models.md has the proof).
//!
//! At first all SMs are empty, and so equal: one class. Where nothing comes to an SM but blocks, those of a class stay equal as
//! long as they get blocks of equal keys in the same places and cycles. A class of which some get others is parted.

use super::super::code::Unlike;
use super::super::sm::EndedBlock;
use super::launches::dispatch::Start;
use super::{Failure, Gpu, Launch, Results, Settings, run_watched};
use gpusched_model::machine::Machine;

/// Which simulated SM stands for which SMs.
#[derive(Debug)]
pub struct Classes {
    /// Per SM, the simulated one.
    of: Vec<usize>,
    /// Per simulated SM, those it stands for, ascending.
    members: Vec<Vec<usize>>,
    /// Per SM and place, the block there; only if SMs share.
    blocks: Option<Vec<Vec<u64>>>,
}

/// What parting classes takes.
#[derive(Debug, Default)]
pub struct Parted {
    /// Simulated SMs that are needed once more each, at the end; as they are before the blocks start.
    pub copies: Vec<usize>,
    /// Simulated SMs on which blocks start, with the first of those.
    pub starts: Vec<(usize, Start)>,
}

/// A kernel whose blocks cannot be said to step alike.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("kernel {kernel:?}: {reason}")]
pub struct UnlikeKernel {
    /// Its name.
    pub kernel: String,
    /// Why.
    pub reason: Unlike,
}

/// Whether SMs that get equal blocks stay equal under `kernels`.
///
/// # Errors
/// The first kernel that prevents it.
pub fn stay_equal(kernels: &[Launch]) -> Result<(), UnlikeKernel> {
    kernels.iter().try_for_each(|kernel| match kernel.source.key(0) {
        Ok(_) => Ok(()),
        Err(reason) => Err(UnlikeKernel {
            kernel: kernel.name.clone(),
            reason,
        }),
    })
}

/// As [`run_watched`], with the same results; SMs that are equal are simulated once, if [`stay_equal`] says that they stay so.
///
/// # Errors
/// [`Failure`].
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
            // Of several causes, the full run names the one of the first SM.
            Err(Failure::NoUnit { .. }) => {}
            Err(failure) => return Err(failure),
        }
    }
    run_watched(machine, kernels, settings, watch)
}

impl Classes {
    /// Each of `sms` SMs stands for itself.
    pub fn single(sms: usize) -> Self {
        Self {
            of: (0..sms).collect(),
            members: (0..sms).map(|sm| vec![sm]).collect(),
            blocks: None,
        }
    }

    /// One SM stands for all `sms`.
    pub fn one(sms: usize) -> Self {
        Self {
            of: vec![0; sms],
            members: vec![(0..sms).collect()],
            blocks: Some(vec![Vec::new(); sms]),
        }
    }

    /// Whether an SM may stand for several.
    pub fn shares(&self) -> bool {
        self.blocks.is_some()
    }

    /// SMs that are simulated.
    pub fn simulated(&self) -> usize {
        self.members.len()
    }

    /// The simulated SM that stands for `sm`.
    pub fn of(&self, sm: usize) -> usize {
        self.of[sm]
    }

    /// For each SM, the simulated one.
    pub fn each(&self) -> impl Iterator<Item = (usize, usize)> {
        self.of.iter().copied().enumerate()
    }

    /// A block ended on a simulated SM: what ended on which SMs.
    pub fn ended(&self, simulated: usize, ended: EndedBlock) -> impl Iterator<Item = (usize, EndedBlock)> {
        self.members[simulated].iter().map(move |&sm| {
            let index = match &self.blocks {
                Some(blocks) => blocks[sm][ended.place],
                None => ended.index,
            };
            (sm, EndedBlock { index, ..ended })
        })
    }

    /// `starts` begin, at most one on each SM; `alike` says of two of them by their position whether they are of one kernel and
    /// of equal keys. SMs of one class get them in the same place.
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
            // By what they get: nothing, or one of some blocks.
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
