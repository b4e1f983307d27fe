//! The part of the command `gpusched` about the cycle-level GPU: subcommands, a kind of validation, file formats and metrics
//! of studies. [`PART`] lists them. `main.rs` hands the part over to the command.

mod import;
mod measures;
mod simulate;
mod validate;

use schemars::schema_for;

use gpusched_cli::part::{Format, Part, Subcommands, Validation};
use gpusched_gpu::import::accelsim::TraceSummary;
use gpusched_gpu::machine::MachineShape;
use gpusched_gpu::program::Program;
use gpusched_gpu::warp_run::WarpRun;
use gpusched_study::measures::Entry;

/// The part of the command about the cycle-level GPU.
pub static PART: Part = Part {
    subcommands: &[
        Subcommands::of::<simulate::Simulate>("simulate"),
        Subcommands::of::<import::Import>("import"),
    ],
    validations: &[Validation::of::<validate::WarpArgs>(
        validate::NEGATIVE,
        validate::EXAMPLES,
    )],
    formats: FORMATS,
    measures: &[
        Entry::of::<measures::shared_sms::SharedSmsParameters>(),
        Entry::of::<measures::concurrent::MemoryProfilesParameters>(),
        Entry::of::<measures::concurrent::SideBySideParameters>(),
        Entry::of::<measures::co_runs::CoRunsParameters>(),
        Entry::of::<measures::warps::WarpsParameters>(),
    ],
    foreign: &[
        ("ptx", "convert PTX to a program with `gpusched import ptx`"),
        (
            "config",
            "convert a GPGPU-Sim configuration with `gpusched import gpgpusim-config`",
        ),
        (
            "g",
            "summarize the traces of a list with `gpusched import accel-sim`, or simulate one .traceg file with `gpusched simulate warps`",
        ),
        (
            "traceg",
            "name a trace in a scenario as {\"trace\":\"kernel-1.traceg\"}",
        ),
    ],
    taken: &[(
        "a program",
        "give a program to `gpusched simulate warps` or `gpusched simulate profile`",
    )],
};

const FORMATS: &[Format] = &[
    Format {
        after: "shared-validation",
        name: "warp-validation",
        description: "result of `validate --warps`",
        schema: || schema_for!(validate::WarpValidation),
    },
    Format {
        after: "scenario",
        name: "program",
        description: "kernel program, as in tasksets/kernels/programs; result of `import ptx`",
        schema: || schema_for!(Program),
    },
    Format {
        after: "warp-scenario",
        name: "warp-simulation",
        description: "result of `simulate warps`",
        schema: || schema_for!(simulate::warps::Answer<'_>),
    },
    Format {
        after: "warp-simulation",
        name: "warp-run",
        description: "input of `simulate warps` with kernels on a simulated GPU",
        schema: || schema_for!(WarpRun),
    },
    Format {
        after: "warp-run",
        name: "warp-results",
        description: "result of `simulate warps` with kernels on a simulated GPU",
        schema: || schema_for!(simulate::kernels::Answer),
    },
    Format {
        after: "warp-results",
        name: "warp-profile",
        description: "result of `simulate profile`",
        schema: || schema_for!(simulate::profile::Answer),
    },
    Format {
        after: "warp-profile",
        name: "warp-stress",
        description: "result of `simulate profile --stress`",
        schema: || schema_for!(simulate::profile::StressAnswer),
    },
    Format {
        after: "comparison",
        name: "trace-summary",
        description: "result of `import accel-sim`",
        schema: || schema_for!(TraceSummary),
    },
    Format {
        after: "budget-results",
        name: "machine",
        description: "simulated GPU; result of `import gpgpusim-config`",
        schema: || schema_for!(MachineShape),
    },
];
