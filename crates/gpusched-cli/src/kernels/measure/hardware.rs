//! `gpusched measure device` and `gpusched measure platform`: files about a GPU, from its driver and from the partitions that the driver
//! grants.

use crate::arguments::whole;
use crate::report::{Content, OutputPath};
use crate::{Global, Outcome, Run};
use gpusched_model::error::Result;

/// Arguments of `gpusched measure device`.
#[derive(Debug, clap::Args)]
#[command(after_help = DEVICE_EXAMPLE)]
pub struct DeviceArgs {
    /// Name of the device in the file [default: from the name of the GPU]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Also write what the kernels observed, to a JSON file
    ///
    /// The file contains SM ids, sets of SMs that ran clusters together, and rates of L2 and DRAM by number of SMs. It also contains times
    /// of launches, the step of the timer, the start of a kernel with priority, and time slices of two contexts.
    #[arg(long, value_name = "FILE", value_parser = OutputPath::of(Content::Json), value_hint = clap::ValueHint::FilePath)]
    observations: Option<OutputPath>,
}

/// Arguments of `gpusched measure platform`.
#[derive(Debug, clap::Args)]
#[command(after_help = PLATFORM_EXAMPLE)]
pub struct PlatformArgs {
    /// Name of the platform in the file [default: from the name of the GPU]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Number of CUDA cores of one SM [default: from the compute capability]
    #[arg(long, value_name = "N", value_parser = whole(1..=65536_u32))]
    cores_per_sm: Option<u32>,
}

const DEVICE_EXAMPLE: &str = "\
The result is a device file (JSON) for `--gpu`. gpusched creates green contexts of the smallest size until the driver grants no further
one, and observes their SMs. Clusters of thread blocks show the TPCs, and they may show the GPCs. The file omits both if the clusters do not
prove them. MIG and MPS are not measured. Without a GPU, use a built-in device.

Example:
  gpusched measure device -o device.json || gpusched gpus h100";

const PLATFORM_EXAMPLE: &str = "\
The result is a platform file (JSON) for `simulate blocks`, with the limits that the driver states. Small kernels show the order of the SMs
and the GPCs. If the format cannot state the order, a note says so. Without a GPU, write the file by its schema.

Example:
  gpusched measure platform -o platform.json || gpusched schema platform";

impl Run for DeviceArgs {
    fn run(&self, global: &Global) -> Result<Outcome> {
        global.only_json("json, because device files are JSON")?;
        on_gpu::device(self, global)
    }
}

impl Run for PlatformArgs {
    fn run(&self, global: &Global) -> Result<Outcome> {
        global.only_json("json, because platform files are JSON")?;
        on_gpu::platform(self, global)
    }
}

#[cfg(not(target_os = "linux"))]
mod on_gpu {
    use super::{DeviceArgs, PlatformArgs};
    use crate::{Global, Outcome};
    use gpusched_model::error::{Error, Result};

    pub fn device(_: &DeviceArgs, _: &Global) -> Result<Outcome> {
        Err(Error::parameter(
            "system",
            std::env::consts::OS,
            "linux, which the CUDA backend requires",
        ))
    }

    pub fn platform(_: &PlatformArgs, _: &Global) -> Result<Outcome> {
        Err(Error::parameter(
            "system",
            std::env::consts::OS,
            "linux, which the CUDA backend requires",
        ))
    }
}

#[cfg(target_os = "linux")]
mod on_gpu {
    use serde_json::json;

    use super::super::observations::Observations;
    use super::{DeviceArgs, PlatformArgs};
    use crate::report::{Output, json_document};
    use crate::{Global, Outcome};
    use gpusched_model::error::{Error, Refusal, Result};
    use gpusched_model::{Bandwidth, Device, Platform, counted};
    use gpusched_runtime::cuda::{
        self, Description, Driver, Grants, describe, grants, observations, placements,
    };
    use gpusched_runtime::is_virtual;
    use gpusched_runtime::measure::{Topology, sm_order};

    /// Longest name of a device or platform [characters].
    const LONGEST: usize = 40;

