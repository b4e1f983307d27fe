//! Random co-runs of kernels on one simulated GPU.

use std::ops::Range;

use crate::machine::Machine;
use crate::program::Program;
use crate::warp_run::{KernelSource, RunKernel, Share, WarpRunShape};
use gpusched_model::Scheduler;
use gpusched_model::error::{Refusal, Result};
use gpusched_model::streams::below;
use rand::Rng;

use super::bound::place;
use super::division::Division;
use super::placement::{Placement, Places};
use super::synthetic::Synthetic;

/// Number of possible launch times of a kernel, from core cycle 0 to core cycle 5000.
const LAUNCHES: usize = 5001;

/// Number of possible base addresses of the first buffer. Neighboring addresses are 256 bytes apart.
const SHIFTS: usize = 4096;

/// Maximum number of random divisions of the memory. gpusched tries them until each partition has a part.
const TRIALS: u32 = 1000;

/// Kernels that a random run can contain.
#[derive(Debug, Clone, Copy)]
pub struct Kernels<'a> {
    /// Simulated GPU.
    pub machine: &'a Machine,
    /// Programs of the kernels.
    pub programs: &'a [Program],
    /// Whether half of the kernels run synthetic programs.
    pub synthetic: bool,
    /// How the kernels share the memory.
    pub division: Division,
    /// Whether the kernels share clusters.
    pub placement: Placement,
}

/// Program of a kernel.
#[derive(Debug, Clone)]
enum Choice {
    /// Position in [`Kernels::programs`].
    Known(usize),
    Synthetic(Synthetic),
}

/// A kernel of a random run.
#[derive(Debug, Clone)]
pub struct Member {
    choice: Choice,
    /// Position of the partition.
    pub partition: usize,
    /// Launch time [core cycles].
    pub launch: u64,
}

/// A random run: kernels on partitions of the SMs.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The SMs of each partition.
    places: Places,
    /// Division of the memory: first cluster of each partition except the first partition, in ascending order, if each
    /// partition had as large a part of the clusters as of the memory.
    cuts: Vec<usize>,
    /// Kernels of the run.
    pub members: Vec<Member>,
    greedy: bool,
    /// Whether the buffers are in L2 at the start.
    pub warm: bool,
    /// Position of the first buffer, in units of 256 bytes.
    shift: usize,
}

