//! Parameters of the metric `side-by-side` for groups of concurrent kernels.

use gpusched_model::Refusal;
use serde::{Deserialize, Serialize};

use super::bench::Bench;
use super::draw::{Drawn, Members, possible};
use super::errors::{Level, SideBySide};
use super::{Files, Parameters};
use gpusched_analysis::prediction::Model;
use gpusched_model::Factor;
use gpusched_model::group::MemoryPlatform;
use gpusched_study::measures::limits::within;

/// Simulates groups of concurrent kernels, and compares their execution times with predictions.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "SideBySideCase"))]
pub struct SideBySideParameters {
    /// Path of the file with the run. The file states the machine and the kernels.
    run: String,
    /// Level at which the groups are simulated. Default: `warps`.
    #[serde(default, skip_serializing_if = "Level::is_default")]
    simulator: Level,
    /// Memory parameters of the platform, for the predictions. All bandwidths among these parameters are bandwidths at
    /// L2. With simulator `blocks`, `effective_bandwidth` is also the memory bandwidth of the simulation.
    #[serde(default)]
    platform: MemoryPlatform,
    /// Maximum bandwidth at DRAM [GB/s]. If present, the model `fluid` makes a second prediction from the bandwidths at
    /// DRAM.
    #[serde(default)]
    dram_bandwidth: Option<Factor>,
    /// Prediction models to compare, each once. Default: `fluid`, `masola`, `masola-repaired` and `naive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    models: Option<Vec<Model>>,
    /// Groups of kernels to simulate. A case states either `groups` or `drawn`.
    #[serde(default)]
    groups: Option<Vec<Vec<Member>>>,
    /// Random groups of kernels to simulate.
    #[serde(default)]
    drawn: Option<Drawn>,
}

/// A kernel in a group of concurrent kernels.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// Name of the kernel in the run.
    kernel: String,
    /// Number of SMs on which the kernel runs.
    sms: u32,
}

/// Prediction models of a case that names none.
const DEFAULT_MODELS: [Model; 4] = [Model::Fluid, Model::Masola, Model::MasolaRepaired, Model::Naive];

/// Maximum number of groups in one case.
const MOST: u64 = 10_000;

impl Parameters for SideBySideParameters {
    const NAME: &'static str = "side-by-side";
    const KEYS: &'static [&'static str] = &["group", "size", "kernel", "sms", "model"];
    const PARTIAL: &'static [&'static str] = &["group", "sms", "model"];
    type Measure = SideBySide;

    fn prepare(self, files: &mut Files) -> Result<SideBySide, Refusal> {
        let bench = Bench::read(files, &self.run)?;
        check(&self.platform, bench.sms())?;
        let dram = self.dram_bandwidth.map(|bandwidth| MemoryPlatform {
            bandwidth,
            effective_bandwidth: bandwidth,
            ..self.platform
        });
        if let Some(dram) = &dram {
            check(dram, bench.sms()).map_err(|refusal| refusal.of_field("dram_bandwidth"))?;
        }
        let models = self.models.unwrap_or_else(|| DEFAULT_MODELS.to_vec());
        let mut distinct = models.clone();
        distinct.sort_unstable();
        distinct.dedup();
        if models.is_empty() || distinct.len() < models.len() {
            let names: Vec<String> = models.iter().map(Model::to_string).collect();
            let found = format!("[{}]", names.join(", "));
            return Err(Refusal::new("models", found, "one or more models, each once"));
        }
        let groups = match (&self.groups, &self.drawn) {
            (Some(groups), None) => groups
                .iter()
                .enumerate()
                .map(|(index, members)| given(&bench, index, members))
                .collect::<Result<_, _>>()?,
            (None, Some(drawn)) => {
                checked(&bench, drawn)?;
                Vec::new()
            }
            (found, _) => {
                let found = if found.is_some() { "both" } else { "neither" };
                return Err(Refusal::new(
                    "groups",
                    found,
                    "one of the fields `groups` and `drawn`",
                ));
            }
        };
        Ok(SideBySide {
            bench,
            level: self.simulator,
            platform: self.platform,
            dram,
            models,
            groups,
            drawn: self.drawn,
        })
    }
}

/// Rejects memory parameters that are invalid, or that belong to a GPU without exactly `sms` SMs.
pub(super) fn check(platform: &MemoryPlatform, sms: u32) -> Result<(), Refusal> {
    if platform.sms != sms {
        let expected = format!("{sms}, the number of SMs of the simulated GPU");
        return Err(Refusal::new("platform.sms", platform.sms, expected));
    }
    platform.check()
}

/// Checks and converts a group that the study states.
fn given(bench: &Bench, index: usize, members: &[Member]) -> Result<Members, Refusal> {
    let refuse = |found: String, expected: String| {
        let field = format!("groups[{index}]");
        Refusal::new(field, found, expected)
    };
    let all = u64::from(bench.sms());
    let sms: u64 = members.iter().map(|member| u64::from(member.sms)).sum();
    if members.is_empty() || sms > all || members.iter().any(|member| member.sms == 0) {
        let found = format!("{} kernels on {sms} SMs", members.len());
        return Err(refuse(
            found,
            format!("one or more kernels with at least 1 SM each and at most {all} SMs in total"),
        ));
    }
    let member = |member: &Member| {
        let kernel = bench.names().iter().position(|name| *name == member.kernel);
        let names = || bench.names().join(", ");
        let kernel =
            kernel.ok_or_else(|| refuse(format!("{:?}", member.kernel), format!("one of {}", names())))?;
        Ok((kernel, member.sms))
    };
    let found = members.iter().map(member).collect::<Result<Members, Refusal>>()?;
    let mut kernels: Vec<usize> = found.iter().map(|&(kernel, _)| kernel).collect();
    kernels.sort_unstable();
    kernels.dedup();
    match kernels.len() == found.len() {
        true => Ok(found),
        false => Err(refuse(
            "a repeated kernel".to_owned(),
            "each kernel once".to_owned(),
        )),
    }
}

fn checked(bench: &Bench, drawn: &Drawn) -> Result<(), Refusal> {
    let refuse = |field: &str, found: String, expected: String| {
        Err(Refusal::new(format!("drawn.{field}"), found, expected))
    };
    let (kernels, sms) = (bench.names().len(), bench.sms());
    if drawn.sizes.is_empty() || drawn.sizes.iter().any(|size| !(1..=kernels).contains(size)) {
        return refuse(
            "sizes",
            format!("{:?}", drawn.sizes),
            format!("numbers from 1 to {kernels}, the number of kernels of the run"),
        );
    }
    within("drawn.groups", drawn.groups, 1..=MOST)?;
    let fits = |&size: &usize| possible(&drawn.sms, size, sms);
    if drawn.sms.contains(&0) || !drawn.sizes.iter().all(fits) {
        let expected = format!("positive numbers such that groups of every size fit on {sms} SMs");
        return refuse("sms", format!("{:?}", drawn.sms), expected);
    }
    Ok(())
}
