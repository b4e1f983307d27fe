//! The part of the command `gpusched` about the cycle-level GPU: subcommands, a kind of validation, file formats and metrics
//! of studies. [`PART`] lists them. `main.rs` hands the part over to the command.

mod import;
mod measures;
mod simulate;
mod simulated_gpu;
mod validate;

pub use measures::concurrent::draw;

#[cfg(feature = "schema")]
mod schemas;
#[cfg(feature = "schema")]
pub use schemas::TYPES as SCHEMAS;

use gpusched_cli::part::{Format, Part, Subcommands, Validation};
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
        Entry::of::<measures::beside::BesideParameters>(),
        Entry::of::<measures::concurrent::PlacementParameters>(),
        Entry::of::<measures::concurrent::ClientCountsParameters>(),
        Entry::of::<measures::concurrent::RegulatedClientsParameters>(),
    ],
    simulated_gpu: Some(simulated_gpu::open),
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
    missing: &[
        (
            "sectors.drain",
            "`simulate profile … --traffic --format csv` and `wcet fit` measure both rates",
        ),
        (
            "sectors.camping_percent",
            "`simulate profile … --traffic --format csv` and `wcet fit` measure the factor; a larger limit permits it",
        ),
    ],
};

const FORMATS: &[Format] = &[
    Format {
        after: "shared-validation",
        name: "warp-validation",
        description: "result of `validate --warps`",
        schema: include_str!("../schemas/warp-validation.json"),
    },
    Format {
        after: "scenario",
        name: "program",
        description: "kernel program, as in tasksets/kernels/programs; result of `import ptx`",
        schema: include_str!("../schemas/program.json"),
    },
    Format {
        after: "warp-scenario",
        name: "warp-simulation",
        description: "result of `simulate warps`",
        schema: include_str!("../schemas/warp-simulation.json"),
    },
    Format {
        after: "warp-simulation",
        name: "warp-run",
        description: "input of `simulate warps` with kernels on a simulated GPU",
        schema: include_str!("../schemas/warp-run.json"),
    },
    Format {
        after: "warp-run",
        name: "warp-results",
        description: "result of `simulate warps` with kernels on a simulated GPU",
        schema: include_str!("../schemas/warp-results.json"),
    },
    Format {
        after: "warp-results",
        name: "warp-profile",
        description: "result of `simulate profile`",
        schema: include_str!("../schemas/warp-profile.json"),
    },
    Format {
        after: "warp-profile",
        name: "warp-matrix",
        description: "result of `simulate matrix`",
        schema: include_str!("../schemas/warp-matrix.json"),
    },
    Format {
        after: "warp-matrix",
        name: "warp-stress",
        description: "result of `simulate profile --stress`",
        schema: include_str!("../schemas/warp-stress.json"),
    },
    Format {
        after: "comparison",
        name: "trace-summary",
        description: "result of `import accel-sim`",
        schema: include_str!("../schemas/trace-summary.json"),
    },
    Format {
        after: "budget-results",
        name: "machine",
        description: "simulated GPU; result of `import gpgpusim-config`",
        schema: include_str!("../schemas/machine.json"),
    },
];
