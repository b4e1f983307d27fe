//! Groups of kernels side by side: how long they take, and how far off predictions from their isolated runs are.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::bench::{Alone, Bench};
use super::draw::{draw, possible};
use super::{Files, Measure, Parameters, Refusal, Row, decimal, error};
use crate::error::{Error, Result};
use crate::generation::streams::{Purpose, stream};
use crate::model::group::{GroupKernel, MemoryPlatform, ProfileSource};
use crate::model::{Factor, Group};
use crate::prediction::{Model, predict};

/// Kernels of a run in groups.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SideBySideCase")]
pub struct SideBySideParameters {
    /// The file with the run: the machine and the kernels.
    run: String,
    /// Figures of the memory, for the predictions; its bandwidths are those at L2.
    #[serde(default)]
    platform: MemoryPlatform,
    /// What kernels reach at most at DRAM [GB/s]: `fluid` is asked once more, with bandwidths there.
    #[serde(default)]
    dram_bandwidth: Option<Factor>,
    /// The groups.
    #[serde(default)]
    groups: Option<Vec<Vec<Member>>>,
    /// Random ones.
    #[serde(default)]
    drawn: Option<Drawn>,
}

/// A kernel of a group.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// The name of a kernel of the run.
    kernel: String,
    /// Its SMs.
    sms: u32,
}

/// Random groups.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drawn {
    /// Kernels in a group, none of them twice.
    sizes: Vec<usize>,
    /// Groups of each size.
    groups: u64,
    /// The numbers of SMs that a kernel can have.
    sms: Vec<u32>,
}

/// The most groups of one case.
const MOST: u64 = 10_000;

/// Kernels with their numbers of SMs.
type Members = Vec<(usize, u32)>;

/// Groups, ready to be simulated.
#[derive(Debug)]
pub struct SideBySide {
    bench: Bench,
    platform: MemoryPlatform,
    dram: Option<MemoryPlatform>,
    groups: Vec<Members>,
    drawn: Option<Drawn>,
}

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
            check(dram, bench.sms()).map_err(|refusal| Refusal::new("dram_bandwidth", refusal.message))?;
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
                let message = format!("found {found}, expected one of groups and drawn");
                return Err(Refusal::new("groups", message));
            }
        };
        Ok(SideBySide {
            bench,
            platform: self.platform,
            dram,
            groups,
            drawn: self.drawn,
        })
    }
}

/// Refuses figures that cannot be, or of another machine than one of `sms` SMs.
pub(super) fn check(platform: &MemoryPlatform, sms: u32) -> Result<(), Refusal> {
    let refuse = |message: String| Err(Refusal::new("platform", message));
    if platform.sms != sms {
        return refuse(format!(
            "sms: found {}, expected {sms}, as the machine has",
            platform.sms
        ));
    }
    match platform.check() {
        Ok(()) => Ok(()),
        Err(error) => refuse(error.to_string()),
    }
}

/// A group as it is given.
fn given(bench: &Bench, index: usize, members: &[Member]) -> Result<Members, Refusal> {
    let refuse = |message: String| Refusal::new(&format!("groups[{index}]"), message);
    let all = u64::from(bench.sms());
    let sms: u64 = members.iter().map(|member| u64::from(member.sms)).sum();
    if members.is_empty() || sms > all || members.iter().any(|member| member.sms == 0) {
        let message = format!(
            "found {} kernels on {sms} SMs, expected 1 to {all} SMs for each, and {all} together",
            members.len()
        );
        return Err(refuse(message));
    }
    let member = |member: &Member| {
        let kernel = bench.names().iter().position(|name| *name == member.kernel);
        let names = || bench.names().join(", ");
        let kernel = kernel
            .ok_or_else(|| refuse(format!("found {:?}, expected one of {}", member.kernel, names())))?;
        Ok((kernel, member.sms))
    };
    let found = members.iter().map(member).collect::<Result<Members, Refusal>>()?;
    let mut kernels: Vec<usize> = found.iter().map(|&(kernel, _)| kernel).collect();
    kernels.sort_unstable();
    kernels.dedup();
    match kernels.len() == found.len() {
        true => Ok(found),
        false => Err(refuse("found a kernel twice, expected each once".to_owned())),
    }
}

