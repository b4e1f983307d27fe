//! Metric that compares the times of concurrent kernels with bounds on their interference.

use gpusched_gpu::co_runs::{Campaign, Division, Examiner, Form, Placement, Report, Systems, Tally};
use gpusched_gpu::machine::{Hash, Machine, PartitionIndexing};
use gpusched_gpu::program::{Dimensions, Overrides, Program};
use gpusched_gpu::stress::Stress;
use gpusched_model::Refusal;
use gpusched_model::error::Result;
use gpusched_sim::campaign::Campaign as _;
use serde::{Deserialize, Serialize};

use crate::measures::{Files, Labels, Measure, Parameters, Row};

/// Simulates random co-runs of kernels on different SMs. Compares the time of each kernel with all forms of the bound.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "CoRunsCase"))]
pub struct CoRunsParameters {
    /// Name of the built-in simulated GPU that executes the kernels.
    machine: String,
    /// Paths of the files with the programs of the kernels.
    programs: Vec<String>,
    /// Number of blocks of each kernel. Default: the number in the file of the program.
    #[serde(default)]
    blocks: Option<u32>,
    /// Whether half of the kernels run synthetic programs with random strides.
    #[serde(default)]
    synthetic: bool,
    /// How the partitions share L2 and the memory channels. Default: `shared`, without a division.
    #[serde(default)]
    memory: Division,
    /// Whether hashes with irreducible polynomials select the L2 slice and the bank of an address. Such hashes prevent
    /// partition camping by strided accesses. Default: the mapping of the GPU.
    #[serde(default)]
    hashed: bool,
    /// Largest camping factor of the kernels. Default: no limit.
    #[serde(default)]
    camping_limit: Option<u32>,
    /// Number of co-runs.
    co_runs: u32,
}

/// Maximum number of co-runs of one case.
const MOST: u32 = 100_000;

/// Kernels and the division of the memory, ready for the simulation.
#[derive(Debug)]
pub struct CoRuns {
    machine: Machine,
    programs: Vec<Program>,
    parameters: CoRunsParameters,
}

impl Parameters for CoRunsParameters {
    const NAME: &'static str = "co-runs";
    const KEYS: &'static [&'static str] = &["bound"];
    const PARTIAL: &'static [&'static str] = Self::KEYS;
    type Measure = CoRuns;

    fn prepare(self, files: &mut Files) -> Result<CoRuns, Refusal> {
        let machine = Machine::named(&self.machine).ok_or_else(|| {
            let expected = format!("one of {}", Machine::names());
            Refusal::new("machine", format_args!("{:?}", self.machine), expected)
        })?;
        let mut shape = machine.into_shape();
        if self.hashed {
            shape.memory.indexing = PartitionIndexing::Ipoly;
            shape.memory.dram.bank_index = Hash::Ipoly;
        }
        let machine = Machine::new(shape).map_err(Refusal::in_file("hashed", &self.machine))?;
        if self.programs.is_empty() && !self.synthetic {
            return Err(Refusal::new("programs", "no program", "at least one program"));
        }
        for (field, number, most) in [
            ("co_runs", Some(self.co_runs), MOST),
            ("blocks", self.blocks, u32::MAX),
            ("camping_limit", self.camping_limit, u32::MAX),
        ] {
            if number.is_some_and(|number| !(1..=most).contains(&number)) {
                let found = number.unwrap_or_default();
                return Err(Refusal::new(field, found, format!("from 1 to {most}")));
            }
        }
        let overrides = Overrides {
            grid: self.blocks.map(Dimensions::line),
            ..Overrides::default()
        };
        let mut read = |path: &String| {
            let program: Program = files.read("programs", path)?;
            program.with(&overrides).map_err(Refusal::in_file("blocks", path))
        };
        let programs = self.programs.iter().map(&mut read).collect::<Result<_, _>>()?;
        Ok(CoRuns {
            machine,
            programs,
            parameters: self,
        })
    }
}

fn rows_of(report: &Report) -> Vec<Row> {
    let all = Labels::default();
    let mut rows = vec![
        all.row("co-runs", report.co_runs, ""),
        all.row("left out", report.left_out, ""),
        all.row("kernels", report.kernels, ""),
        all.decimal("median slowdown", report.slowdown, ""),
        all.decimal("largest slowdown", report.largest_slowdown, ""),
    ];
    for tally in &report.forms {
        let of = Labels::of("bound", tally.form.name());
        rows.push(of.row("exceeded", tally.exceeded, ""));
        let share = tally.exceeded as f64 / report.kernels.max(1) as f64;
        rows.push(of.decimal("share exceeded", share, "share"));
        rows.push(of.decimal("worst time by bound", tally.worst, ""));
        rows.push(of.decimal("median bound by time", tally.pessimism, ""));
    }
    rows
}

impl Measure for CoRuns {
    fn rows(&self, seed: u64) -> Result<Vec<Row>> {
        let stress = Stress::measure(&self.machine, || ())?;
        let campaign = Campaign {
            examiner: Examiner::new(self.machine.clone(), &stress),
            programs: self.programs.clone(),
            synthetic: self.parameters.synthetic,
            kind: Systems::CoRuns(0),
            systems: self.parameters.co_runs.into(),
            seed,
            form: Form::Universal,
            division: self.parameters.memory,
            placement: Placement::Aligned,
            camping_limit: self.parameters.camping_limit,
        };
        Ok(rows_of(&campaign.run(None, |_| ())?))
    }

    fn outline(&self, _seed: u64) -> Result<Vec<Row>> {
        let tally = |form| Tally {
            form,
            exceeded: 1,
            worst: 1.0,
            pessimism: 1.0,
        };
        Ok(rows_of(&Report {
            co_runs: 1,
            left_out: 0,
            kernels: 2,
            slowdown: 1.0,
            largest_slowdown: 1.0,
            forms: Form::ALL.map(tally).into(),
            violation: None,
        }))
    }
}