    /// Measures the device of the first GPU, and writes its file.
    ///
    /// # Errors
    /// Fails without a GPU, for a name that a device cannot have, or if output cannot be written.
    pub fn device(args: &DeviceArgs, global: &Global) -> Result<Outcome> {
        let driver = load()?;
        let found = describe(&driver, 0)?;
        let mut output = Output::open(global)?;
        let file = output.beside(args.observations.as_ref())?;
        let granted = grants(&driver, 0)?;
        let observed = match &file {
            Some(_) => observations(&driver, 0)?,
            None => placements(&driver, 0)?,
        };
        let topology = topology(&found, &observed);
        let (major, minor) = found.capability;
        let mut source = source(&found);
        source += &format!(
            ". Green contexts: {} of {} SMs exist at the same time ({}), with the SM ids that kernels observed",
            counted(granted.total / granted.least, "context"),
            granted.least,
            granted.split
        );
        source += match topology.sms_per_tpc {
            Some(_) => ". TPCs: each cluster of two thread blocks ran on the SMs 2t and 2t + 1",
            None => ". TPCs: unknown",
        };
        source += &match &topology.unknown {
            None => ". GPCs: sets of SMs that ran clusters together".to_owned(),
            Some(reason) => format!(". GPCs: unknown, because {reason}"),
        };
        source += ". MIG and MPS: not measured";
        let mut document = json!({
            "name": args.name.clone().unwrap_or_else(|| plain(&found.name)),
            "title": found.name,
            "compute_capability": format!("{major}.{minor}"),
            "sms": found.sms,
            "green_context": {"min": granted.least, "step": granted.step, "total": granted.total},
            "source": source,
        });
        if let Some(sms_per_tpc) = topology.sms_per_tpc {
            document["sms_per_tpc"] = sms_per_tpc.into();
        }
        if let (Some(of_tpc), Some(counts)) = (&topology.gpc_of_tpc, topology.tpcs_per_gpc()) {
            document["tpcs_per_gpc"] = counts.into();
            document["gpc_of_tpc"] = of_tpc.as_slice().into();
        }
        let device: Device = serde_json::from_value(document).map_err(|error| Refusal::told("", error))?;
        if let Some(reason) = &topology.unknown {
            global.note(format!("the GPCs are unknown, because {reason}"));
        }
        if let Some(file) = file {
            let all = all(&found, &granted, &topology, observed);
            output.complete(file, json_document(&all)?)?;
        }
        written(global, output, &device)
    }

    /// Returns all observations for their file.
    fn all(
        found: &Description,
        granted: &Grants,
        topology: &Topology,
        observed: cuda::Observations,
    ) -> Observations {
        Observations {
            gpu: found.name.clone(),
            source: source(found),
            sms: found.sms,
            sizes: granted.sizes.clone(),
            green_contexts: granted.sm_ids.clone(),
            cluster_sets: topology.sets.clone(),
            sms_per_tpc: topology.sms_per_tpc,
            gpc_of_tpc: topology.gpc_of_tpc.clone(),
            gpcs_unknown: topology.unknown.clone(),
            sm_order: sm_order(&observed.starts, found.sms).map(|order| order.to_string()),
            first_blocks: observed.starts,
            timer_ns: observed.tick_ns,
            launch: observed.launch.into(),
            empty_kernel: observed.empty.into(),
            host_timer: observed.timer.into(),
            priority: observed.priority.map(Into::into),
            time_slices: observed.slices.map(Into::into),
            rates: observed.rates.into_iter().map(Into::into).collect(),
            pipes: observed.pipes.map(Into::into),
        }
    }

    /// Returns the TPCs and GPCs that clusters show.
    fn topology(found: &Description, observed: &cuda::Observations) -> Topology {
        // NVIDIA H100 Tensor Core GPU Architecture whitepaper: a GPC has up to 9 TPCs of 2 SMs. Other GPUs with clusters: not known.
        let most = (found.capability == (9, 0)).then_some(18);
        Topology::of(&observed.clusters, found.sms, most)
    }