fn checked(bench: &Bench, drawn: &Drawn) -> Result<(), Refusal> {
    let refuse = |field: &str, found: String, expected: String| {
        Err(Refusal::new(
            &format!("drawn.{field}"),
            format!("found {found}, expected {expected}"),
        ))
    };
    let (kernels, sms) = (bench.names().len(), bench.sms());
    if drawn.sizes.is_empty() || drawn.sizes.iter().any(|size| !(1..=kernels).contains(size)) {
        return refuse(
            "sizes",
            format!("{:?}", drawn.sizes),
            format!("numbers from 1 to {kernels}, the kernels of the run"),
        );
    }
    if !(1..=MOST).contains(&drawn.groups) {
        return refuse("groups", drawn.groups.to_string(), format!("1 to {MOST}"));
    }
    let fits = |&size: &usize| possible(&drawn.sms, size, sms);
    if drawn.sms.contains(&0) || !drawn.sizes.iter().all(fits) {
        let expected = format!("positive numbers with which a group of any size has at most {sms} SMs");
        return refuse("sms", format!("{:?}", drawn.sms), expected);
    }
    Ok(())
}

/// Every kernel of a case alone on every number of SMs that it has in it, and on all.
type Isolated = BTreeMap<(usize, u32), Alone>;

impl SideBySide {
    fn members(&self, seed: u64) -> Vec<Members> {
        let Some(drawn) = &self.drawn else {
            return self.groups.clone();
        };
        let (kernels, sms) = (self.bench.names().len(), self.bench.sms());
        let one = |size: usize, index: u64| {
            let mut rng = stream(seed, Purpose::KernelGroups, size as u64, index);
            draw(&mut rng, kernels, size, &drawn.sms, sms)
        };
        let sizes = drawn.sizes.iter();
        sizes
            .flat_map(|&size| (0..drawn.groups).map(move |index| one(size, index)))
            .collect()
    }

    /// What has to be known alone for `groups`.
    fn needed(&self, groups: &[Members]) -> Vec<(usize, u32)> {
        let members = groups.iter().flatten();
        let mut needed: Vec<(usize, u32)> = members
            .flat_map(|&(kernel, sms)| [(kernel, sms), (kernel, self.bench.sms())])
            .collect();
        needed.sort_unstable();
        needed.dedup();
        needed
    }

    /// `members` with what is known of them alone.
    fn group(
        &self,
        members: &Members,
        isolated: &Isolated,
        platform: MemoryPlatform,
        bandwidth: impl Fn(&Alone) -> u64,
    ) -> Result<Group> {
        let kernel = |&(kernel, sms): &(usize, u32)| {
            let mut numbers = vec![sms, self.bench.sms()];
            numbers.dedup();
            let points = numbers
                .into_iter()
                .filter_map(|sms| Some((sms, *isolated.get(&(kernel, sms))?)));
            let points: Vec<(u32, Alone)> = points.collect();
            let profile = self.bench.profile(kernel, &points, &bandwidth)?;
            Ok(GroupKernel {
                name: None,
                sms,
                profile: ProfileSource::Profile(Box::new(profile)),
            })
        };
        let kernels = members.iter().map(kernel).collect::<Result<Vec<GroupKernel>>>()?;
        Group::new(None, platform, kernels).map_err(|error| Error::Usage(error.to_string()))
    }