impl Kernels<'_> {
    /// Draws a co-run of two or three kernels. Each kernel has its own SMs.
    ///
    /// # Errors
    /// Fails if there are no programs and [`Kernels::synthetic`] is false. Also fails if the machine has only one
    /// cluster, if its clusters do not permit the placement, or if the memory cannot be divided.
    pub fn co_run(&self, random: &mut impl Rng) -> Result<Draft> {
        let clusters = self.machine.clusters as usize;
        if clusters < 2 {
            return Err(Refusal::new("machine", "one cluster of SMs", "two clusters or more").into());
        }
        let count = match clusters > 2 && below(random, 5) == 0 {
            true => 3,
            false => 2,
        };
        let cuts = (0..TRIALS).find_map(|_| {
            let mut cuts = Vec::new();
            while cuts.len() + 1 < count {
                let cut = 1 + below(random, clusters - 1);
                if !cuts.contains(&cut) {
                    cuts.push(cut);
                }
            }
            cuts.sort_unstable();
            self.permits(&cuts).then_some(cuts)
        });
        let Some(cuts) = cuts else {
            let found = "a memory that cannot be divided among partitions";
            return Err(Refusal::new("machine", found, "more ways of L2 or channels").into());
        };
        let Some(places) = Places::draw(self.machine, self.placement, count, random) else {
            let found = format!(
                "{} clusters with {} SMs each, and placement `{}`",
                clusters,
                self.machine.sms_per_cluster,
                self.placement.name()
            );
            return Err(Refusal::new("machine", found, "clusters of two SMs or more").into());
        };
        let members = (0..count).map(|partition| self.member(partition, random));
        Ok(Draft {
            members: members.collect::<Result<_>>()?,
            places,
            cuts,
            greedy: below(random, 2) == 0,
            warm: below(random, 2) == 0,
            shift: below(random, SHIFTS),
        })
    }

    /// Draws a kernel for `partition`.
    ///
    /// # Errors
    /// Fails as [`Kernels::co_run`] does.
    pub fn member(&self, partition: usize, random: &mut impl Rng) -> Result<Member> {
        Ok(Member {
            choice: self.choice(random)?,
            partition,
            launch: below(random, LAUNCHES) as u64,
        })
    }

    /// Returns the clusters that determine the part of the memory of each partition.
    fn parts(&self, cuts: &[usize]) -> Vec<Range<usize>> {
        let mut ends = vec![0];
        ends.extend(cuts);
        ends.push(self.machine.clusters as usize);
        ends.windows(2).map(|ends| ends[0]..ends[1]).collect()
    }

    /// Returns whether each partition has a part of the memory.
    fn permits(&self, cuts: &[usize]) -> bool {
        let mut kernel = RunKernel::new(KernelSource::File("".into()));
        let mut parts = self.parts(cuts).into_iter();
        parts.all(|clusters| self.division.apply(self.machine, &mut kernel, clusters).is_some())
    }

    fn choice(&self, random: &mut impl Rng) -> Result<Choice> {
        let count = self.programs.len();
        if self.synthetic && (count == 0 || below(random, 2) == 0) {
            return Ok(Choice::Synthetic(Synthetic::draw(random)));
        }
        match count {
            0 => Err(Refusal::new("", "no program", "at least one program").into()),
            _ => Ok(Choice::Known(below(random, count))),
        }
    }

    /// Returns a copy of `draft` with one random change.
    ///
    /// # Errors
    /// Fails as [`Kernels::co_run`] does.
    pub fn changed(&self, draft: &Draft, random: &mut impl Rng) -> Result<Draft> {
        let mut draft = draft.clone();
        let index = below(random, draft.members.len());
        let clusters = self.machine.clusters as usize;
        match (below(random, 9), &mut draft.members[index]) {
            (0, member) => member.launch = below(random, LAUNCHES) as u64,
            (1, _) => draft.shift = below(random, SHIFTS),
            (2, _) => draft.greedy = !draft.greedy,
            (3, _) => draft.warm = !draft.warm,
            (4, _) => {
                let cut = 1 + below(random, clusters - 1);
                if !draft.cuts.contains(&cut) {
                    let moved = below(random, draft.cuts.len());
                    let mut cuts = draft.cuts.clone();
                    cuts[moved] = cut;
                    cuts.sort_unstable();
                    if self.permits(&cuts) {
                        draft.cuts = cuts;
                    }
                }
            }
            (5, _) => {
                let count = draft.cuts.len() + 1;
                let places = match below(random, 2) {
                    0 => draft.places.changed(random),
                    _ => Places::draw(self.machine, self.placement, count, random),
                };
                draft.places = places.unwrap_or(draft.places);
            }
            (6, member) => member.choice = self.choice(random)?,
            (_, member) => match &mut member.choice {
                Choice::Synthetic(program) => program.change(random),
                Choice::Known(_) => member.choice = self.choice(random)?,
            },
        }
        Ok(draft)
    }

    /// Returns `draft` as a run, with an address for each buffer.
    ///
    /// # Errors
    /// Fails if a synthetic program is not valid.
    pub fn run(&self, draft: &Draft) -> Result<WarpRunShape> {
        let parts = self.parts(&draft.cuts);
        let kernel = |(index, member): (usize, &Member)| {
            let program = match &member.choice {
                Choice::Known(position) => self.programs[*position].clone(),
                Choice::Synthetic(program) => program.program()?,
            };
            let mut kernel = RunKernel::new(KernelSource::Program(Box::new(program.clone())));
            kernel.name = Some(format!("{index}-{}", program.name));
            kernel.launch = member.launch;
            kernel.sms = draft.places.sms(member.partition);
            // The cuts of the draft permit the division.
            let part = parts[member.partition].clone();
            let _ = self.division.apply(self.machine, &mut kernel, part);
            Ok(kernel)
        };
        let mut run = WarpRunShape {
            name: None,
            machine: self.machine.clone(),
            scheduler: Some(match draft.greedy {
                true => Scheduler::Gto,
                false => Scheduler::Lrr,
            }),
            sms: None,
            share: Some(Share::Spatial),
            warm: draft.warm,
            launch_latency: false,
            restart_clocks: false,
            clients: Vec::new(),
            kernels: draft
                .members
                .iter()
                .enumerate()
                .map(kernel)
                .collect::<Result<_>>()?,
        };
        place(&mut run, 256 * draft.shift as u64);
        Ok(run)
    }
}