    /// Reads the limits of the first GPU, observes the order of its SMs, and writes its platform file.
    ///
    /// # Errors
    /// Fails without a GPU, for an unknown compute capability, or if output cannot be written.
    pub fn platform(args: &PlatformArgs, global: &Global) -> Result<Outcome> {
        let driver = load()?;
        let found = describe(&driver, 0)?;
        let output = Output::open(global)?;
        let limits = found.limits;
        let (major, minor) = found.capability;
        let cores = args.cores_per_sm.or(cores(found.capability));
        let unknown = || {
            let found = format!("none, for the compute capability {major}.{minor}");
            Error::parameter("cores-per-sm", found, "the number of CUDA cores of one SM")
        };
        let cores_per_sm = cores.ok_or_else(unknown)?;
        let observed = placements(&driver, 0)?;
        let topology = topology(&found, &observed);
        let sizes = topology.tpcs_per_gpc().zip(topology.sms_per_tpc);
        let sms_per_gpc = sizes.and_then(|(counts, sms)| {
            let first = *counts.first()?;
            counts.iter().all(|count| *count == first).then_some(first * sms)
        });
        let order = sm_order(&observed.starts, found.sms);
        let peak = limits.peak_bytes_per_second();
        let mut source = source(&found);
        source += match order {
            Some(_) => ". Order of the SMs: of the blocks of a launch on the idle GPU",
            None => {
                ". Order of the SMs: not measured, because blocks start in another order than the format can state"
            }
        };
        source += match sms_per_gpc {
            Some(_) => ". GPCs: sets of SMs that ran clusters together",
            None => ". GPCs: unknown, or of different sizes",
        };
        source += match peak {
            Some(_) => {
                ". Peak memory bandwidth: from the clock and the width of the bus that the driver states"
            }
            None => ". Peak memory bandwidth: not stated by the driver",
        };
        if order.is_none() {
            global.note("thread blocks start in another order than `sm_order` can state, so the file has the default order");
        }
        let platform = Platform {
            name: args.name.clone().unwrap_or_else(|| plain(&found.name)),
            title: found.name.clone(),
            sms: found.sms,
            cores_per_sm,
            threads_per_sm: limits.threads_per_sm,
            blocks_per_sm: limits.blocks_per_sm,
            registers_per_sm: limits.registers_per_sm,
            shared_memory_per_sm_kib: limits.shared_memory_per_sm / 1024,
            sms_per_gpc,
            sm_order: order.unwrap_or_default(),
            registers_per_block: limits.registers_per_block,
            shared_memory_per_block_kib: limits.shared_memory_per_block / 1024,
            l2_cache_kib: limits.l2_bytes / 1024,
            peak_memory_bandwidth: peak.and_then(Bandwidth::new),
            source,
        };
        written(global, output, &platform)
    }

    fn load() -> Result<Driver> {
        // These commands have no simulated backend.
        Ok(Driver::load()?)
    }

    fn written(global: &Global, output: Output, file: &impl serde::Serialize) -> Result<Outcome> {
        if let Some(text) = of_host() {
            global.note(text);
        }
        output.answer(json_document(file)?)?;
        Ok(Outcome::Positive)
    }

    /// Returns a text about a virtual machine, or `None` on other computers.
    fn of_host() -> Option<&'static str> {
        (is_virtual() == Some(true))
            .then_some("measured in a virtual machine, whose host can change the GPU, so no value is a bound")
    }

    /// Returns the source of the values, with the identity of the GPU.
    fn source(found: &Description) -> String {
        let version = format!("CUDA {}.{}", found.driver / 1000, found.driver % 1000 / 10);
        let uuid = found.uuid.as_deref().unwrap_or("a GPU of unknown identity");
        let host = of_host().map_or(String::new(), |text| format!(", {text}"));
        format!(
            "gpusched {} measure, {}, {uuid}, {version}{host}",
            env!("CARGO_PKG_VERSION"),
            found.name
        )
    }

    /// Returns `name` with the characters that the name of a device may have.
    fn plain(name: &str) -> String {
        let words = name.split(|c: char| !c.is_ascii_alphanumeric());
        let words: Vec<String> = words
            .filter(|word| !word.is_empty())
            .map(str::to_ascii_lowercase)
            .collect();
        words.join("-").chars().take(LONGEST).collect()
    }

    /// Returns the number of CUDA cores of one SM (CUDA C++ Programming Guide, arithmetic instructions of 32-bit floating point), or
    /// `None` for an unknown compute capability.
    fn cores(capability: (u32, u32)) -> Option<u32> {
        match capability {
            (6, 0) | (7, _) | (8, 0) => Some(64),
            (6, 1 | 2) | (8, 6 | 7 | 9) | (9, 0) | (10, 0) | (12, 0) => Some(128),
            _ => None,
        }
    }
}