    /// What models say, by their names in results.
    fn predictions(&self, members: &Members, isolated: &Isolated) -> Result<Vec<(String, Vec<f64>)>> {
        let mut found = Vec::new();
        let mut ask = |name: String, model: Model, group: &Group| -> Result<()> {
            let prediction = predict(model, group).map_err(|error| Error::Usage(error.to_string()))?;
            let times = prediction.kernels.iter().map(|kernel| kernel.predicted);
            found.push((name, times.collect()));
            Ok(())
        };
        let at_l2 = self.group(members, isolated, self.platform, |alone| alone.l2)?;
        for model in Model::ALL {
            ask(model.to_string(), model, &at_l2)?;
        }
        if let Some(dram) = self.dram {
            let at_dram = self.group(members, isolated, dram, |alone| alone.dram)?;
            ask("fluid at DRAM".to_owned(), Model::Fluid, &at_dram)?;
        }
        Ok(found)
    }

    fn table(&self, groups: &[Members], isolated: &Isolated, together: &[Vec<u64>]) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        for (index, (members, times)) in groups.iter().zip(together).enumerate() {
            let predictions = self.predictions(members, isolated)?;
            for (position, (&(kernel, sms), &time)) in members.iter().zip(times).enumerate() {
                let row = |quantity, value, unit| {
                    Row::new(quantity, value, unit)
                        .with("group", index + 1)
                        .with("size", members.len())
                        .with("kernel", self.bench.name(kernel))
                        .with("sms", sms)
                };
                let alone = isolated.get(&(kernel, sms)).map_or(1, |alone| alone.time).max(1);
                let slowdown = time as f64 / alone as f64;
                rows.push(row("time alone", alone.to_string(), "ns"));
                rows.push(row("time together", time.to_string(), "ns"));
                rows.push(row("slowdown", decimal(slowdown), ""));
                for (model, predicted) in &predictions {
                    let predicted = predicted.get(position).copied().unwrap_or(0.0);
                    let errors = error(predicted, time.max(1) as f64);
                    rows.extend(
                        errors.map(|(quantity, value)| row(quantity, value, "share").with("model", model)),
                    );
                }
            }
        }
        if self.drawn.is_some() {
            rows.extend(means(&rows));
        }
        Ok(rows)
    }
}

/// Mean errors of each model over the groups of each size.
fn means(rows: &[Row]) -> Vec<Row> {
    let mut sums: BTreeMap<(String, String, &'static str), (f64, u32)> = BTreeMap::new();
    for row in rows {
        let quantity = match row.quantity {
            "error" => "mean error",
            "absolute error" => "mean absolute error",
            _ => continue,
        };
        let key = (row.key("size").to_owned(), row.key("model").to_owned(), quantity);
        let sum = sums.entry(key).or_default();
        *sum = (sum.0 + row.value.parse::<f64>().unwrap_or(0.0), sum.1 + 1);
    }
    let mean = |((size, model, quantity), (sum, count)): ((String, String, &'static str), (f64, u32))| {
        Row::new(quantity, decimal(sum / f64::from(count)), "share")
            .with("size", size)
            .with("kernel", "all")
            .with("model", model)
    };
    sums.into_iter().map(mean).collect()
}

impl Measure for SideBySide {
    fn rows(&self, seed: u64) -> Result<Vec<Row>> {
        let groups = self.members(seed);
        let needed = self.needed(&groups);
        let isolated = needed
            .par_iter()
            .map(|&key| Ok((key, self.bench.alone(key.0, key.1)?)));
        let isolated = isolated.collect::<Result<Isolated>>()?;
        let together = groups.par_iter().map(|members| self.bench.together(members));
        self.table(&groups, &isolated, &together.collect::<Result<Vec<_>>>()?)
    }

    fn outline(&self, seed: u64) -> Result<Vec<Row>> {
        let groups = self.members(seed);
        let isolated = self
            .needed(&groups)
            .into_iter()
            .map(|key| (key, Alone::MADE_UP))
            .collect();
        let together: Vec<Vec<u64>> = groups.iter().map(|members| vec![1000; members.len()]).collect();
        self.table(&groups, &isolated, &together)
    }
}
