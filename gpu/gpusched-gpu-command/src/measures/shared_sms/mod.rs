//! Metric that computes the response times of kernels that share the SMs of a GPU. It covers several warp schedulers
//! and many issue budgets of the last kernel.

mod courses;
mod rows;

use gpusched_model::Refusal;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::courses::{Course, Question};
use super::budgets::budgets;
use crate::measures::{Files, Labels, Measure, Parameters, Row};
use gpusched_gpu::gpu::Launch;
use gpusched_gpu::machine::Machine;
use gpusched_gpu::program::{Dimensions, FIRST_ADDRESS, Overrides, Program};
use gpusched_model::Scheduler;
use gpusched_model::error::Result;
use gpusched_study::Values;

/// Simulates kernels under several warp schedulers. The kernels are launched one after another on one GPU.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "SharedSmsCase"))]
pub struct SharedSmsParameters {
    /// Name of the built-in simulated GPU that executes the kernels.
    machine: String,
    /// Paths of the files with the programs of kernels K1, K2 …; 2 to 8 files.
    programs: Vec<String>,
    /// Number of blocks of each kernel. Default: the number in the file of the program.
    #[serde(default)]
    blocks: Option<u32>,
    /// Time between the launches of two consecutive kernels [core cycles].
    #[serde(default = "eight")]
    gap: u32,
    /// Warp schedulers to compare.
    schedulers: Vec<Scheduler>,
    /// Issue budgets of the last kernel. All other kernels have issue budget 1.
    budgets: Values,
}

fn eight() -> u32 {
    8
}

/// Maximum number of kernels in one case.
const KERNELS: usize = 8;

/// Maximum number of simulations in one case.
const MOST: usize = 1_000;

/// Kernels with checked parameters, ready for the simulation.
#[derive(Debug)]
pub struct SharedSms {
    machine: Machine,
    programs: Vec<Program>,
    gap: u32,
    schedulers: Vec<Scheduler>,
    budgets: Vec<u32>,
}

impl Parameters for SharedSmsParameters {
    const NAME: &'static str = "shared-sms";
    const KEYS: &'static [&'static str] = &["kernel", "scheduler", "budget", "against"];
    const PARTIAL: &'static [&'static str] = Self::KEYS;
    type Measure = SharedSms;

    fn prepare(self, files: &mut Files) -> Result<SharedSms, Refusal> {
        let mut shape = Machine::named(&self.machine)
            .ok_or_else(|| {
                let expected = format!("one of {}", Machine::names());
                Refusal::new("machine", format_args!("{:?}", self.machine), expected)
            })?
            .into_shape();
        shape.dispatch.share_sms = true;
        let machine = Machine::new(shape).map_err(Refusal::in_file("machine", &self.machine))?;
        let count = self.programs.len();
        if !(2..=KERNELS).contains(&count) {
            let expected = format!("from 2 to {KERNELS} programs");
            return Err(Refusal::new(
                "programs",
                format_args!("{count} programs"),
                expected,
            ));
        }
        if self.blocks == Some(0) {
            return Err(Refusal::new("blocks", 0, "at least 1"));
        }
        let programs = self.programs.iter().map(|path| read(files, path, self.blocks));
        let programs = one_after_another(programs.collect::<Result<_, _>>()?)?;
        let budgets = budgets(&self.budgets, &self.schedulers, MOST)?;
        Ok(SharedSms {
            machine,
            programs,
            gap: self.gap,
            schedulers: self.schedulers,
            budgets,
        })
    }
}

fn read(files: &mut Files, path: &str, blocks: Option<u32>) -> Result<Program, Refusal> {
    let program: Program = files.read("programs", path)?;
    let overrides = Overrides {
        grid: blocks.map(Dimensions::line),
        ..Overrides::default()
    };
    program.with(&overrides).map_err(Refusal::in_file("blocks", path))
}

/// Returns `programs` with separate memory addresses for each program. The order of the programs stays unchanged.
fn one_after_another(mut programs: Vec<Program>) -> Result<Vec<Program>, Refusal> {
    let mut next = FIRST_ADDRESS;
    for program in &mut programs {
        for (_, buffer) in &mut program.buffers {
            buffer.address = None;
        }
        let addresses = program.addresses();
        for (address, (_, buffer)) in addresses.into_iter().zip(&mut program.buffers) {
            let address = address.saturating_add(next - FIRST_ADDRESS);
            buffer.address = Some(address);
        }
        let ends = program.buffers.iter().filter_map(|(_, buffer)| {
            let end = buffer.address?.saturating_add(buffer.bytes);
            end.checked_next_multiple_of(gpusched_gpu::program::ALIGNMENT)
        });
        next = ends.max().unwrap_or(next).max(next);
        program
            .check()
            .and_then(|()| Launch::of_program(program).map(|_| ()))
            .map_err(Refusal::in_file("programs", &program.name))?;
    }
    Ok(programs)
}

impl SharedSms {
    /// Returns the requests for all simulations. The first requests run each kernel in isolation under the first scheduler.
    /// The next requests run all kernels concurrently under each scheduler. A scheduler that uses issue budgets has one
    /// request for each budget.
    fn questions(&self) -> Vec<Question> {
        let alone = (0..self.programs.len()).map(Question::Isolated);
        let together = self.schedulers.iter().flat_map(|&scheduler| {
            let budgets = if scheduler.has_budgets() {
                self.budgets.as_slice()
            } else {
                self.budgets.get(..1).unwrap_or_default()
            };
            budgets
                .iter()
                .map(move |&budget| Question::Together { scheduler, budget })
        });
        alone.chain(together).collect()
    }
}

impl Measure for SharedSms {
    fn rows(&self, _seed: u64) -> Result<Vec<Row>> {
        let questions = self.questions();
        let courses = questions.par_iter().map(|question| self.course(question));
        Ok(self.table(&courses.collect::<Result<Vec<Course>>>()?))
    }

    fn outline(&self, _seed: u64) -> Result<Vec<Row>> {
        let questions = self.questions();
        let courses = questions
            .iter()
            .map(|&question| Course::made_up(question, self.programs.len()));
        Ok(self.table(&courses.collect::<Vec<Course>>()))
    }
}
